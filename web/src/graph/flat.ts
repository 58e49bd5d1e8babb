/** The picture in two dimensions, drawn by Sigma.js with WebGL. */

import type Sigma from "sigma";
import type { RenderParams } from "sigma/types";
import { drawDiscNodeLabel, EdgeLineProgram, EdgeRectangleProgram, NodePointProgram, type ProgramInfo } from "sigma/rendering";
import { cut } from "../shared/text";
import { ACCENT, edgeColour, ink, nodeColour } from "./colours";
import type { EdgeData } from "./data";
import type { Model, NodeView } from "./model";
import { Movement } from "./movement";
import { OneCanvas } from "./one_canvas";

export interface Marks {
  selected: string | null;
  /** Nodes that stand out; the others fade. Empty: none do. */
  found: ReadonlySet<string>;
  path: ReadonlySet<string>;
  pathEdges: ReadonlySet<string>;
}

export interface Pointed {
  node?: string;
  edge?: string;
  x: number;
  y: number;
}

export interface Scene {
  /** What is shown, or what is marked in it, may have changed. */
  refresh(): void;
  /** The layout has moved the nodes. */
  moved(): void;
  fit(): void;
  zoom(factor: number): void;
  centre(id: string): void;
  close(): void;
  /** The picture as it is seen, where the scene has to draw it itself. */
  image?(): Promise<Blob | null>;
}

const THIN = 400; // edges from which they are lines of one pixel, which cost least
const MANY = 500; // nodes from which they have no labels while the picture moves
const FEW = 40; // nodes up to which all have their labels
const NEAR = 0.16; // the share of the picture's height that a community has to have to be opened

export function flatScene(
  place: HTMLElement,
  model: Model,
  marks: () => Marks,
  on: { click(id: string): void; point(at: Pointed | null): void; approach(id: string): void; empty(): void },
): Scene {
  const movement: Movement = new Movement(() => model.graph.size, () => sigma.scheduleRender());
  const programs = programsOf(movement);
  const sigma: OneCanvas<NodeView, EdgeData> = new OneCanvas<NodeView, EdgeData>(model.graph, place, {
    allowInvalidContainer: true,
    defaultEdgeType: "line",
    edgeProgramClasses: { line: programs.Lines, bar: programs.Bars },
    defaultNodeType: "point",
    nodeProgramClasses: { point: programs.Points },
    nodeHoverProgramClasses: { point: NodePointProgram },
    enableEdgeEvents: true,
    labelColor: { color: ink("--ink") },
    labelFont: "system-ui, sans-serif",
    labelSize: 12,
    labelDensity: 0.6,
    labelRenderedSizeThreshold: 5,
    defaultDrawNodeLabel(...drawn) {
      if (!movement.moves || model.graph.order <= MANY) drawDiscNodeLabel(...drawn);
    },
    defaultDrawNodeHover: () => undefined, // the tooltip says it
    zIndex: true,
    nodeReducer(id, data) {
      const { selected, found, path } = marks();
      const isMarked = id === selected || found.has(id) || path.has(id);
      const faded = (found.size > 0 || path.size > 0) && !isMarked;
      const colour = isMarked || data.fresh ? ACCENT : nodeColour(data.kind);
      return {
        x: data.x,
        y: data.y,
        size: data.size * (isMarked ? 1.4 : 1),
        label: faded ? null : short(data.label),
        color: faded ? faint() : colour,
        hidden: !model.showsNode(id),
        forceLabel: isMarked || data.fresh || data.kind === "community" || model.graph.order <= FEW,
        zIndex: isMarked ? 2 : 1,
      };
    },
    edgeReducer(key, data) {
      const { found, path, pathEdges } = marks();
      const isMarked = pathEdges.has(key);
      const faded = (found.size > 0 || path.size > 0) && !isMarked;
      return {
        type: model.graph.size > THIN ? "line" : "bar",
        color: isMarked ? ACCENT : faded ? faint() : edgeColour(data.kind),
        size: isMarked ? 4 : 0.6 + 1.6 * data.weight,
        hidden: !model.showsEdge(key),
        zIndex: isMarked ? 2 : 1,
      };
    },
  });
  sigma.findWhile(() => movement.share === 1); // else nothing is drawn to be found
  let begun = 0;
  const labels = place.querySelector<HTMLElement>(".sigma-labels");
  sigma.on("beforeRender", () => {
    begun = performance.now();
    if (labels) labels.style.display = movement.moves && model.graph.order > MANY ? "none" : ""; // a layer is a third of a frame
  });
  sigma.on("afterRender", () => {
    programs.drawNodes();
    movement.drawn(begun);
  });
  sigma.on("clickNode", ({ node }) => on.click(node));
  sigma.on("clickStage", () => on.empty());
  sigma.on("enterNode", ({ node, event }) => on.point({ node, x: event.x, y: event.y }));
  sigma.on("leaveNode", () => on.point(null));
  sigma.on("enterEdge", ({ edge, event }) => on.point({ edge, x: event.x, y: event.y }));
  sigma.on("leaveEdge", () => on.point(null));
  sigma.on("doubleClickNode", (payload) => payload.preventSigmaDefault());
  let asked = 0;
  sigma.getCamera().on("updated", () => {
    movement.moved();
    clearTimeout(asked);
    asked = setTimeout(() => {
      const id = approached(sigma, model);
      if (id !== null) on.approach(id);
    }, 300) as unknown as number;
  });
  const leave = () => on.point(null);
  place.addEventListener("mouseleave", leave);
  const observer = new ResizeObserver(() => sigma.refresh());
  observer.observe(place);
  let shown = "";
  return {
    refresh() {
      const { selected, found, path, pathEdges } = marks();
      const now = JSON.stringify([model.changes, selected, [...found], [...path], [...pathEdges], ink("--ink")]);
      if (now !== shown) sigma.refresh({ schedule: true });
      shown = now;
    },
    moved() {
      movement.moved();
      sigma.refresh({ partialGraph: {}, schedule: true });
    },
    fit: () => void sigma.getCamera().animatedReset({ duration: 300 }),
    zoom: (factor) => void sigma.getCamera().animatedZoom({ factor, duration: 200 }),
    centre(id) {
      const at = sigma.getNodeDisplayData(id);
      if (at) void sigma.getCamera().animate({ x: at.x, y: at.y, ratio: 0.4 }, { duration: 400 });
    },
    close() {
      clearTimeout(asked);
      movement.close();
      observer.disconnect();
      place.removeEventListener("mouseleave", leave);
      sigma.kill();
    },
  };
}

