/** The names that complete a query: classes and properties that the graph uses, with labels and counts. */

import { send } from "../shared/http";
import { address } from "../shared/page";
import { answer } from "./answers";
import { triples } from "./ntriples";
import { inQuery, type PageData } from "./terms";

export interface Name {
  iri: string;
  /** As a query can have it. */
  text: string;
  label: string;
  count: number;
  isClass: boolean;
}

const VOID = "http://rdfs.org/ns/void#";
const MOST_LABELLED = 400;

/** The names that the service's VoID description counts, those that are used most first. */
export async function vocabulary(data: PageData, signal: AbortSignal): Promise<Name[]> {
  const source = address("/.well-known/void", { format: "ntriples" });
  const text = await (await send(source, { accept: "application/n-triples", signal })).text();
  const parts = new Map<string, Map<string, string>>();
  for (const [subject, property, object] of triples(text)) {
    if (typeof subject.value !== "string" || typeof object.value !== "string") continue;
    const part = parts.get(subject.value) ?? new Map<string, string>();
    parts.set(subject.value, part.set(String(property.value), object.value));
  }
  const names = [...parts.values()].flatMap((part) => [
    ...counted(part.get(`${VOID}class`), part.get(`${VOID}entities`), true, data),
    ...counted(part.get(`${VOID}property`), part.get(`${VOID}triples`), false, data),
  ]);
  names.sort((a, b) => b.count - a.count);
  await label(names, data, signal).catch(() => undefined); // they are too long for a query, or take too long
  return names;
}

function counted(iri: string | undefined, count: string | undefined, isClass: boolean, data: PageData): Name[] {
  if (iri === undefined || count === undefined) return [];
  return [{ iri, text: inQuery(iri, data.prefixes), label: data.labels[iri] ?? "", count: Number(count), isClass }];
}

/** Adds the labels that the graph itself has, to names without one. */
async function label(names: Name[], data: PageData, signal: AbortSignal): Promise<void> {
  const wanted = new Map(names.filter((each) => each.label === "").slice(0, MOST_LABELLED).map((each) => [each.iri, each]));
  if (wanted.size === 0) return;
  const terms = [...wanted.keys()].filter((iri) => !/[<>"{}|^`\\\s]/.test(iri)).map((iri) => `<${iri}>`);
  const query = `SELECT ?term (SAMPLE(?text) AS ?label) { VALUES ?term { ${terms.join(" ")} }
    ?term <http://www.w3.org/2000/01/rdf-schema#label>|<http://www.w3.org/2004/02/skos/core#prefLabel> ?text } GROUP BY ?term`;
  const found = await answer({ query, timeout: String(Math.min(5, data.seconds)) }, signal);
  for (const row of found.rows) {
    const name = row["term"]?.type === "uri" ? wanted.get(row["term"].value) : undefined;
    if (name !== undefined && row["label"]?.type === "literal") name.label = row["label"].value;
  }
}
