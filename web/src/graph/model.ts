/** The part of the graph that is shown: nodes and edges by what brought them in, kinds that are hidden, paths. */

import Graph from "graphology";
import type { EdgeData, NodeData, Part } from "./data";

export interface NodeView extends NodeData {
  x: number;
  y: number;
  size: number;
  kind: string;
  /** How many nodes a community has. */
  members: number;
  /** Whether it came in with the last revision. */
  fresh: boolean;
}

export interface Hop {
  node: string;
  edge: string | null;
}

const GOLDEN = Math.PI * (3 - Math.sqrt(5));

export class Model {
  readonly graph = new Graph<NodeView, EdgeData>({ multi: true, type: "directed" });
  /** What was opened, in order: a node (or "" for the beginning) -> the nodes and edges that came with it. */
  readonly opened = new Map<string, { nodes: Set<string>; edges: Set<string> }>();
  readonly hidden = new Set<string>();
  private readonly listeners = new Set<() => void>();
  /** Counts the changes to nodes and edges. */
  changes = 0;

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  changed(): void {
    this.changes += 1;
    for (const each of this.listeners) each();
  }

  clear(): void {
    this.graph.clear();
    this.opened.clear();
    this.changed();
  }

  /** Takes in what was asked for at a node, in place of what came with it before. Gives how much is new and gone. */
  open(at: string, part: Part, mark = false): { added: number; gone: number } {
    const before = this.opened.get(at);
    const now = { nodes: new Set(part.nodes.map((each) => each.id)), edges: new Set<string>() };
    if (part.start !== undefined && at !== "") now.nodes.add(part.start);
    const added = part.nodes.filter((each) => !this.graph.hasNode(each.id));
    const centre = this.graph.hasNode(at) ? this.graph.getNodeAttributes(at) : null;
    const spread = centre === null ? 30 * Math.sqrt(added.length + 1) : 6 * Math.sqrt(added.length + 1) + centre.size;
    for (const [place, each] of added.entries()) {
      const far = spread * Math.sqrt((place + 1) / added.length);
      const x = (centre?.x ?? 0) + far * Math.cos(place * GOLDEN);
      const y = (centre?.y ?? 0) + far * Math.sin(place * GOLDEN);
      this.graph.addNode(each.id, { ...each, x, y, size: sizeOf(each), members: each.size ?? 0, fresh: mark });
    }
    for (const each of part.nodes) {
      this.graph.mergeNodeAttributes(each.id, { label: each.label, ...(each.note ? { note: each.note } : {}) });
    }
    for (const each of [...part.edges].sort((a, b) => a.weight - b.weight)) { // the strongest stay while a picture moves
      const key = edgeKey(each);
      now.edges.add(key);
      if (this.graph.hasNode(each.source) && this.graph.hasNode(each.target)) {
        if (this.graph.hasEdge(key)) this.graph.mergeEdgeAttributes(key, each);
        else this.graph.addEdgeWithKey(key, each.source, each.target, each);
      }
    }
    this.opened.set(at, now);
    const gone = before === undefined ? 0 : this.drop(before);
    this.changed();
    return { added: added.length, gone };
  }

  /** Takes out what came in with a node alone. */
  collapse(at: string): void {
    const before = this.opened.get(at);
    if (before === undefined) return;
    this.opened.delete(at);
    this.drop(before);
    for (const each of [...this.opened.keys()]) {
      if (each !== "" && !this.graph.hasNode(each)) this.collapse(each);
    }
    this.changed();
  }

  private drop(before: { nodes: Set<string>; edges: Set<string> }): number {
    const rest = [...this.opened.values()];
    const edges = new Set(rest.flatMap((each) => [...each.edges]));
    const nodes = new Set([...rest.flatMap((each) => [...each.nodes]), ...this.opened.keys()]);
    for (const each of before.edges) if (!edges.has(each) && this.graph.hasEdge(each)) this.graph.dropEdge(each);
    let gone = 0;
    for (const each of before.nodes) {
      if (!nodes.has(each) && this.graph.hasNode(each)) {
        this.graph.dropNode(each);
        gone += 1;
      }
    }
    return gone;
  }

  toggle(kind: string): void {
    if (!this.hidden.delete(kind)) this.hidden.add(kind);
    this.changed();
  }

  showsNode(id: string): boolean {
    return !this.hidden.has(`node ${this.graph.getNodeAttribute(id, "kind")}`);
  }

  showsEdge(key: string): boolean {
    if (this.hidden.has(`edge ${this.graph.getEdgeAttribute(key, "kind")}`)) return false;
    return this.showsNode(this.graph.source(key)) && this.showsNode(this.graph.target(key));
  }

  nodes(): string[] {
    return this.graph.filterNodes((id) => this.showsNode(id));
  }

  edges(): string[] {
    return this.graph.filterEdges((key) => this.showsEdge(key));
  }

  /** How many nodes or edges there are of each kind. */
  counts(what: "node" | "edge"): Map<string, number> {
    const found = new Map<string, number>();
    const count = (kind: string) => found.set(kind, (found.get(kind) ?? 0) + 1);
    if (what === "node") this.graph.forEachNode((_, each) => count(each.kind));
    else this.graph.forEachEdge((_, each) => count(each.kind));
    return found;
  }

  /** The nodes whose label has some text in it. */
  find(text: string): string[] {
    const wanted = text.trim().toLocaleLowerCase();
    if (wanted === "") return [];
    return this.nodes().filter((id) => this.graph.getNodeAttribute(id, "label").toLocaleLowerCase().includes(wanted));
  }

  /** The shortest path between two nodes over what is shown, whatever the direction of its edges; null if none. */
  path(from: string, to: string): Hop[] | null {
    const reached = new Map<string, Hop | null>([[from, null]]);
    let front = [from];
    while (front.length > 0 && !reached.has(to)) {
      const next: string[] = [];
      for (const here of front) {
        this.graph.forEachEdge(here, (key, _, source, target) => {
          const other = source === here ? target : source;
          if (reached.has(other) || !this.showsEdge(key)) return;
          reached.set(other, { node: here, edge: key });
          next.push(other);
        });
      }
      front = next;
    }
    if (!reached.has(to)) return null;
    const hops: Hop[] = [{ node: to, edge: null }];
    for (let step = reached.get(to) ?? null; step !== null; step = reached.get(step.node) ?? null) hops.unshift(step);
    return hops;
  }
}

function edgeKey(edge: EdgeData): string {
  return [edge.source, edge.target, edge.kind, edge.property ?? ""].join(" ");
}

function sizeOf(node: NodeData): number {
  if (node.size !== undefined) return Math.min(6 + 1.2 * Math.cbrt(node.size), 30);
  return { document: 7, concept: 7, section: 5, chunk: 5, entity: 4 }[node.kind] ?? 5;
}
