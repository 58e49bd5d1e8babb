/** The colours of kinds: of Okabe and Ito, which people with any colour vision tell apart, and tints of them. */

const NODES: Record<string, string> = {
  document: "#0072b2",
  section: "#7a8fa6",
  chunk: "#56a0d3",
  entity: "#d55e00",
  concept: "#b8860b",
  resource: "#8a5fb0",
  community: "#009e73",
};
const EDGES: Record<string, string> = {
  part: "#8d99a6",
  next: "#6f7f8f",
  mention: "#e08a4b",
  link: "#2f86c1",
  similarity: "#3aa783",
  analogy: "#c39a2b",
  about: "#b08fd0",
  relation: "#c0508a",
  statement: "#8a5fb0",
  between: "#5fb89b",
  inside: "#b9c2ca",
};

export const nodeColour = (kind: string): string => NODES[kind] ?? "#888888";
export const edgeColour = (kind: string): string => EDGES[kind] ?? "#999999";
export const ACCENT = "#c2185b";
export const FAINT = { light: "#dfe3e7", dark: "#34383e" };

export function isDark(): boolean {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** The value of a variable of the style sheet. */
export function ink(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
