/** What the service answers about the graph, and requests for it. */

import type * as api from "../api";
import { type Answer, listed } from "../search/types";
import { getJson, send } from "../shared/http";
import { address } from "../shared/page";

export interface NodeData extends Pick<api.GraphNode, "id" | "label"> {
  kind: string;
  /** Nodes in it, of a community. */
  size?: number;
  /** More to say about it: how many of each kind a community has, which place a result has. */
  note?: string;
}

export interface EdgeData extends Pick<api.GraphEdge, "source" | "target" | "weight" | "property" | "edge"> {
  kind: string;
  /** What is known of the evidence already. */
  note?: string;
}

/** Some nodes and edges that were asked for together. */
export interface Part {
  revision: number;
  complete: boolean;
  nodes: NodeData[];
  edges: EdgeData[];
  /** The node in the middle, where there is one. */
  start?: string;
}

export const COMMUNITY = "community:";
export const ROOT = "root";

/** The nodes and edges around a resource. */
export async function neighbourhood(iri: string, nodes: number, signal: AbortSignal, hops = 1): Promise<Part> {
  return getJson<Part>(address("/v1/graph", { iri, nodes, hops, fan_out: Math.min(nodes, 25) }), { signal });
}

/** The communities in a community, or its nodes; the one that is opened stands in the middle. */
export async function community(id: string, signal: AbortSignal): Promise<Part> {
  const path = id === ROOT ? "/v1/graph/overview" : `/v1/graph/communities/${encodeURIComponent(id)}`;
  const said = await getJson<api.Community>(address(path), { signal });
  const nodes: NodeData[] = said.communities.map((each) => ({
    id: COMMUNITY + each.id,
    kind: "community",
    label: each.label,
    size: each.size,
    note: `${each.documents.toLocaleString()} documents, ${each.chunks.toLocaleString()} chunks, ${each.entities.toLocaleString()} entities`,
  }));
  const most = Math.max(1, ...said.links.map((each) => each.count));
  const edges: EdgeData[] = said.links.map((each) => ({
    source: COMMUNITY + each.source,
    target: COMMUNITY + each.target,
    kind: "between",
    weight: each.count / most,
    note: `${each.count.toLocaleString()} edges`,
  }));
  nodes.push(...said.nodes);
  edges.push(...said.edges);
  if (id === ROOT) return { ...said, nodes, edges };
  const start = COMMUNITY + id;
  edges.push(...nodes.map((each) => ({ source: start, target: each.id, kind: "inside", weight: 0.2 })));
  return { revision: said.revision, complete: said.complete, nodes, edges, start };
}

/** The results of a question and the paths that led to them, over the entities that two chunks share. */
export async function answer(q: string, signal: AbortSignal): Promise<Part> {
  const said = await getJson<Answer>(address("/v1/retrieve", { q, labels: true }), { signal });
  const nodes = new Map<string, NodeData>();
  const edges: EdgeData[] = [];
  for (const each of said.results) {
    const note = `result ${each.rank}, ${each.role}, score ${each.score.toFixed(3)}`;
    nodes.set(each.chunk, { id: each.chunk, kind: "chunk", label: each.name, note });
  }
  for (const { path, labels = {} } of said.results) {
    for (const step of path) {
      const note = step.kind + (step.row === undefined ? "" : `, row ${step.row + 1}`);
      const evidence = listed(step.edge);
      const kinds = kindsOf(step.channel);
      const stops = [step.seed, ...listed(step.entity), step.chunk];
      for (const [place, iri] of stops.entries()) {
        const isShared = place > 0 && place < stops.length - 1;
        if (!nodes.has(iri)) nodes.set(iri, { id: iri, kind: isShared ? kinds.shared : "chunk", label: labels[iri] ?? iri });
        const before = stops[place - 1];
        if (before === undefined) continue;
        const edge: EdgeData = { source: before, target: iri, kind: kinds.edge, weight: step.weight, note };
        const iriOfEdge = evidence[place - 1];
        if (iriOfEdge !== undefined) edge.edge = iriOfEdge;
        edges.push(edge);
      }
    }
  }
  return { revision: said.revision, complete: true, nodes: [...nodes.values()], edges };
}

