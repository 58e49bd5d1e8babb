/** Addresses of the pages of resources. */

import { address } from "./page";

/** The page of a resource; `base` is the beginning of the graph's own IRIs, whose path is the page's. */
export function pageOf(iri: string, base: string): string {
  if (iri.startsWith(base)) {
    const rest = iri.slice(base.length);
    if (/^(?:[\w~.-]+\/)*[\w~.-]+$/.test(rest) && !/(?:^|\/)\.\.?(?:\/|$)/.test(rest)) return new URL(base).pathname + rest;
  }
  return address("/describe", { iri });
}

/** The last part of an IRI, for people. */
export function shortName(iri: string): string {
  return iri.split(/[#/]/).filter(Boolean).at(-1) ?? iri;
}
