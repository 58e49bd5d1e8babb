/** The picture as a file: SVG, made of elements and texts, and PNG, drawn from that. */

import { edgeColour, ink, nodeColour } from "./colours";
import { short } from "./flat";
import type { Model } from "./model";

const SPACE = "http://www.w3.org/2000/svg";
const WIDTH = 1600;
const MARGIN = 60;
const LABELS = 400; // nodes up to which all have a label

/** What is shown, as an SVG document. */
export function svg(model: Model): string {
  const ids = model.nodes();
  const at = ids.map((id) => model.graph.getNodeAttributes(id));
  const [left, right] = [Math.min(...at.map(({ x }) => x)), Math.max(...at.map(({ x }) => x))];
  const [low, high] = [Math.min(...at.map(({ y }) => y)), Math.max(...at.map(({ y }) => y))];
  const scale = (WIDTH - 2 * MARGIN) / Math.max(right - left, (high - low) * 0.8, 1);
  const height = Math.round((high - low) * scale + 2 * MARGIN) || 2 * MARGIN;
  const x = (value: number) => (MARGIN + (value - left) * scale).toFixed(1);
  const y = (value: number) => (height - MARGIN - (value - low) * scale).toFixed(1);
  const root = element("svg", { xmlns: SPACE, width: WIDTH, height, viewBox: `0 0 ${WIDTH} ${height}` });
  root.append(element("rect", { width: WIDTH, height, fill: ink("--paper") || "#ffffff" }));
  for (const key of model.edges()) {
    const [from, to] = model.graph.extremities(key).map((id) => model.graph.getNodeAttributes(id));
    if (!from || !to) continue;
    const { kind, weight } = model.graph.getEdgeAttributes(key);
    const ends = { x1: x(from.x), y1: y(from.y), x2: x(to.x), y2: y(to.y) };
    root.append(element("line", { ...ends, stroke: edgeColour(kind), "stroke-width": (0.6 + 1.6 * weight).toFixed(1) }));
  }
  for (const each of at) {
    const circle = element("circle", { cx: x(each.x), cy: y(each.y), r: each.size, fill: nodeColour(each.kind) });
    const title = element("title", {});
    title.textContent = clean(`${each.label} (${each.kind})`);
    circle.append(title);
    root.append(circle);
  }
  for (const each of at) {
    if (at.length > LABELS && each.kind !== "community" && each.kind !== "document") continue;
    const place = { x: (Number(x(each.x)) + each.size + 3).toFixed(1), y: (Number(y(each.y)) + 4).toFixed(1) };
    const text = element("text", { ...place, "font-family": "sans-serif", "font-size": 12, fill: ink("--ink") });
    text.textContent = clean(short(each.label));
    root.append(text);
  }
  return new XMLSerializer().serializeToString(root);
}

/** The SVG document as pixels. */
export async function png(text: string): Promise<Blob | null> {
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) if (key !== "xmlns") made.setAttribute(key, String(value));
  return made;
}

/** A text without what XML 1.0 cannot hold. */
function clean(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd");
}
