/** Names of resources, asked of the graph: what a person reads in the place of an IRI. */

import { useEffect, useState } from "preact/hooks";
import { getJson } from "./http";
import { shortName } from "./links";
import { address } from "./page";

interface Rows {
  results: { bindings: { thing: { value: string }; name: { value: string } }[] };
}

const IRI = /^[^<>"{}|^`\\\s]+$/;
const QUERY = (iris: readonly string[]) => `PREFIX schema: <https://schema.org/>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT ?thing (MIN(STR(?text)) AS ?name) WHERE {
  VALUES ?thing { ${iris.map((each) => `<${each}>`).join(" ")} }
  ?thing schema:name|skos:prefLabel|rdfs:label ?text .
} GROUP BY ?thing`;

/** The name of each resource; the last part of its IRI until the graph has answered, and where it has none. */
export function useNames(iris: readonly string[]): (iri: string) => string {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const wanted = [...new Set(iris)].filter((each) => IRI.test(each)).sort();
  useEffect(() => {
    if (wanted.length === 0) return;
    const ended = new AbortController();
    const body = new URLSearchParams({ query: QUERY(wanted) });
    getJson<Rows>(address("/sparql"), { body, accept: "application/sparql-results+json", signal: ended.signal }).then(
      ({ results }) => setNames(new Map(results.bindings.map(({ thing, name }) => [thing.value, name.value]))),
      () => undefined, // without names, IRIs are shown
    );
    return () => ended.abort();
  }, [wanted.join(" ")]);
  return (iri) => names.get(iri) ?? shortName(iri);
}
