/** Questions to the service, as the search page asks them. */

import { getJson, stream } from "../shared/http";
import { address } from "../shared/page";
import type { Choices } from "./choices";
import type { Answer, Result, Summary } from "./types";

const FORM = { highlight: true, labels: true };

/** The whole answer. */
export function ask(choices: Choices, signal?: AbortSignal): Promise<Answer> {
  return getJson<Answer>(address("/v1/retrieve"), { body: { ...choices, ...FORM }, ...(signal ? { signal } : {}) });
}

/** The answer by and by: `onSoFar` has the results that have arrived. */
export async function askStream(choices: Choices, signal: AbortSignal, onSoFar: (results: Result[]) => void): Promise<Answer> {
  const body = { ...choices, ...FORM, form: "json" };
  const found = new Map<string, Result>();
  for await (const { name, data } of stream(address("/v1/retrieve/stream"), { body, signal })) {
    if (name === "summary") return whole(data as Summary, found);
    const result = data as Result;
    found.set(result.chunk, result);
    onSoFar([...found.values()]);
  }
  throw new Error("The answer was cut off; try again.");
}

function whole(summary: Summary, found: ReadonlyMap<string, Result>): Answer {
  const results = summary.results.flatMap((ranked) => {
    const result = found.get(ranked.chunk);
    return result === undefined ? [] : [{ ...result, ...ranked }];
  });
  return { ...summary, results };
}
