/** The graph page: a neighbourhood, an answer, or the whole store by its communities. */

import { render } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ACCENT, edgeColour, nodeColour } from "../graph/colours";
import type { EdgeData, Part } from "../graph/data";
import { answer, COMMUNITY, community, evidenceOf, neighbourhood, ROOT, textOf } from "../graph/data";
import { flatScene, type Marks, type Pointed, type Scene } from "../graph/flat";
import { Layout } from "../graph/layout";
import { type Hop, Model } from "../graph/model";
import { png, svg } from "../graph/picture";
import { Alert } from "../shared/alert";
import { save } from "../shared/files";
import { events, Problem, send } from "../shared/http";
import { address, pageData, root } from "../shared/page";

interface Limits {
  nodes: number;
  hops: number;
  longest: number;
  nodeKinds: string[];
  edgeKinds: string[];
}

const limits = pageData<Limits>();
const AROUND = Math.min(40, limits.nodes); // nodes that a click brings in
const MOST = 3000; // nodes up to which communities open by themselves
const REFRESHED = 30; // opened nodes that are asked again for a new revision, the latest
const ROWS = 100; // rows of a table at first
const LISTED = 50; // found nodes that are listed

/** What the page begins with. */
type Subject = { iri: string } | { q: string } | { whole: true };

function subjectOf(search: string): Subject {
  const asked = new URLSearchParams(search);
  const [iri, q] = [asked.get("iri"), asked.get("q")];
  return iri ? { iri } : q ? { q } : { whole: true };
}

function begin(subject: Subject, signal: AbortSignal): Promise<Part> {
  if ("iri" in subject) return neighbourhood(subject.iri, AROUND, signal, Math.min(2, limits.hops));
  return "q" in subject ? answer(subject.q, signal) : patiently(() => community(ROOT, signal), signal);
}

function ask(at: string, subject: Subject, signal: AbortSignal): Promise<Part> {
  if (at === "") return begin(subject, signal);
  if (at.startsWith(COMMUNITY)) return community(at.slice(COMMUNITY.length), signal);
  return neighbourhood(at, AROUND, signal);
}

