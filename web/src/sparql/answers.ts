/** Queries sent to the service, and its answers. */

import { send } from "../shared/http";
import { address } from "../shared/page";
import { triples } from "./ntriples";
import type { Term, Triple } from "./terms";

export type Row = Record<string, Term>;

/** The answer to a query, by its form: rows, triples, or yes and no. `text` is what was sent. */
export interface Answer {
  columns: string[];
  rows: Row[];
  /** Of CONSTRUCT and DESCRIBE; null for other forms. */
  triples: Triple[] | null;
  /** Of ASK; null for other forms. */
  boolean: boolean | null;
  text: string;
  /** Milliseconds from the request to the whole answer. */
  took: number;
}

export interface Asked {
  query: string;
  /** Seconds, as the person gave them; "" for the service's own limit. */
  timeout: string;
}

/** Most characters of an answer that the page reads: more would stop it for long. */
const LONGEST = 32 * 2 ** 20;

const ACCEPT = "application/sparql-results+json, application/n-triples;q=0.9";

/** The response to a query, in the format of `accept`. Throws Problem. */
export function respond(asked: Asked, accept: string, signal?: AbortSignal): Promise<Response> {
  const body = new URLSearchParams({ query: asked.query });
  if (asked.timeout !== "") body.set("timeout", asked.timeout);
  return send(address("/sparql"), { method: "POST", body, accept, ...(signal ? { signal } : {}) });
}

/** The answer to a query. Throws Problem, and AbortError once `signal` is set off. */
export async function answer(asked: Asked, signal: AbortSignal): Promise<Answer> {
  const begin = performance.now();
  const response = await respond(asked, ACCEPT, signal);
  const text = await whole(response);
  return { ...read(text, response.headers.get("Content-Type") ?? ""), text, took: performance.now() - begin };
}

async function whole(response: Response): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  const reader = (response.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return parts.join("");
    parts.push(value);
    length += value.length;
    if (length > LONGEST) {
      await reader.cancel();
      const most = `${LONGEST / 2 ** 20} MB`;
      throw new Error(`The answer has more than ${most}, which this page does not show: add LIMIT, or ask the endpoint by a program.`);
    }
  }
}

function read(text: string, type: string): Omit<Answer, "text" | "took"> {
  if (!type.startsWith("application/sparql-results+json")) {
    const found = triples(text);
    const rows = found.map(([subject, predicate, object]) => ({ subject, predicate, object }));
    return { columns: ["subject", "predicate", "object"], rows, triples: found, boolean: null };
  }
  const said = JSON.parse(text) as {
    head: { vars?: string[] };
    results?: { bindings: Row[] };
    boolean?: boolean;
  };
  const columns = said.head.vars ?? [];
  const rows = said.results?.bindings ?? [];
  // a variable that is not bound is not there, whatever objects have by that name
  const isOdd = columns.some((column) => column in Object.prototype);
  const plain = isOdd ? rows.map((row) => Object.assign(Object.create(null) as Row, row)) : rows;
  return { columns, rows: plain, triples: null, boolean: said.boolean ?? null };
}
