/** The parts of a score as bars with their numbers. */

import { useEffect, useRef } from "preact/hooks";

const NAMES: Record<string, [string, string]> = {
  bm25: ["words", "BM25 of the chunk's own text"],
  dense: ["meaning", "Cosine of question and chunk"],
  hybrid: ["words + meaning", "Both, fused: the flat ranking"],
  coverage: ["question covered", "Share of the question's terms, by rarity, that the chunk contains"],
  likeness: ["like the first", "How near it is to the first chunks of the flat ranking"],
  pair_coverage: ["covered with edge", "The same for the chunk and the edge that leads to it, read as one text"],
  pair_dense: ["meaning with edge", "Cosine of the question with both chunks of the best edge"],
  graph: ["edge evidence", "The evidence of the best edge in one number"],
};

/** `most` has the largest value of each part in the answer. */
export function Parts({ parts, most }: { parts: Record<string, number>; most: Record<string, number> }) {
  return (
    <dl class="parts">
      {Object.entries(parts).map(([name, value]) => {
        const [label, meaning] = NAMES[name] ?? [name.replaceAll("_", " "), ""];
        return (
          <div key={name} title={meaning ? `${meaning} (${name})` : name}>
            <dt>{label}</dt>
            <dd>
              <Bar share={value / Math.max(1, most[name] ?? 1)} />
              <span class="number">{value.toFixed(value >= 10 ? 1 : 2)}</span>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function Bar({ share }: { share: number }) {
  const bar = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    bar.current?.style.setProperty("width", `${Math.round(100 * Math.min(1, Math.max(0, share)))}%`);
  }, [share]);
  return (
    <span class="track" aria-hidden="true">
      <span class="bar" ref={bar} />
    </span>
  );
}

/** The largest value of each part over some results. */
export function largest(results: readonly { parts: Record<string, number> }[]): Record<string, number> {
  const most: Record<string, number> = {};
  for (const { parts } of results) {
    for (const [name, value] of Object.entries(parts)) most[name] = Math.max(value, most[name] ?? 0);
  }
  return most;
}
