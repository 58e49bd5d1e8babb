/** The limits of what the page of the graph may ask for, as the service says them. */

import { pageData } from "../shared/page";

interface Limits {
  nodes: number;
  hops: number;
  longest: number;
  nodeKinds: string[];
  edgeKinds: string[];
}

export const limits = pageData<Limits>();
