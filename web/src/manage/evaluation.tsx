/** Measuring the graph on questions of one's own, with curves of recall by budget. */

import { useState } from "preact/hooks";
import type { Evaluation as Report } from "../api";
import { Alert } from "../shared/alert";
import { getJson } from "../shared/http";
import { address } from "../shared/page";
import { useWork } from "../shared/use_request";
import { COMPARED_MODES, type JudgedQuestion, questionsOf } from "./judged_questions";

const BUDGETS = [2, 5, 10, 20, 50];
const MEASURES = ["recall", "success", "all"] as const;

export function Evaluation() {
  const [questions, setQuestions] = useState<JudgedQuestion[]>([]);
  const [report, setReport] = useState<Report | null>(null);
  const [measure, setMeasure] = useState<(typeof MEASURES)[number]>("recall");
  const work = useWork();
  const read = (list: FileList | null) =>
    work.run(async () => {
      const texts = await Promise.all([...(list ?? [])].map((file) => file.text()));
      setQuestions(questionsOf(texts));
    });
  const evaluate = () =>
    work.run(async () => {
      const body = { questions, modes: COMPARED_MODES, budgets: BUDGETS };
      setReport(await getJson<Report>(address("/v1/evaluate"), { body }));
    });
  return (
    <>
      <p>
        Choose <code>queries.jsonl</code> (<code>{'{"_id": "1", "text": "Who …?"}'}</code>) and <code>qrels.tsv</code> (
        <code>query-id, corpus-id, score</code>) of a data set in the layout of BEIR. Its documents are named by the
        identifiers that this graph has.
      </p>
      <p class="row">
        <label class="button">
          Questions and judgements{" "}
          <input class="unseen" type="file" multiple onChange={(event) => read(event.currentTarget.files)} />
        </label>
        <button class="main" disabled={work.busy || questions.length === 0} onClick={evaluate}>
          Measure {questions.length > 0 ? `${questions.length} questions` : ""}
        </button>
      </p>
      {work.busy && <p role="status">Measuring …</p>}
      {work.error !== null && <Alert error={work.error} />}
      {report && (
        <>
          <p role="status">
            {report.queries} questions
            {report.unknown_documents > 0 && `; ${report.unknown_documents} judged documents are not in the graph`}
          </p>
          <p>
            <label for="measure">Measure</label>{" "}
            <select
              id="measure"
              value={measure}
              onChange={(event) => setMeasure(event.currentTarget.value as (typeof MEASURES)[number])}
            >
              {MEASURES.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </p>
          <Curves report={report} measure={measure} />
        </>
      )}
    </>
  );
}

const WIDTH = 560;
const HEIGHT = 260;
const LEFT = 40;
const BOTTOM = 30;
const COLOURS = ["--accent", "--entity-edge", "--statement-edge", "--relation-edge"];

function Curves({ report, measure }: { report: Report; measure: string }) {
  const across = (index: number) => LEFT + (index * (WIDTH - LEFT - 90)) / Math.max(1, report.budgets.length - 1);
  const up = (value: number) => HEIGHT - BOTTOM - value * (HEIGHT - BOTTOM - 10);
  const modes = Object.entries(report.modes);
  const last = report.budgets.at(-1) ?? 0;
  const right = across(report.budgets.length - 1);
  const labels = apart(modes.map(([, measures]) => up(measures[`${measure}@${last}`] ?? 0) + 4), HEIGHT - BOTTOM);
  const of = (measures: Record<string, number>, budget: number) => measures[`${measure}@${budget}`] ?? 0;
  return (
    <>
      <svg class="curves" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${measure} by number of results`}>
        {[0, 0.25, 0.5, 0.75, 1].map((each) => (
          <g key={each}>
            <line x1={LEFT} x2={WIDTH - 80} y1={up(each)} y2={up(each)} class="grid" />
            <text x={LEFT - 6} y={up(each) + 4} text-anchor="end">
              {each}
            </text>
          </g>
        ))}
        {report.budgets.map((each, index) => (
          <text key={each} x={across(index)} y={HEIGHT - 10} text-anchor="middle">
            {each}
          </text>
        ))}
        {modes.map(([mode, measures], number) => {
          const height = labels[number] as number;
          const colour = `var(${COLOURS[number % COLOURS.length]})`;
          const points = report.budgets.map((budget, index) => `${across(index)},${up(of(measures, budget))}`);
          return (
            <g key={mode}>
              <polyline points={points.join(" ")} fill="none" stroke={colour} stroke-width="2" />
              <line x1={right + 4} x2={right + 14} y1={height - 4} y2={height - 4} stroke={colour} stroke-width="4" />
              <text x={right + 18} y={height}>
                {mode}
              </text>
            </g>
          );
        })}
      </svg>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Results</th>
              {modes.map(([mode]) => (
                <th scope="col" key={mode}>
                  {mode}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {report.budgets.map((budget) => (
              <tr key={budget}>
                <th scope="row">{budget}</th>
                {modes.map(([mode, measures]) => (
                  <td class="number" key={mode}>
                    {of(measures, budget).toFixed(3)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const LINE = 15; // between the names of two curves

/** Heights, moved down as far as names need to stand apart, and up again where they would leave the picture. */
function apart(heights: readonly number[], lowest: number): number[] {
  const order = heights.map((_, index) => index).sort((a, b) => (heights[a] as number) - (heights[b] as number));
  const moved = [...heights];
  order.forEach((index, place) => {
    const above = place === 0 ? -Infinity : (moved[order[place - 1] as number] as number);
    const room = lowest - (order.length - 1 - place) * LINE;
    moved[index] = Math.max(Math.min(moved[index] as number, room), above + LINE);
  });
  return moved;
}
