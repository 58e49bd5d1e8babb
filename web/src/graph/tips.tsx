/** Nodes and edges in words: a button, and what the pointer is told of them. */

import { useEffect, useState } from "preact/hooks";
import { edgeColour, nodeColour } from "./colours";
import { type EdgeData, evidenceOf, textOf } from "./data";
import type { Pointed } from "./flat";
import type { Model } from "./model";

export function Dot({ colour, line = false }: { colour: string; line?: boolean }) {
  return <span class={line ? "graph-line" : "graph-dot"} style={{ background: colour }} aria-hidden="true" />;
}

export function NodeButton({ id, model, onClick }: { id: string; model: Model; onClick: () => void }) {
  const { label, kind } = model.graph.getNodeAttributes(id);
  return (
    <button type="button" class="graph-node" onClick={onClick}>
      <Dot colour={nodeColour(kind)} /> {label} <span class="quiet">{kind}</span>
    </button>
  );
}

export function useText(key: string, read: () => Promise<string>, delay = 0): string {
  const [text, setText] = useState("");
  useEffect(() => {
    let left = false;
    setText("");
    const timer = setTimeout(() => void read().then((said) => left || setText(said)), delay);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [key]);
  return text;
}

export function Tooltip({ at, model }: { at: Pointed; model: Model }) {
  const style = { left: `${at.x + 14}px`, top: `${at.y + 14}px` };
  if (at.node !== undefined && model.graph.hasNode(at.node)) {
    return <div class="graph-tip" style={style} role="tooltip"><NodeTip id={at.node} model={model} /></div>;
  }
  if (at.edge !== undefined && model.graph.hasEdge(at.edge)) {
    return <div class="graph-tip" style={style} role="tooltip"><EdgeTip edge={model.graph.getEdgeAttributes(at.edge)} model={model} /></div>;
  }
  return null;
}

function NodeTip({ id, model }: { id: string; model: Model }) {
  const { label, kind, note } = model.graph.getNodeAttributes(id);
  const text = useText(id, () => textOf(id, kind), 150);
  return (
    <>
      <strong>{label}</strong>
      <div class="quiet">{kind}{note ? `, ${note}` : ""}, {model.graph.degree(id)} edges shown</div>
      {text && <div>{text.slice(0, 240)}{text.length > 240 ? "…" : ""}</div>}
    </>
  );
}

export function EdgeTip({ edge, model }: { edge: EdgeData; model: Model }) {
  const evidence = useText(`${edge.source} ${edge.target} ${edge.kind}`, () => evidenceOf(edge), 150);
  const name = (id: string) => model.graph.getNodeAttribute(id, "label");
  return (
    <>
      <strong><Dot colour={edgeColour(edge.kind)} line /> {edge.kind}</strong>
      <div>{name(edge.source)} → {name(edge.target)}</div>
      <div class="quiet">weight {edge.weight.toFixed(2)}{edge.property ? `, ${edge.property}` : ""}</div>
      {evidence && <div>{evidence}</div>}
    </>
  );
}
