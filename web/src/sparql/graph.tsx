/** Triples of an answer as a picture: nodes joined by lines, laid out by forces. It is bounded in nodes. */

import {
  forceCenter,
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from "d3-force";
import { useMemo, useState } from "preact/hooks";
import { cut } from "../shared/text";
import type { Answer } from "./answers";
import { Choice } from "./choice";
import { type Box, useFrame } from "./frame";
import { hrefOf, type PageData, plain, short, type Term, type Triple } from "./terms";

const MOST_NODES = 250;
const MOST_LINES = 1500;
const TICKS = 300;
const NAMES = new Set(["schema:name", "rdfs:label", "skos:prefLabel", "dcterms:title", "csvw:name"]);

interface Node extends SimulationNodeDatum {
  key: string;
  term: Term;
  name: string;
  degree: number;
}

interface Line extends SimulationLinkDatum<Node> {
  source: Node;
  target: Node;
  label: string;
}

interface Picture {
  nodes: Node[];
  lines: Line[];
  /** How many nodes there would be without the bound. */
  all: number;
  box: Box;
}

interface Columns {
  from: string;
  edge: string;
  to: string;
}

export function ResultGraph({ answer, data }: { answer: Answer; data: PageData }) {
  const [columns, setColumns] = useState<Columns>(() => guessed(answer));
  const found = useMemo(() => answer.triples ?? joined(answer, columns), [answer, columns]);
  const picture = useMemo(() => layout(found, data), [found, data]);
  const resources = answer.columns.filter((column) => answer.rows.some((row) => isResource(row[column])));
  if (answer.triples === null && resources.length === 0) {
    return <p>A graph needs a column of resources, and these rows have none.</p>;
  }
  const choose = (name: keyof Columns) => (value: string) => setColumns((now) => ({ ...now, [name]: value }));
  return (
    <>
      {answer.triples === null && (
        <div class="row">
          <Choice label="From" value={columns.from} options={resources} set={choose("from")} />
          <Choice label="Edge" value={columns.edge} options={["", ...answer.columns]} set={choose("edge")} />
          <Choice label="To" value={columns.to} options={answer.columns} set={choose("to")} />
        </div>
      )}
      {picture.nodes.length === 0 ? <p>There is nothing to draw.</p> : <Drawing picture={picture} data={data} />}
    </>
  );
}

function isResource(term: Term | undefined): boolean {
  return term?.type === "uri" || term?.type === "bnode";
}

/** Three columns that may be read as statements, or two as edges. */
function guessed(answer: Answer): Columns {
  const resources = answer.columns.filter((column) => answer.rows.some((row) => isResource(row[column])));
  const from = resources[0] ?? "";
  const place = answer.columns.indexOf(from);
  const [second, third] = answer.columns.slice(place + 1);
  if (second !== undefined && third !== undefined && resources.includes(second)) return { from, edge: second, to: third };
  return { from, edge: "", to: resources[1] ?? second ?? from };
}

function joined(answer: Answer, { from, edge, to }: Columns): Triple[] {
  const found: Triple[] = [];
  for (const row of answer.rows) {
    const [begin, end] = [row[from], row[to]];
    if (begin === undefined || end === undefined) continue;
    found.push([begin, (edge && row[edge]) || { type: "literal", value: "" }, end]);
  }
  return found;
}

function keyOf(term: Term, data: PageData): string {
  return `${term.type} ${plain(term, data)} ${term.type === "literal" ? (term["xml:lang"] ?? "") : ""}`;
}

/** The picture of triples: names of resources become their labels, everything else nodes and lines. */
function layout(found: readonly Triple[], data: PageData): Picture {
  const names = new Map<string, string>();
  const drawn: Triple[] = [];
  for (const triple of found) {
    const [subject, property, object] = triple;
    const isName = property.type === "uri" && object.type === "literal" && NAMES.has(short(property.value, data));
    if (isName) names.set(keyOf(subject, data), object.value);
    else drawn.push(triple);
  }
  const nodes = new Map<string, Node>();
  const keys = new Set<string>();
  const node = (term: Term): Node | null => {
    const key = keyOf(term, data);
    keys.add(key);
    if (!nodes.has(key) && nodes.size >= MOST_NODES) return null;
    const made = nodes.get(key) ?? { key, term, name: names.get(key) ?? nameOf(term, data), degree: 0 };
    nodes.set(key, made);
    return made;
  };
  const lines: Line[] = [];
  for (const [subject, property, object] of drawn) {
    const [source, target] = [node(subject), node(object)];
    if (source === null || target === null || lines.length >= MOST_LINES) continue;
    source.degree++;
    target.degree++;
    if (source !== target) lines.push({ source, target, label: plain(property, data) });
  }
  const placed = [...nodes.values()];
  forceSimulation(placed)
    .force("lines", forceLink<Node, Line>(lines).distance(90))
    .force("apart", forceManyBody().strength(-220))
    .force("centre", forceCenter())
    .force("across", forceX().strength(0.06))
    .force("down", forceY().strength(0.09))
    .force("room", forceCollide(26))
    .stop()
    .tick(placed.length > 120 ? TICKS / 2 : TICKS);
  return { nodes: placed, lines, all: keys.size, box: around(placed) };
}

function nameOf(term: Term, data: PageData): string {
  const text = plain(term, data);
  return cut(term.type === "uri" ? text.replace(/^.*[/#](?=.)/, "") : text, 30);
}

function around(nodes: readonly Node[]): Box {
  let [left, top, right, bottom] = [-80, -60, 80, 60];
  for (const { x = 0, y = 0 } of nodes) {
    [left, top, right, bottom] = [Math.min(left, x - 90), Math.min(top, y - 30), Math.max(right, x + 90), Math.max(bottom, y + 40)];
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function Drawing({ picture, data }: { picture: Picture; data: PageData }) {
  const { box, buttons, pointer } = useFrame(picture.box);
  const labels = new Set(picture.lines.map((line) => line.label));
  return (
    <>
      <div class="row spread">
        <p class="quiet">
          {picture.nodes.length.toLocaleString("en")} nodes, {picture.lines.length.toLocaleString("en")} edges
          {labels.size === 1 && [...labels][0] !== "" && `, all ${[...labels][0]}`}
          {picture.all > picture.nodes.length && `: the first of ${picture.all.toLocaleString("en")} nodes; the table has all`}
        </p>
        {buttons}
      </div>
      <svg
        class="result-graph"
        viewBox={`${box.x} ${box.y} ${box.width} ${box.height}`}
        role="group"
        aria-label="The answer as a graph"
        {...pointer}
      >
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="15" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {picture.lines.map((line, number) => (
          <g key={number} class="edge">
            <title>{`${line.source.name} — ${line.label} — ${line.target.name}`}</title>
            <line x1={line.source.x} y1={line.source.y} x2={line.target.x} y2={line.target.y} marker-end="url(#arrow)" />
            {labels.size > 1 && picture.lines.length <= 60 && (
              <text x={((line.source.x ?? 0) + (line.target.x ?? 0)) / 2} y={((line.source.y ?? 0) + (line.target.y ?? 0)) / 2}>
                {line.label}
              </text>
            )}
          </g>
        ))}
        {picture.nodes.map((node) => (
          <DrawnNode key={node.key} node={node} data={data} />
        ))}
      </svg>
    </>
  );
}

function DrawnNode({ node, data }: { node: Node; data: PageData }) {
  const radius = Math.min(14, 5 + Math.sqrt(node.degree));
  const shape = (
    <>
      <title>{plain(node.term, data)}</title>
      {node.term.type === "literal" ? (
        <rect class="literal" x={(node.x ?? 0) - 5} y={(node.y ?? 0) - 5} width="10" height="10" />
      ) : (
        <circle class={node.term.type === "bnode" ? "blank" : ""} cx={node.x} cy={node.y} r={radius} />
      )}
      <text x={node.x} y={(node.y ?? 0) + radius + 12} text-anchor="middle">
        {node.name}
      </text>
    </>
  );
  return node.term.type === "uri" ? (
    <a href={hrefOf(node.term.value, data)} aria-label={node.name} rel="noreferrer">
      {shape}
    </a>
  ) : (
    <g>{shape}</g>
  );
}
