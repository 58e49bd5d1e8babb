/** Sigma.js where no graphics card draws: each canvas, and each look at what lies below the pointer, takes a good part of a frame. */

import type { Attributes } from "graphology-types";
import Sigma from "sigma";

/** Edges and nodes on one canvas. The parts of Sigma that it changes are not public; its version is fixed. */
export class OneCanvas<N extends Attributes, E extends Attributes> extends Sigma<N, E> {
  /** The context of a layer; that of the nodes is the one of the edges, so that nodes have to be drawn after them. */
  override createWebGLContext(id: string, options?: Parameters<Sigma["createWebGLContext"]>[1]): WebGLRenderingContext {
    if (id !== "nodes") return super.createWebGLContext(id, options);
    const { elements } = this as unknown as { elements: Record<"edges" | "nodes", HTMLCanvasElement> };
    elements.nodes = elements.edges;
    return super.createWebGLContext(id, { picking: options?.picking ?? false, canvas: elements.edges });
  }

  /** Has the pointer find nodes and edges only while `finds` says so: to look waits until all is drawn. */
  findWhile(finds: () => boolean): void {
    const looks = this as unknown as Record<"getNodeAtPosition" | "getEdgeAtPoint", (...at: unknown[]) => string | null>;
    for (const name of ["getNodeAtPosition", "getEdgeAtPoint"] as const) {
      const look = looks[name].bind(this);
      looks[name] = (...at) => (finds() ? look(...at) : null);
    }
  }
}
