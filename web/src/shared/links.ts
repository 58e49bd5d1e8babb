/** Addresses of the pages of resources. */

import { address, root } from "./page";

/** The page of a resource; `base` is the beginning of the graph's own IRIs, whose path is the page's. */
export function pageOf(iri: string, base: string): string {
  if (iri.startsWith(base)) {
    const rest = iri.slice(base.length);
    if (/^(?:[\w~.-]+\/)*[\w~.-]+$/.test(rest) && !/(?:^|\/)\.\.?(?:\/|$)/.test(rest)) return new URL(base).pathname + rest;
  }
  return address("/describe", { iri });
}

/** The editor of SPARQL with a query in it, which no server sees before it is run. */
export function editorOf(query: string): string {
  return `${root}/sparql#${new URLSearchParams({ query })}`;
}

/** The last part of an IRI, for people. */
export function shortName(iri: string): string {
  return iri.split(/[#/]/).filter(Boolean).at(-1) ?? iri;
}