/** The kinds of the edges that a channel follows, and of what stands between two chunks there. */
function kindsOf(channel: string): { edge: string; shared: string } {
  const kinds: Record<string, { edge: string; shared: string }> = {
    entity: { edge: "mention", shared: "entity" },
    concept: { edge: "about", shared: "concept" },
    structure: { edge: "next", shared: "section" },
  };
  return kinds[channel] ?? { edge: channel, shared: "resource" };
}

const texts = new Map<string, Promise<string>>();
const KEPT = 500;

/** What there is to read about a node; "" where there is nothing. */
export function textOf(iri: string, kind: string): Promise<string> {
  return kept(iri, async () => {
    if (kind !== "chunk") return "";
    const id = iri.slice(iri.lastIndexOf("/") + 1);
    return (await getJson<{ text: string }>(address(`/v1/chunks/${encodeURIComponent(id)}`))).text;
  });
}

/** The evidence of an edge, in words: what is written where, and how alike its ends are. */
export function evidenceOf(edge: EdgeData): Promise<string> {
  const iri = edge.edge;
  if (iri === undefined) return Promise.resolve(edge.note ?? "");
  return kept(`edge ${iri}`, async () => {
    const response = await send(address("/describe", { iri, format: "jsonld" }), { accept: "application/ld+json" });
    const found = (await response.json()) as { "@graph"?: Record<string, unknown>[] };
    const about = found["@graph"]?.find((each) => each["id"] === iri) ?? {};
    const said = edge.note ? [edge.note] : [];
    for (const [name, words] of WORDS) {
      const value = about[name];
      if (typeof value === "string" || typeof value === "number") {
        const shown = name === "row" ? Number(value) + 1 : typeof value === "number" ? round(value) : `“${value}”`;
        said.push(`${words} ${shown}`);
      }
    }
    const quote = await excerpt(about);
    return [said.join(", "), quote].filter(Boolean).join(": ");
  });
}

const WORDS: readonly [string, string][] = [
  ["anchorText", "written"],
  ["surfaceForm", "written"],
  ["columnName", "column"],
  ["row", "row"],
  ["linkKind", "found by"],
  ["count", "times"],
  ["contentSimilarity", "contents alike"],
  ["topicSimilarity", "topics alike"],
  ["titleSimilarity", "titles alike"],
  ["columnSimilarity", "columns alike"],
  ["descriptionSimilarity", "descriptions alike"],
  ["entitySimilarity", "entities alike"],
  ["comment", "note"],
];

const AROUND = 60; // characters of a text on each side of a mention or link

/** The text around the place at which an edge is written. */
async function excerpt(about: Record<string, unknown>): Promise<string> {
  const { source, beginIndex, endIndex } = about;
  if (typeof source !== "string" || typeof beginIndex !== "number" || typeof endIndex !== "number") return "";
  if (!source.includes("/chunk/")) return "";
  const id = source.slice(source.lastIndexOf("/") + 1);
  const chunk = await getJson<{ text: string; begin: number }>(address(`/v1/chunks/${encodeURIComponent(id)}`));
  const letters = [...chunk.text]; // offsets count code points
  const [from, to] = [beginIndex - chunk.begin, endIndex - chunk.begin];
  if (from < 0 || to > letters.length) return "";
  return `…${letters.slice(Math.max(0, from - AROUND), to + AROUND).join("").trim()}…`;
}

function kept(key: string, make: () => Promise<string>): Promise<string> {
  let found = texts.get(key);
  if (found === undefined) {
    if (texts.size >= KEPT) texts.clear();
    found = make().catch((error: unknown) => {
      texts.delete(key);
      return error instanceof Error ? error.message : String(error);
    });
    texts.set(key, found);
  }
  return found;
}

function round(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