/**
 * What draws nodes and edges. While the picture moves, the pointer finds no edges, and not every line is drawn;
 * where that is needed, it finds no nodes either.
 */
function programsOf(movement: Movement) {
  let nodes: () => void = () => undefined;
  class Points extends NodePointProgram<NodeView, EdgeData> {
    override render(params: RenderParams): void {
      nodes = () => withoutPicking(this, movement.share < 1, () => super.render(params)); // over the edges
    }
  }
  class Bars extends EdgeRectangleProgram<NodeView, EdgeData> {
    override render(params: RenderParams): void {
      withoutPicking(this, movement.moves, () => super.render(params));
    }
  }
  class Lines extends EdgeLineProgram<NodeView, EdgeData> {
    override render(params: RenderParams): void {
      withoutPicking(this, movement.moves, () => super.render(params));
    }
    override drawWebGL(method: number, { gl, frameBuffer }: ProgramInfo): void {
      gl.bindFramebuffer(gl.FRAMEBUFFER, frameBuffer);
      const count = 2 * Math.ceil(this.capacity * movement.share);
      gl.drawArrays(method, this.verticesCount - count, count);
    }
  }
  const drawNodes = () => {
    nodes();
    nodes = () => undefined;
  };
  return { Points, Bars, Lines, drawNodes };
}

function withoutPicking(program: { pickProgram: ProgramInfo | null }, leaveOut: boolean, render: () => void): void {
  const picking = program.pickProgram;
  if (leaveOut) program.pickProgram = null;
  render();
  program.pickProgram = picking;
}

/** The community in the middle of the picture, if a person has come near enough to see it open. */
function approached(sigma: Sigma<NodeView, EdgeData>, model: Model): string | null {
  if (sigma.getCamera().ratio >= 0.5) return null;
  const { width, height } = sigma.getDimensions();
  let best: string | null = null;
  let nearest = height * NEAR;
  model.graph.forEachNode((id, { kind, x, y }) => {
    if (kind !== "community" || model.opened.has(id)) return;
    const at = sigma.graphToViewport({ x, y });
    const far = Math.hypot(at.x - width / 2, at.y - height / 2);
    if (far < nearest) [best, nearest] = [id, far];
  });
  return best;
}

function faint(): string {
  return ink("--faint");
}

export function short(label: string): string {
  return cut(label, 48);
}
