/** The layout of the picture: ForceAtlas2 in a worker of this host, which the content security policy allows. */

import { address } from "../shared/page";
import type { Model } from "./model";

export interface LayoutJob {
  version: number;
  nodes: Float32Array;
  edges: Float32Array;
  settings: Record<string, unknown>;
  /** Most iterations. */
  most: number;
}

export interface LayoutStep {
  version: number;
  positions: Float32Array;
  settled: boolean;
}

const PER_NODE = 10;
const PER_EDGE = 3;
const LARGE = 500; // nodes from which forces are approximated

export class Layout {
  private readonly worker = new Worker(address("/static/app/graph-layout.js"), { type: "module" });
  private order: string[] = [];
  private version = 0;
  private frame = 0;
  running = false;
  paused = false;

  /** `moved` is called when nodes have moved, `report` when the layout begins or ends. */
  constructor(
    private readonly model: Model,
    private readonly report: () => void,
    private readonly moved: () => void,
  ) {
    this.worker.addEventListener("message", (event: MessageEvent<LayoutStep>) => {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.take(event.data));
    });
  }

  /** Starts again with the nodes and edges that are shown now. */
  start(): void {
    this.version += 1;
    this.order = this.model.nodes();
    this.running = !this.paused && this.order.length > 1;
    this.worker.postMessage(this.running ? this.job() : null);
    this.report();
  }

  pause(): void {
    this.paused = true;
    this.start();
  }

  resume(): void {
    this.paused = false;
    this.start();
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    this.worker.terminate();
  }

  private job(): LayoutJob {
    const { graph } = this.model;
    const place = new Map(this.order.map((id, number) => [id, number * PER_NODE]));
    const nodes = new Float32Array(this.order.length * PER_NODE);
    for (const [id, at] of place) {
      const { x, y, size } = graph.getNodeAttributes(id);
      nodes[at] = x;
      nodes[at + 1] = y;
      nodes[at + 6] = 1; // mass
      nodes[at + 7] = 1; // convergence
      nodes[at + 8] = size;
    }
    const shown = this.model.edges();
    const edges = new Float32Array(shown.length * PER_EDGE);
    shown.forEach((key, number) => {
      const [source, target] = [place.get(graph.source(key)) ?? 0, place.get(graph.target(key)) ?? 0];
      edges.set([source, target, 0.2 + graph.getEdgeAttribute(key, "weight")], number * PER_EDGE);
      nodes[source + 6] = (nodes[source + 6] ?? 1) + 1;
      nodes[target + 6] = (nodes[target + 6] ?? 1) + 1;
    });
    const settings = {
      linLogMode: false,
      outboundAttractionDistribution: false,
      adjustSizes: false,
      edgeWeightInfluence: 1,
      scalingRatio: 10,
      strongGravityMode: false,
      gravity: 3,
      slowDown: 1 + Math.log(this.order.length + 1),
      barnesHutOptimize: this.order.length > LARGE,
      barnesHutTheta: 0.7,
    };
    return { version: this.version, nodes, edges, settings, most: 400 };
  }

  /** Moves the nodes, at most once a frame: the worker is one step ahead. */
  private take(step: LayoutStep): void {
    if (step.version !== this.version || this.paused) return;
    if (!step.settled) this.worker.postMessage("next"); // while this one is drawn
    const { graph } = this.model;
    this.order.forEach((id, number) => {
      if (!graph.hasNode(id)) return;
      const attributes = graph.getNodeAttributes(id); // events for each of them would cost more than the picture
      attributes.x = step.positions[number * 2] ?? 0;
      attributes.y = step.positions[number * 2 + 1] ?? 0;
    });
    this.moved();
    this.running = !step.settled;
    if (step.settled) this.report();
  }
}
