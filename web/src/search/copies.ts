/** The same question for other clients: as an address, for curl, in SPARQL. */

import { address } from "../shared/page";
import { half, pairs, writeChoices, type Choices } from "./choices";
import type { Parameter } from "./types";

type Schema = Record<string, Parameter>;

/** The address at which the answer is JSON-LD. */
export function answerAddress(choices: Choices, schema: Schema): string {
  return new URL(address("/v1/retrieve"), location.href).href + writeChoices(choices, schema);
}

/** A command that asks the same. */
export function curlCommand(choices: Choices, schema: Schema): string {
  const sent = pairs(choices, schema).map(([name, value]) => `  --data-urlencode ${quoted(`${name}=${value}`)}`);
  return [`curl -G ${quoted(new URL(address("/v1/retrieve"), location.href).href)}`, ...sent].join(" \\\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A query that asks the same, for `/sparql`. */
export function sparqlQuery(choices: Choices, schema: Schema): string {
  const { q, k = 10, from_graph = half(Number(k)), mode = "sage", ...more } = choices;
  delete more["window"];
  delete more["view"];
  const sage = mode === "sage";
  const place = sage ? `${k} ${from_graph}` : `${k} ${literal(String(mode))}`;
  const named = pairs(more, schema).map(([name, value]) => ` ${literal(`${name}=${value}`)}`);
  const variables = sage ? "?chunk ?score ?role ?seed ?edge" : "?chunk ?score";
  const call = `(${variables}) sage:${sage ? "retrieve" : "search"} (${literal(String(q ?? ""))} ${place}${named.join("")}) .`;
  return [
    "PREFIX sage: <https://w3id.org/sage-ld#>",
    "PREFIX schema: <https://schema.org/>",
    "",
    `SELECT ${variables} ?name WHERE {`,
    `  ${call}`,
    "  ?chunk schema:name ?name .",
    "}",
    "ORDER BY DESC(?score)",
  ].join("\n");
}

function literal(text: string): string {
  const escapes: Record<string, string> = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  return `"${text.replace(/[\\"\n\r\t]/g, (each) => escapes[each] ?? each)}"`;
}
