/** The SPARQL page: an editor, and its answers as table, graph, chart, map or text. */

import { render } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Alert } from "../shared/alert";
import { copied } from "../shared/clipboard";
import { Problem } from "../shared/http";
import { pageData } from "../shared/page";
import { fromAddress, type Shared, writeAddress } from "../sparql/address";
import { Answered } from "../sparql/answered";
import { type Answer, answer, type Asked } from "../sparql/answers";
import { missingPrefixes } from "../sparql/completion";
import { type Place, QueryEditor } from "../sparql/editor";
import { kept, withQuery } from "../sparql/kept_queries";
import { Earlier, Examples } from "../sparql/queries";
import type { PageData, View } from "../sparql/terms";
import { vocabulary } from "../sparql/vocabulary";

type State =
  | { is: "idle" }
  | { is: "running"; since: number }
  | { is: "cancelled"; took: number }
  | { is: "failed"; error: unknown }
  | { is: "answered"; answer: Answer; asked: Asked };

function Page({ data }: { data: PageData }) {
  const start = useRef(fromAddress(data)).current;
  const [timeout, setTimeLimit] = useState(start.timeout);
  const [view, setView] = useState<View>(start.view);
  const [state, setState] = useState<State>({ is: "idle" });
  const [queries, setQueries] = useState(kept);
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<QueryEditor | null>(null);
  const running = useRef<AbortController | null>(null);
  const now = useRef({ timeout, view });
  now.current = { timeout, view };

  const run = useCallback(async () => {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    const asked = { query: editor.current?.text ?? "", timeout: now.current.timeout };
    const since = performance.now();
    editor.current?.mark(null, null);
    setState({ is: "running", since });
    setQueries((all) => withQuery(all, asked.query));
    writeAddress({ ...asked, view: now.current.view });
    try {
      const found = await answer(asked, stop.signal);
      if (running.current === stop) setState({ is: "answered", answer: found, asked });
    } catch (error) {
      if (running.current !== stop) return;
      if (stop.signal.aborted) setState({ is: "cancelled", took: performance.now() - since });
      else {
        setState({ is: "failed", error });
        editor.current?.mark(error instanceof Error ? error.message : String(error), placeOf(error));
      }
    } finally {
      if (running.current === stop) running.current = null;
    }
  }, []);

  useEffect(() => {
    if (place.current === null) return;
    const opened = new QueryEditor(place.current, start.query, data, () => void run());
    editor.current = opened;
    const ended = new AbortController();
    vocabulary(data, ended.signal).then(
      (names) => opened.learn(names),
      () => undefined, // without it, the editor still completes keywords, prefixes and variables
    );
    const follow = () => {
      const said = fromAddress(data);
      opened.text = said.query;
      setTimeLimit(said.timeout);
      setView(said.view);
    };
    window.addEventListener("hashchange", follow);
    return () => {
      window.removeEventListener("hashchange", follow);
      ended.abort();
      opened.close();
    };
  }, []);

  const load = (query: string, wanted?: View) => {
    if (editor.current !== null) editor.current.text = query;
    if (wanted !== undefined) setView(wanted);
  };
  const show = (wanted: View) => {
    setView(wanted);
    if (state.is === "answered") writeAddress({ ...state.asked, view: wanted });
  };
  const lacks = state.is === "failed" ? missingPrefixes(editor.current?.text ?? "", data.prefixes) : [];
  const declare = (names: string[]) => {
    if (editor.current === null) return;
    const above = names.map((name) => `PREFIX ${name}: <${data.prefixes[name]}>\n`).join("");
    editor.current.text = above + editor.current.text;
    void run();
  };
  const isRunning = state.is === "running";
  return (
    <div class="sparql">
      <div class="row">
        <Examples data={data} load={load} />
        <Earlier queries={queries} load={load} forget={setQueries} />
      </div>
      <div class="editor" ref={place} />
      <p class="quiet">
        <kbd>Ctrl</kbd>+<kbd>Enter</kbd> runs the query, <kbd>Ctrl</kbd>+<kbd>Space</kbd> completes a name, <kbd>Tab</kbd>{" "}
        leaves the editor.
      </p>
      <div class="row">
        <button type="button" class="main" onClick={() => void run()} disabled={isRunning}>
          Run
        </button>
        <button type="button" onClick={() => running.current?.abort()} disabled={!isRunning}>
          Cancel
        </button>
        <label>
          Time limit{" "}
          <input
            type="number"
            min="0.1"
            max={data.seconds}
            step="any"
            value={timeout}
            placeholder={String(data.seconds)}
            onInput={(event) => setTimeLimit(event.currentTarget.value)}
          />{" "}
          s
        </label>
        <Share asked={() => ({ query: editor.current?.text ?? "", timeout, view })} />
      </div>
      <section class="answer" aria-label="Answer">
        <div role="status">
          <Status state={state} />
        </div>
        {state.is === "failed" && (
          <Failure error={state.error} go={(at) => editor.current?.go(at)} lacks={lacks} declare={() => declare(lacks)} />
        )}
        {state.is === "answered" && (
          <Answered answer={state.answer} asked={state.asked} view={view} show={show} data={data} />
        )}
      </section>
    </div>
  );
}

function placeOf(error: unknown): Place | null {
  if (!(error instanceof Problem)) return null;
  const { line, column } = error.more;
  if (typeof line !== "number") return null;
  return { line, column: typeof column === "number" ? column : null };
}

function Share({ asked }: { asked: () => Shared }) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    writeAddress(asked());
    setSaid((await copied(location.href)) ? "Copied." : "The address of this page is now that of the query.");
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        Copy address
      </button>
      <span class="quiet" role="status">
        {said}
      </span>
    </>
  );
}

function Status({ state }: { state: State }) {
  const [, tick] = useState(0);
  const isRunning = state.is === "running";
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => tick((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [isRunning]);
  if (state.is === "idle" || state.is === "failed") return null;
  if (state.is === "running") return <p>Running… {Math.floor((performance.now() - state.since) / 1000)} s</p>;
  if (state.is === "cancelled") return <p>Cancelled after {(state.took / 1000).toFixed(1)} s.</p>;
  const { boolean, triples, rows, took } = state.answer;
  const what = triples === null ? "row" : "triple";
  const count = `${rows.length.toLocaleString("en")} ${what}${rows.length === 1 ? "" : "s"}`;
  return (
    <p>
      <strong>{boolean === null ? count : boolean ? "Yes" : "No"}</strong>{" "}
      <span class="quiet">in {(took / 1000).toFixed(2)} s</span>
    </p>
  );
}

interface FailureOptions {
  error: unknown;
  go: (place: Place) => void;
  /** Prefixes that the query uses without a declaration. */
  lacks: string[];
  declare: () => void;
}

function Failure({ error, go, lacks, declare }: FailureOptions) {
  const place = placeOf(error);
  return (
    <>
      <Alert error={error} />
      <p class="row">
        {place !== null && (
          <button type="button" class="small" onClick={() => go(place)}>
            Go to line {place.line}
            {place.column === null ? "" : `, column ${place.column}`}
          </button>
        )}
        {place !== null && lacks.length > 0 && (
          <button type="button" class="small" onClick={declare}>
            Declare {lacks.map((each) => `${each}:`).join(", ")} and run
          </button>
        )}
      </p>
    </>
  );
}

const root = document.getElementById("app");
if (root !== null) {
  root.replaceChildren();
  render(<Page data={pageData<PageData>()} />, root);
}
