/** A text as one line of at most some characters; what was longer ends with "…". */
export function cut(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
