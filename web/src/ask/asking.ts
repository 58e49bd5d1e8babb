/** What the API says to a question, as far as the page shows it. */

import type { CitedAnswer } from "../api";
import type { Naming } from "../shared/links";
import { hrefOf } from "../sparql/terms";

export interface AskData extends Naming {
  longest: number;
  longestReason: number;
  /** Whether the service has a language model. */
  model: boolean;
}

export type Answered = Pick<CitedAnswer, "isInGraph" | "answerMethod" | "comment">;

export type { Approval, Chunk, GraphAnswer as Queried, ReasonedAnswer as Reasoned, ReasoningStep as Step, Sentence } from "../api";

/** Where a passage is read; a browser that knows text fragments goes to the quoted words and marks them. */
export function placeOf(chunk: string, quote: string, data: Naming): string {
  const words = quote.trim().split(/\s+/);
  const part = (some: string[]) => encodeURIComponent(some.join(" ")).replaceAll("-", "%2D");
  const range = words.length <= 8 ? part(words) : `${part(words.slice(0, 4))},${part(words.slice(-4))}`;
  return `${hrefOf(chunk, data)}#:~:text=${range}`;
}

