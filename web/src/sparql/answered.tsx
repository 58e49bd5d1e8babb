/** The answer to a query as table, graph, chart, map or text, and as files. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { Alert } from "../shared/alert";
import { save } from "../shared/files";
import { VIEWS } from "./address";
import { type Answer, type Asked, respond, type Row } from "./answers";
import { ResultChart } from "./chart";
import { ResultGraph } from "./graph";
import { places } from "./places";
import { ResultTable } from "./table";
import type { PageData, View } from "./terms";

const LONGEST_TEXT = 200_000;
const FILES = {
  rows: { CSV: ["text/csv", "csv"], JSON: ["application/sparql-results+json", "json"] },
  triples: { Turtle: ["text/turtle", "ttl"], "JSON-LD": ["application/ld+json", "jsonld"], CSV: ["", "csv"] },
} as const;

interface AnsweredOptions {
  answer: Answer;
  asked: Asked;
  view: View;
  show: (view: View) => void;
  data: PageData;
}

export function Answered({ answer, asked, view, show, data }: AnsweredOptions) {
  const isAsk = answer.boolean !== null;
  const located = useMemo(() => places(answer).length > 0, [answer]);
  const views = VIEWS.filter((each) => each !== "map" || located);
  const shown = isAsk ? "text" : views.includes(view) ? view : "table";
  return (
    <>
      {!isAsk && (
        <div class="row spread">
          <div class="row" role="group" aria-label="Show as">
            {views.map((each) => (
              <button key={each} type="button" class="small" aria-pressed={each === shown} onClick={() => show(each)}>
                {each[0]?.toUpperCase()}
                {each.slice(1)}
              </button>
            ))}
          </div>
          <Downloads answer={answer} asked={asked} />
        </div>
      )}
      {shown === "table" && <ResultTable answer={answer} data={data} />}
      {shown === "graph" && <ResultGraph answer={answer} data={data} />}
      {shown === "chart" && <ResultChart answer={answer} data={data} />}
      {shown === "map" && <Mapped answer={answer} data={data} />}
      {shown === "text" && <Text text={answer.text} />}
    </>
  );
}

/** A map, whose script is loaded when it is wanted, beside the rows. */
function Mapped({ answer, data }: { answer: Answer; data: PageData }) {
  const [map, setMap] = useState<typeof import("./map") | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [marked, mark] = useState<Row | null>(null);
  useEffect(() => void import("./map").then(setMap, setError), []);
  useEffect(() => mark(null), [answer]);
  return (
    <div class="mapped">
      {error !== null && <Alert error={error} />}
      {map !== null && <map.ResultMap answer={answer} data={data} marked={marked} mark={mark} />}
      <div>
        <ResultTable answer={answer} data={data} marked={marked} />
      </div>
    </div>
  );
}

function Text({ text }: { text: string }) {
  return (
    <>
      <pre class="raw" tabIndex={0}>
        {text.slice(0, LONGEST_TEXT)}
      </pre>
      {text.length > LONGEST_TEXT && <p class="quiet">The first {LONGEST_TEXT.toLocaleString("en")} characters; download the whole.</p>}
    </>
  );
}

/** Files of the answer, for which the query is sent again in another format; the service keeps short answers. */
function Downloads({ answer, asked }: { answer: Answer; asked: Asked }) {
  const [error, setError] = useState<unknown>(null);
  const files = answer.triples === null ? FILES.rows : FILES.triples;
  const download = async (accept: string, suffix: string) => {
    setError(null);
    try {
      const query = accept === "" ? null : await (await respond(asked, accept)).blob();
      save(query ?? new Blob([csv(answer)], { type: "text/csv" }), `answer.${suffix}`);
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <div class="row" role="group" aria-label="Download">
      {Object.entries(files).map(([name, [accept, suffix]]) => (
        <button key={name} type="button" class="small" onClick={() => void download(accept, suffix)}>
          ↓ {name}
        </button>
      ))}
      {error !== null && <Alert error={error} />}
    </div>
  );
}

/** Triples as CSV, which the service has for rows only. */
function csv(answer: Answer): string {
  const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = answer.rows.map((row) => answer.columns.map((column) => cell(String(row[column]?.value ?? ""))).join(","));
  return [answer.columns.join(","), ...lines, ""].join("\r\n");
}
