/** Addresses of the pages of resources. */

import { address, root } from "./page";

/** What shortens IRIs, and leads to their pages. */
export interface Naming {
  /** The beginning of the graph's own IRIs. */
  base: string;
  /** The path below which this service has their pages; null where an address cannot hold all of such an IRI. */
  basePath: string | null;
  prefixes: Record<string, string>;
}

const SEGMENT = "[\\w~@!$'()*+,;:=-][\\w.~@!$'()*+,;:=-]*"; // neither empty nor made of dots
const SEGMENTS = new RegExp(`^(?:${SEGMENT}/)*${SEGMENT}$`);

/** The page at a resource's own IRI; null for one that has none, or whose address would be read as another. */
export function ownPage(iri: string, { base, basePath }: Naming): string | null {
  if (basePath === null || !iri.startsWith(base)) return null;
  const rest = iri.slice(base.length);
  return SEGMENTS.test(rest) ? root + basePath + rest : null;
}

/** The page of a resource. */
export function pageOf(iri: string, naming: Naming): string {
  return ownPage(iri, naming) ?? address("/describe", { iri });
}

/** The editor of SPARQL with a query in it, which no server sees before it is run. */
export function editorOf(query: string): string {
  return `${root}/sparql#${new URLSearchParams({ query })}`;
}

/** The last part of an IRI, for people. */
export function shortName(iri: string): string {
  return iri.split(/[#/]/).filter(Boolean).at(-1) ?? iri;
}
