/** What the picture shows, as two tables. */

import { useState } from "preact/hooks";
import type { Model } from "./model";

const ROWS = 100; // rows of a table at first

export function Lists({ model, choose, select }: { model: Model; choose: (id: string) => void; select: (id: string) => void }) {
  const [open, setOpen] = useState(false);
  const [rows, setRows] = useState(ROWS);
  const nodes = open ? model.nodes() : [];
  const edges = open ? model.edges() : [];
  const name = (id: string) => model.graph.getNodeAttribute(id, "label");
  const more = Math.max(nodes.length, edges.length) > rows;
  return (
    <details class="graph-lists" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>List of what is shown</summary>
      {open && (
        <>
          <table>
            <caption>Nodes</caption>
            <thead><tr><th scope="col">Node</th><th scope="col">Kind</th><th scope="col">Edges</th><th scope="col">Open</th></tr></thead>
            <tbody>
              {nodes.slice(0, rows).map((id) => (
                <tr key={id}>
                  <td><button type="button" class="graph-node" onClick={() => select(id)}>{name(id)}</button></td>
                  <td>{model.graph.getNodeAttribute(id, "kind")}</td>
                  <td class="number">{model.graph.degree(id)}</td>
                  <td>
                    {model.opened.has(id)
                      ? <button type="button" aria-label={`Collapse ${name(id)}`} onClick={() => model.collapse(id)}>Collapse</button>
                      : <button type="button" aria-label={`Expand ${name(id)}`} onClick={() => choose(id)}>Expand</button>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <table>
            <caption>Edges</caption>
            <thead><tr><th scope="col">From</th><th scope="col">Kind</th><th scope="col">To</th><th scope="col">Weight</th></tr></thead>
            <tbody>
              {edges.slice(0, rows).map((key) => {
                const { source, target, kind, weight } = model.graph.getEdgeAttributes(key);
                return <tr key={key}><td>{name(source)}</td><td>{kind}</td><td>{name(target)}</td><td class="number">{weight.toFixed(2)}</td></tr>;
              })}
            </tbody>
          </table>
          {more && <button type="button" onClick={() => setRows(rows * 2)}>More rows</button>}
        </>
      )}
    </details>
  );
}
