/** The effect of choices: an answer beside the default one. */

import type { Ranked } from "./types";

export interface Effect {
  /** Chunks that the default answer does not have. */
  entered: Set<string>;
  /** Chunks of both answers, and by how many ranks each has risen; never 0. */
  moved: Map<string, number>;
  /** Chunks that only the default answer has, in its order. */
  dropped: string[];
}

export function effectOf(results: readonly Pick<Ranked, "chunk" | "rank">[], before: readonly Pick<Ranked, "chunk" | "rank">[]): Effect {
  const ranks = new Map(before.map(({ chunk, rank }) => [chunk, rank]));
  const here = new Set(results.map(({ chunk }) => chunk));
  const moved = new Map<string, number>();
  for (const { chunk, rank } of results) {
    const risen = (ranks.get(chunk) ?? rank) - rank;
    if (risen !== 0) moved.set(chunk, risen);
  }
  return {
    entered: new Set([...here].filter((chunk) => !ranks.has(chunk))),
    moved,
    dropped: before.map(({ chunk }) => chunk).filter((chunk) => !here.has(chunk)),
  };
}
