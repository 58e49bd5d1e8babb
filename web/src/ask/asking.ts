/** What the API says to a question, as far as the page shows it. */

import type { Naming } from "../shared/links";
import { hrefOf } from "../sparql/terms";

export interface AskData extends Naming {
  longest: number;
  longestReason: number;
  /** Whether the service has a language model. */
  model: boolean;
}

export interface Chunk {
  id: string;
  name: string;
  place?: string;
  isPartOf: { id: string; type: string[]; name?: string; identifier?: string }[];
}

interface Quotation {
  text: string;
  isPartOf: Chunk[];
}

export interface Sentence {
  text: string;
  citation: Quotation[];
}

export interface Answered {
  isInGraph: boolean;
  answerMethod: string;
  comment?: string;
}

type Cell = string | number | boolean | null | { id: string };

export interface Queried {
  way: string;
  sure: boolean;
  confidence: number;
  language: string | null;
  query: string | null;
  columns: string[];
  rows: Cell[][];
  complete: boolean;
  sources: { identifier?: string; document?: string; chunks?: string[] }[];
  bindings: { words: string; kind: string; name: string }[];
  unused: string[];
  attempts: { query: string; error: string }[];
  fallback?: { chunk: string; name: string; text: string; title: string }[];
}

export interface Step {
  kind: string;
  thought?: string;
  queryType?: string;
  targetTypes?: string[];
  keyEntities?: string[];
  nodes?: { id: string; kind: string; label: string; score: number }[];
  tables?: string[];
  sql?: string;
  error?: string;
  result?: { columns: { name: string }[]; rows: unknown[][] };
}

export interface Reasoned {
  answer: string;
  byModel: boolean;
  citations: string[];
  calls: number;
  tokens: number;
}

export interface Approval {
  approval: string;
  created: string;
  tool: string;
  arguments: unknown;
  result?: unknown;
  role: string;
  state: string;
  reason?: string;
}

/** Where a passage is read; a browser that knows text fragments goes to the quoted words and marks them. */
export function placeOf(chunk: string, quote: string, data: Naming): string {
  const words = quote.trim().split(/\s+/);
  const part = (some: string[]) => encodeURIComponent(some.join(" ")).replaceAll("-", "%2D");
  const range = words.length <= 8 ? part(words) : `${part(words.slice(0, 4))},${part(words.slice(-4))}`;
  return `${hrefOf(chunk, data)}#:~:text=${range}`;
}

