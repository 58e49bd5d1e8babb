/**
 * A worker that lays out a graph by ForceAtlas2. It sends positions until they are settled or it is told to stop,
 * and makes the next step when it is told that the page takes this one.
 */

import iterate from "graphology-layout-forceatlas2/iterate";
import type { LayoutJob, LayoutStep } from "../graph/layout";

const PER_NODE = 10;
const SLICE = 6; // milliseconds from which a step is sent; more would take a frame's time where there are two cores
const SETTLED = 0.0015; // mean movement of a node in an iteration, as a share of the picture's size

let current: LayoutJob | null = null;
let timer = 0;
let done = 0;

addEventListener("message", (event: MessageEvent<LayoutJob | null | "next">) => {
  if (event.data !== "next") {
    current = event.data;
    done = 0;
  }
  clearTimeout(timer);
  if (current !== null) timer = setTimeout(slice, 0) as unknown as number;
});

function slice(): void {
  const job = current;
  if (job === null) return;
  const { nodes, edges, settings } = job;
  const end = performance.now() + SLICE;
  let moved = Infinity;
  do {
    const before = nodes.slice();
    iterate(settings, nodes, edges);
    moved = movement(before, nodes);
    done += 1;
  } while (performance.now() < end && moved > SETTLED && done < job.most);
  const settled = moved <= SETTLED || done >= job.most;
  const positions = new Float32Array((nodes.length / PER_NODE) * 2);
  for (let node = 0, place = 0; node < nodes.length; node += PER_NODE, place += 2) {
    positions[place] = nodes[node] ?? 0;
    positions[place + 1] = nodes[node + 1] ?? 0;
  }
  const step: LayoutStep = { version: job.version, positions, settled };
  postMessage(step);
  if (settled) current = null;
}

function movement(before: Float32Array, after: Float32Array): number {
  let sum = 0;
  let [least, most] = [Infinity, -Infinity];
  for (let node = 0; node < after.length; node += PER_NODE) {
    const [x, y] = [after[node] ?? 0, after[node + 1] ?? 0];
    sum += Math.abs(x - (before[node] ?? 0)) + Math.abs(y - (before[node + 1] ?? 0));
    least = Math.min(least, x, y);
    most = Math.max(most, x, y);
  }
  const size = most - least;
  return size > 0 ? sum / (after.length / PER_NODE) / size : 0;
}