/** Tries again while the service says that it is still finding the communities. */
async function patiently<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await task();
    } catch (error) {
      if (tries >= 20 || !(error instanceof Problem && error.status === 503)) throw error;
      await pause(Math.min(error.retryAfter ?? 2, 5) * 1000, signal);
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

function App() {
  const [subject, setSubject] = useState(() => subjectOf(location.search));
  const [, setTick] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const [status, setStatus] = useState("Reading the graph…");
  const [selected, setSelected] = useState<string | null>(null);
  const [sought, setSought] = useState("");
  const [ends, setEnds] = useState<{ from: string | null; to: string | null }>({ from: null, to: null });
  const [solid, setSolid] = useState(false);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const [pending, setPending] = useState<ReadonlySet<string>>(new Set());
  const place = useRef<HTMLDivElement>(null);
  const scene = useRef<Scene | null>(null);
  const model = useMemo(() => new Model(), []);
  const layout = useMemo(() => new Layout(model, () => setTick((tick) => tick + 1), () => scene.current?.moved()), []);
  const revision = useRef(0);
  const ended = useMemo(() => new AbortController(), []);

  const found = model.find(sought);
  const hops = ends.from && ends.to && has(ends.from) && has(ends.to) ? model.path(ends.from, ends.to) : undefined;
  const marks = useRef<Marks>({ selected: null, found: new Set(), path: new Set(), pathEdges: new Set() });
  marks.current = {
    selected,
    found: new Set(found),
    path: new Set(hops?.map((each) => each.node)),
    pathEdges: new Set(hops?.flatMap((each) => each.edge ?? [])),
  };

  function has(id: string): boolean {
    return model.graph.hasNode(id);
  }

  useEffect(() => model.onChange(() => {
    setTick((tick) => tick + 1);
    layout.start();
  }), []);
  useEffect(() => () => ended.abort(), []);

  // the picture
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const on = { click: (id: string) => void choose(id), point: setPointed, approach, empty: () => setSelected(null) };
    let closed = false;
    if (solid) {
      void import("../graph/solid").then(({ solidScene }) => {
        if (closed) return;
        try {
          scene.current = solidScene(element, model, () => marks.current, () => layout.paused, on);
        } catch (thrown) {
          setError(thrown);
          setSolid(false);
        }
      }, setError);
    } else {
      try {
        scene.current = flatScene(element, model, () => marks.current, on);
      } catch (thrown) {
        setError(new Error(`The picture needs WebGL; the list below works without. (${String(thrown)})`));
      }
    }
    return () => {
      closed = true;
      scene.current?.close();
      scene.current = null;
    };
  }, [solid]);
  useEffect(() => scene.current?.refresh());

  // what is shown at first
  useEffect(() => {
    const left = new AbortController();
    model.clear();
    setSelected(null);
    setEnds({ from: null, to: null });
    setStatus("Reading the graph…");
    begin(subject, left.signal).then((part) => {
      setError(null);
      take("", part);
      revision.current = Math.max(revision.current, part.revision);
      if (part.start !== undefined) setSelected(part.start);
      scene.current?.fit();
      setStatus(part.complete ? "" : "Limits left something out; the strongest edges are shown.");
    }, (thrown: unknown) => {
      if (left.signal.aborted) return;
      setError(thrown);
      setStatus("");
    });
    return () => left.abort();
  }, [subject]);

  function take(at: string, part: Part, mark = false): { added: number; gone: number } {
    return model.open(at, part, mark);
  }

  async function expand(id: string): Promise<void> {
    if (model.opened.has(id) || waiting.current.has(id)) return;
    wait(id, true);
    try {
      const part = await ask(id, subject, ended.signal);
      if (!has(id)) return;
      const { added } = take(id, part);
      setStatus(`${added} new from ${model.graph.getNodeAttribute(id, "label")}${part.complete ? "" : ", the strongest"}.`);
      setError(null);
    } catch (thrown) {
      if (!ended.signal.aborted) setError(thrown);
    } finally {
      wait(id, false);
    }
  }

  const waiting = useRef(new Set<string>());
  function wait(id: string, is: boolean): void {
    if (is) waiting.current.add(id);
    else waiting.current.delete(id);
    setPending(new Set(waiting.current));
  }

  function choose(id: string): Promise<void> {
    setSelected(id);
    return expand(id);
  }

  function approach(id: string): void {
    if (model.graph.order < MOST && waiting.current.size === 0) void expand(id);
  }

  function collapse(id: string): void {
    model.collapse(id);
    setStatus(`Collapsed ${model.graph.hasNode(id) ? model.graph.getNodeAttribute(id, "label") : ""}.`);
  }

  // new revisions
  const refresh = useRef<(number: number) => Promise<void>>(async () => undefined);
  refresh.current = async (number: number) => {
    let [added, gone] = [0, 0];
    model.graph.updateEachNodeAttributes((_, each) => ({ ...each, fresh: false }));
    for (const at of [...model.opened.keys()].slice(-REFRESHED)) {
      if (at !== "" && !has(at)) continue;
      try {
        const part = await upToDate(() => ask(at, subject, ended.signal), number);
        const change = take(at, part, true);
        [added, gone] = [added + change.added, gone + change.gone];
      } catch (thrown) {
        if (thrown instanceof Problem && thrown.status === 404) model.collapse(at);
        else throw thrown;
      }
    }
    setStatus(`Revision ${number}: ${added} new, ${gone} gone.`);
  };

  async function upToDate(task: () => Promise<Part>, number: number): Promise<Part> {
    for (let tries = 0; ; tries += 1) {
      const part = await patiently(task, ended.signal);
      if (part.revision >= number || tries >= 10) return part;
      await pause(1000, ended.signal);
    }
  }

  useEffect(() => {
    void follow(ended.signal, (number) => {
      const before = revision.current;
      revision.current = Math.max(before, number);
      if (before > 0 && number > before) refresh.current(number).catch((thrown: unknown) => setError(thrown));
    });
  }, []);

  function show(next: Subject): void {
    const query = "iri" in next ? { iri: next.iri } : "q" in next ? { q: next.q } : {};
    history.pushState(null, "", address("/graph", query));
    setSubject(next);
  }
  useEffect(() => {
    const back = () => setSubject(subjectOf(location.search));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);

  async function download(form: "svg" | "png"): Promise<void> {
    const drawn = svg(model);
    const blob = form === "svg" ? new Blob([drawn], { type: "image/svg+xml" }) : solid && scene.current?.image ? await scene.current.image() : await png(drawn);
    if (blob) save(blob, `graph.${form}`);
  }

  const shown = useMemo(() => ({ nodes: model.nodes().length, edges: model.edges().length }), [model.changes]);
  return (
    <div class="graph">
      <Ask subject={subject} show={show} />
      {error !== null && <Alert error={error} />}
      <div class="graph-tools" role="toolbar" aria-label="Picture">
        <button type="button" aria-pressed={solid} onClick={() => setSolid(!solid)}>3D</button>
        <button type="button" aria-pressed={layout.paused} onClick={() => (layout.paused ? layout.resume() : layout.pause())}>
          {layout.paused ? "Continue layout" : "Pause layout"}
        </button>
        <button type="button" aria-label="Zoom in" onClick={() => scene.current?.zoom(1.5)}>+</button>
        <button type="button" aria-label="Zoom out" onClick={() => scene.current?.zoom(1 / 1.5)}>−</button>
        <button type="button" onClick={() => scene.current?.fit()}>Fit</button>
        <button type="button" onClick={() => void download("png")}>PNG</button>
        <button type="button" onClick={() => void download("svg")}>SVG</button>
        <span class="quiet" role="status">
          {shown.nodes.toLocaleString()} nodes, {shown.edges.toLocaleString()} edges. {pending.size > 0 ? "Reading…" : status}
        </span>
      </div>
      <div class="graph-main">
        <div class="graph-stage">
          <div class="graph-picture" ref={place} data-settled={String(!layout.running)} role="img"
            aria-label={`Picture of ${shown.nodes} nodes; the list below has the same`} />
          {pointed !== null && <Tooltip at={pointed} model={model} />}
        </div>
        <aside class="graph-side" aria-label="Details">
          {selected !== null && has(selected) && (
            <Details id={selected} model={model} open={model.opened.has(selected)} collapse={collapse}
              expand={(id) => void choose(id)} ends={ends} setEnds={setEnds} show={show} />
          )}
          <section aria-labelledby="find-title">
            <h2 id="find-title">Find</h2>
            <label class="unseen" for="find">Label contains</label>
            <input id="find" type="search" value={sought} placeholder="Label contains" onInput={(event) => setSought(event.currentTarget.value)} />
            {sought.trim() !== "" && <p class="quiet" role="status">{found.length} found</p>}
            <ul class="graph-found">
              {found.slice(0, LISTED).map((id) => (
                <li key={id}><NodeButton id={id} model={model} onClick={() => { setSelected(id); scene.current?.centre(id); }} /></li>
              ))}
            </ul>
          </section>
          {(ends.from !== null || ends.to !== null) && (
            <PathView ends={ends} hops={hops} model={model} choose={(id) => setSelected(id)} clear={() => setEnds({ from: null, to: null })} />
          )}
          <Legend model={model} />
        </aside>
      </div>
      <Lists model={model} choose={(id) => void choose(id)} select={(id) => { setSelected(id); scene.current?.centre(id); }} />
    </div>
  );
}

