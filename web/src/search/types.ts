/** What the service gives to the search page. */

import type { Naming } from "../shared/links";

export interface Span {
  begin: number;
  end: number;
}

export interface Step {
  seed: string;
  chunk: string;
  channel: string;
  kind: string;
  weight: number;
  edge?: string | string[];
  entity?: string | string[];
  row?: number;
}

/** The values of a member that is left out for none, and stands alone for one. */
export function listed(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

export interface Around {
  chunk: string;
  name: string;
  text: string;
}

export interface Result {
  rank: number;
  score: number;
  role: string;
  document: string;
  chunk: string;
  kind: string;
  name: string;
  title: string;
  place: string | null;
  text: string;
  parts: Record<string, number>;
  path: Step[];
  matches?: { name: Span[]; text: Span[] };
  labels?: Record<string, string>;
  before?: Around[];
  after?: Around[];
}

export type Ranked = Pick<Result, "rank" | "role" | "score" | "chunk" | "parts">;

export interface Answer {
  question: string;
  revision: number;
  retrieval?: string;
  matched: boolean;
  results: Result[];
}

export interface Summary extends Omit<Answer, "results"> {
  results: Ranked[];
}

export interface Remedy {
  name: string;
  value: unknown;
  enough: unknown;
  rank: number | null;
}

export interface Explanation {
  chunk: string;
  document: string;
  name: string;
  text: string;
  verdict: string;
  reason: string;
  rank: number | null;
  ranked: number;
  score: number | null;
  parts: Record<string, number>;
  flat: Record<string, { place: number | null; score: number }>;
  isStart: boolean;
  isReached: boolean;
  path: Step[];
  excludedBy: string[];
  remedies: Remedy[];
  matches: { name: Span[]; text: Span[] };
}

export interface FacetValue {
  value: string;
  chunks: number;
  filter: Record<string, unknown>;
}

export interface Facet {
  name: string;
  metadata: boolean;
  values: FacetValue[];
  more: number;
}

export interface Facets {
  chunks: number;
  complete: boolean;
  facets: Facet[];
}

export interface Parameter {
  type: string;
  description: string;
  enum?: string[];
  items?: { enum?: string[] };
  minimum?: number;
  maximum?: number;
  default?: unknown;
  properties?: Record<string, { maximum: number; description: string }>;
}

export interface Recipe {
  channels: string[];
  hops: number;
  ranking: string;
  fusion: string;
  deduplicate: boolean;
  decompose: boolean;
  weights: Record<string, number>;
}

/** What the server writes into the page; all of it is in `/openapi.json` and in the recipes, too. */
export interface PageData extends Naming {
  parameters: Record<string, Parameter>;
  recipes: Record<string, Recipe>;
  rankingParameters: Record<string, string[]>;
  /** Names of media types for people. */
  formats: Record<string, string>;
  keeping: boolean;
  counts: Record<string, number>;
}
