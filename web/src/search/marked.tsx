/** A text in which the words that match are marked. Offsets are counted in code points. */

import type { ComponentChildren } from "preact";
import type { Span } from "./types";

export function Marked({ text, spans, most }: { text: string; spans: readonly Span[] | undefined; most?: number }) {
  const points = Array.from(text);
  const end = most === undefined ? points.length : Math.min(most, points.length);
  const parts: ComponentChildren[] = [];
  let place = 0;
  for (const span of spans ?? []) {
    if (span.begin < place || span.end > end) continue;
    parts.push(points.slice(place, span.begin).join(""), <mark>{points.slice(span.begin, span.end).join("")}</mark>);
    place = span.end;
  }
  parts.push(points.slice(place, end).join(""));
  return (
    <>
      {parts}
      {end < points.length ? "…" : ""}
    </>
  );
}
