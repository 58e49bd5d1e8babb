/** Queries that a person ran: in this page, and in the browser's storage only if the person says so. */

import { preference, setPreference } from "../shared/preferences";

const REMEMBERS = "sparql remembers";
const QUERIES = "sparql queries";
const MOST = 30;

export function remembers(): boolean {
  return preference(REMEMBERS, false);
}

export function kept(): string[] {
  const found: unknown = remembers() ? preference<unknown>(QUERIES, []) : [];
  return Array.isArray(found) ? found.filter((each): each is string => typeof each === "string").slice(0, MOST) : [];
}

/** Begins or ends to remember; what was remembered is forgotten at the end. */
export function setRemembers(yes: boolean, queries: readonly string[]): void {
  setPreference(REMEMBERS, yes);
  setPreference(QUERIES, yes ? queries : []);
}

/** The queries with one more in front. */
export function withQuery(queries: readonly string[], query: string): string[] {
  const all = [query, ...queries.filter((each) => each !== query)].slice(0, MOST);
  if (remembers()) setPreference(QUERIES, all);
  return all;
}
