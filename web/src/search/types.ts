/** What the service gives to the search page. */

import type { Naming } from "../shared/links";

export type {
  Explanation,
  Facet,
  FacetValue,
  Facets,
  NeighbourText as Around,
  PlainAnswer as Answer,
  PlainRanked as Ranked,
  PlainRanking as Summary,
  PlainResult as Result,
  PlainStep as Step,
  Remedy,
  Span,
} from "../api";

/** The values of a member that is left out for none, and stands alone for one. */
export function listed(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
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
