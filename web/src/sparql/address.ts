/** The query in the address of the page, after its `#`, which is not sent to any server. */

import type { PageData, View } from "./terms";

export const VIEWS: readonly View[] = ["table", "graph", "chart", "map", "text"];

export interface Shared {
  query: string;
  timeout: string;
  view: View;
}

/** The query of the address, or else the first example. */
export function fromAddress(data: PageData): Shared {
  const said = new URLSearchParams(location.hash.slice(1));
  const first = data.examples[0];
  const view = VIEWS.find((each) => each === said.get("view"));
  const query = said.get("query");
  return {
    query: query ?? first?.query ?? "",
    timeout: said.get("timeout") ?? "",
    view: view ?? "table",
  };
}

export function writeAddress({ query, timeout, view }: Shared): void {
  history.replaceState(null, "", `#${new URLSearchParams({ query, ...(timeout ? { timeout } : {}), view })}`);
}
