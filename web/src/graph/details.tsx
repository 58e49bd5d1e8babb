/** The chosen node with what can be done from it, and the path between two. */

import { address } from "../shared/page";
import type { Subject } from "./asking";
import { ACCENT } from "./colours";
import { textOf } from "./data";
import type { Hop, Model } from "./model";
import { Dot, EdgeTip, NodeButton, useText } from "./tips";

export interface Ends {
  from: string | null;
  to: string | null;
}

/** The page of a resource: its own address where that is on this service, a description of it elsewhere. */
function pageOf(id: string): string {
  return address("/describe", { iri: id });
}

export function Details({ id, model, open, collapse, expand, ends, setEnds, show }: {
  id: string;
  model: Model;
  open: boolean;
  collapse: (id: string) => void;
  expand: (id: string) => void;
  ends: Ends;
  setEnds: (ends: Ends) => void;
  show: (next: Subject) => void;
}) {
  const { label, kind, note } = model.graph.getNodeAttributes(id);
  const text = useText(id, () => textOf(id, kind));
  const isCommunity = kind === "community";
  return (
    <section class="graph-details" aria-labelledby="details-title">
      <h2 id="details-title"><Dot colour={ACCENT} /> {label}</h2>
      <p class="quiet">{kind}{note ? `, ${note}` : ""}</p>
      {text && <p class="graph-text" tabIndex={0}>{text.slice(0, 500)}{text.length > 500 ? "…" : ""}</p>}
      <div class="graph-buttons">
        {open
          ? <button type="button" onClick={() => collapse(id)}>Collapse</button>
          : <button type="button" onClick={() => expand(id)}>Expand</button>}
        <button type="button" aria-pressed={ends.from === id} onClick={() => setEnds({ ...ends, from: id })}>Path from here</button>
        <button type="button" aria-pressed={ends.to === id} onClick={() => setEnds({ ...ends, to: id })}>Path to here</button>
        {!isCommunity && <button type="button" onClick={() => show({ iri: id })}>Only around this</button>}
        {!isCommunity && <a href={pageOf(id)}>Open page</a>}
      </div>
    </section>
  );
}

export function PathView({ ends, hops, model, choose, clear }: {
  ends: Ends;
  hops: Hop[] | null | undefined;
  model: Model;
  choose: (id: string) => void;
  clear: () => void;
}) {
  const name = (id: string | null) => (id !== null && model.graph.hasNode(id) ? model.graph.getNodeAttribute(id, "label") : "…");
  return (
    <section aria-labelledby="path-title">
      <h2 id="path-title">Path</h2>
      {hops === undefined && <p class="quiet">From {name(ends.from)} to {name(ends.to)}: choose the other end.</p>}
      {hops === null && <p role="status">What is shown has no path from {name(ends.from)} to {name(ends.to)}; expand more nodes.</p>}
      {hops && (
        <ol class="graph-path">
          {hops.map(({ node, edge }) => (
            <li key={node}>
              <NodeButton id={node} model={model} onClick={() => choose(node)} />
              {edge !== null && <div class="graph-hop"><EdgeTip edge={model.graph.getEdgeAttributes(edge)} model={model} /></div>}
            </li>
          ))}
        </ol>
      )}
      <button type="button" onClick={clear}>Clear path</button>
    </section>
  );
}
