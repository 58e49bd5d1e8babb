/** The steps of a reasoning as they happen, and the answer at its end. */

import { hrefOf } from "../sparql/terms";
import type { AskData, Reasoned, Step } from "./asking";

const TITLES: Record<string, string> = {
  analysis: "Read the question",
  candidates: "Found candidates",
  scores: "Scored them",
  traverse: "Walked on",
  code: "Computed",
  "code-error": "A statement failed",
  sufficient: "Has enough",
  fallback: "Took another path",
  budget: "Reached its budget",
};
const MOST_NODES = 12;
const MOST_ROWS = 50;

export function Steps({ steps, reasoned, data }: { steps: Step[]; reasoned: Reasoned | null; data: AskData }) {
  return (
    <>
      {reasoned !== null && (
        <>
          <p class="said">{reasoned.answer}</p>
          <p class="quiet">
            {reasoned.byModel ? "Written by the language model" : "What was found; the language model did not answer"}:{" "}
            {reasoned.calls} calls, {reasoned.tokens.toLocaleString("en")} tokens.
          </p>
          {reasoned.citations.length > 0 && (
            <p>
              From{" "}
              {reasoned.citations.map((iri, at) => (
                <span key={iri}>
                  {at > 0 && ", "}
                  <a href={hrefOf(iri, data)}>passage {at + 1}</a>
                </span>
              ))}
            </p>
          )}
        </>
      )}
      <ol class="steps" aria-label="Steps">
        {steps.map((step, at) => (
          <li key={at}>
            <StepShown step={step} data={data} />
          </li>
        ))}
      </ol>
    </>
  );
}

function StepShown({ step, data }: { step: Step; data: AskData }) {
  const named = [step.queryType, ...(step.targetTypes ?? []), ...(step.keyEntities ?? [])].filter(Boolean);
  return (
    <>
      <h3>{TITLES[step.kind] ?? step.kind}</h3> <span class="quiet">{step.thought}</span>
      {named.length > 0 && <p class="quiet">{named.join(" · ")}</p>}
      {step.tables !== undefined && <p class="quiet">Tables: {step.tables.join(", ")}</p>}
      {step.nodes !== undefined && (
        <details>
          <summary>{step.nodes.length} nodes</summary>
          <ul>
            {step.nodes.slice(0, MOST_NODES).map((node) => (
              <li key={node.id}>
                <a href={hrefOf(node.id, data)}>{node.label}</a>{" "}
                <span class="quiet number">
                  {node.kind}, {node.score}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {step.sql !== undefined && <pre>{step.sql}</pre>}
      {step.error !== undefined && <p class="problem">{step.error}</p>}
      {step.result !== undefined && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Rows of the statement">
          <table>
            <thead>
              <tr>
                {step.result.columns.map((each) => (
                  <th scope="col" key={each.name}>
                    {each.name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {step.result.rows.slice(0, MOST_ROWS).map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column}>{typeof cell === "string" ? cell : JSON.stringify(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
