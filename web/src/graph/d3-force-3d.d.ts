/** The part of d3-force-3d that is used here; the package has no types of its own. */
declare module "d3-force-3d" {
  interface Simulation<N> {
    force(name: string, force: unknown): this;
    stop(): this;
    tick(iterations?: number): this;
    alpha(): number;
    alphaMin(): number;
  }
  interface ManyBody {
    strength(value: number): this;
  }
  interface Links {
    distance(value: number): this;
  }
  export function forceSimulation<N>(nodes: N[], dimensions: number): Simulation<N>;
  export function forceManyBody<N>(): ManyBody & { nodes?: N[] };
  export function forceLink<N>(links: { source: N; target: N }[]): Links;
  export function forceCenter(): unknown;
}

declare module "graphology-layout-forceatlas2/iterate" {
  export default function iterate(settings: object, nodes: Float32Array, edges: Float32Array): object;
}