/** Follows the revisions of the service while the page is seen, and tells each number. */
async function follow(signal: AbortSignal, tell: (number: number) => void): Promise<void> {
  while (!signal.aborted) {
    const hidden = new AbortController();
    const watch = () => document.hidden && hidden.abort();
    document.addEventListener("visibilitychange", watch);
    try {
      const response = await send(address("/v1/events"), { accept: "text/event-stream", signal: AbortSignal.any([signal, hidden.signal]) });
      for await (const { name, data } of events(response)) {
        if (name === "revision") tell((data as { revision: number }).revision);
      }
      await pause(1000, signal);
    } catch (error) {
      if (signal.aborted) return;
      const wait = error instanceof Problem ? (error.retryAfter ?? 30) : 5;
      if (!document.hidden) await pause(wait * 1000, signal).catch(() => undefined);
    } finally {
      document.removeEventListener("visibilitychange", watch);
    }
    if (document.hidden) await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
  }
}

function Ask({ subject, show }: { subject: Subject; show: (next: Subject) => void }) {
  const [text, setText] = useState("iri" in subject ? subject.iri : "q" in subject ? subject.q : "");
  const [kind, setKind] = useState<"q" | "iri">("iri" in subject ? "iri" : "q");
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim() !== "") show(kind === "q" ? { q: text.trim() } : { iri: text.trim() });
  };
  return (
    <form class="graph-ask" role="search" onSubmit={submit}>
      <label class="unseen" for="subject-kind">Show</label>
      <select id="subject-kind" value={kind} onChange={(event) => setKind(event.currentTarget.value as "q" | "iri")}>
        <option value="q">Answer to</option>
        <option value="iri">Around</option>
      </select>
      <label class="unseen" for="subject">{kind === "q" ? "Question" : "IRI or document"}</label>
      <input id="subject" type="search" value={text} maxLength={limits.longest} placeholder={kind === "q" ? "Question" : "IRI or document"}
        onInput={(event) => setText(event.currentTarget.value)} />
      <button type="submit">Show</button>
      <button type="button" onClick={() => show({ whole: true })} disabled={"whole" in subject}>Whole store</button>
    </form>
  );
}

function Dot({ colour, line = false }: { colour: string; line?: boolean }) {
  return <span class={line ? "graph-line" : "graph-dot"} style={{ background: colour }} aria-hidden="true" />;
}

function NodeButton({ id, model, onClick }: { id: string; model: Model; onClick: () => void }) {
  const { label, kind } = model.graph.getNodeAttributes(id);
  return (
    <button type="button" class="graph-node" onClick={onClick}>
      <Dot colour={nodeColour(kind)} /> {label} <span class="quiet">{kind}</span>
    </button>
  );
}

function useText(key: string, read: () => Promise<string>, delay = 0): string {
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

function Tooltip({ at, model }: { at: Pointed; model: Model }) {
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

function EdgeTip({ edge, model }: { edge: EdgeData; model: Model }) {
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

interface Ends {
  from: string | null;
  to: string | null;
}

/** The page of a resource: its own address where that is on this service, a description of it elsewhere. */
function pageOf(id: string): string {
  return address("/describe", { iri: id });
}

function Details({ id, model, open, collapse, expand, ends, setEnds, show }: {
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

function PathView({ ends, hops, model, choose, clear }: {
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

function Legend({ model }: { model: Model }) {
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

function Lists({ model, choose, select }: { model: Model; choose: (id: string) => void; select: (id: string) => void }) {
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

const here = document.getElementById("app");
if (here !== null && root !== undefined) render(<App />, here);
