/** The graph page: a neighbourhood, an answer, or the whole store by its communities. */

import { render } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, begin, patiently, type Subject, subjectOf } from "../graph/asking";
import type { Part } from "../graph/data";
import { Details, type Ends, PathView } from "../graph/details";
import { flatScene, type Marks, type Pointed, type Scene } from "../graph/flat";
import { Layout } from "../graph/layout";
import { Legend } from "../graph/legend";
import { limits } from "../graph/limits";
import { Lists } from "../graph/lists";
import { Model } from "../graph/model";
import { png, svg } from "../graph/picture";
import { follow } from "../graph/revisions";
import { NodeButton, Tooltip } from "../graph/tips";
import { Alert } from "../shared/alert";
import { save } from "../shared/files";
import { Problem } from "../shared/http";
import { pause } from "../shared/pause";
import { address, root } from "../shared/page";

const MOST = 3000; // nodes up to which communities open by themselves
const REFRESHED = 30; // opened nodes that are asked again for a new revision, the latest
const LISTED = 50; // found nodes that are listed

function App() {
  const [subject, setSubject] = useState(() => subjectOf(location.search));
  const [, setTick] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const [status, setStatus] = useState("Reading the graph…");
  const [selected, setSelected] = useState<string | null>(null);
  const [sought, setSought] = useState("");
  const [ends, setEnds] = useState<Ends>({ from: null, to: null });
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

const here = document.getElementById("app");
if (here !== null && root !== undefined) render(<App />, here);
