/** The kinds of nodes and edges, each with its colour and its count, to show or hide. */

import { useMemo } from "preact/hooks";
import { edgeColour, nodeColour } from "./colours";
import { limits } from "./limits";
import type { Model } from "./model";
import { Dot } from "./tips";

export function Legend({ model }: { model: Model }) {
  const all = useMemo(() => ({ node: model.counts("node"), edge: model.counts("edge") }), [model.changes]);
  const entries = (what: "node" | "edge", order: string[]) => {
    const counts = all[what];
    const kinds = [...order, ...[...counts.keys()].filter((kind) => !order.includes(kind)).sort()];
    return kinds.filter((kind) => counts.has(kind)).map((kind) => (
      <li key={kind}>
        <label>
          <input type="checkbox" checked={!model.hidden.has(`${what} ${kind}`)} onChange={() => model.toggle(`${what} ${kind}`)} />
          <Dot colour={what === "node" ? nodeColour(kind) : edgeColour(kind)} line={what === "edge"} /> {kind}{" "}
          <span class="quiet">{(counts.get(kind) ?? 0).toLocaleString()}</span>
        </label>
      </li>
    ));
  };
  return (
    <section class="graph-legend" aria-labelledby="legend-title">
      <h2 id="legend-title">Legend</h2>
      <fieldset><legend>Nodes</legend><ul>{entries("node", limits.nodeKinds)}</ul></fieldset>
      <fieldset><legend>Edges</legend><ul>{entries("edge", limits.edgeKinds)}</ul></fieldset>
    </section>
  );
}
