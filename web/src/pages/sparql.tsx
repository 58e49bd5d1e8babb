/** The SPARQL page: an editor, and its answers as table, graph, chart or text. */

import { render } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Alert } from "../shared/alert";
import { copied } from "../shared/clipboard";
import { save } from "../shared/files";
import { Problem } from "../shared/http";
import { pageData } from "../shared/page";
import { cut } from "../shared/text";
import { type Answer, answer, type Asked, respond } from "../sparql/answers";
import { ResultChart } from "../sparql/chart";
import { missingPrefixes } from "../sparql/completion";
import { type Place, QueryEditor } from "../sparql/editor";
import { ResultGraph } from "../sparql/graph";
import { kept, remembers, setRemembers, withQuery } from "../sparql/kept_queries";
import { ResultTable } from "../sparql/table";
import type { PageData, View } from "../sparql/terms";
import { vocabulary } from "../sparql/vocabulary";

const VIEWS: readonly View[] = ["table", "graph", "chart", "text"];
const LONGEST_TEXT = 200_000;
const FILES = {
  rows: { CSV: ["text/csv", "csv"], JSON: ["application/sparql-results+json", "json"] },
  triples: { Turtle: ["text/turtle", "ttl"], "JSON-LD": ["application/ld+json", "jsonld"], CSV: ["", "csv"] },
} as const;

type State =
  | { is: "idle" }
  | { is: "running"; since: number }
  | { is: "cancelled"; took: number }
  | { is: "failed"; error: unknown }
  | { is: "answered"; answer: Answer; asked: Asked };

interface Shared {
  query: string;
  timeout: string;
  view: View;
}

/** What an address says after its `#`, which is not sent to any server. */
function fromAddress(data: PageData): Shared {
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

function writeAddress({ query, timeout, view }: Shared): void {
  history.replaceState(null, "", `#${new URLSearchParams({ query, ...(timeout ? { timeout } : {}), view })}`);
}

function placeOf(error: unknown): Place | null {
  if (!(error instanceof Problem)) return null;
  const { line, column } = error.more;
  if (typeof line !== "number") return null;
  return { line, column: typeof column === "number" ? column : null };
}

function Examples({ data, load }: { data: PageData; load: (query: string, view: View) => void }) {
  const groups = [...new Set(data.examples.map((each) => each.group))];
  const choose = (event: { currentTarget: HTMLSelectElement }) => {
    const example = data.examples[Number(event.currentTarget.value)];
    if (example !== undefined) load(example.query, example.view);
  };
  return (
    <label class="examples">
      Example{" "}
      <select onChange={choose}>
        {groups.map((group) => (
          <optgroup key={group} label={group}>
            {data.examples.map((each, number) =>
              each.group === group ? (
                <option key={number} value={number}>
                  {each.title}
                </option>
              ) : null,
            )}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

interface EarlierOptions {
  queries: string[];
  load: (query: string) => void;
  forget: (queries: string[]) => void;
}

function Earlier({ queries, load, forget }: EarlierOptions) {
  const [stored, setStored] = useState(remembers);
  return (
    <details class="earlier">
      <summary>Earlier queries ({queries.length})</summary>
      <div class="panel">
        <label>
          <input
            type="checkbox"
            checked={stored}
            onChange={(event) => {
              setStored(event.currentTarget.checked);
              setRemembers(event.currentTarget.checked, queries);
            }}
          />{" "}
          Remember them in this browser
        </label>
        <ol>
          {queries.map((query) => (
            <li key={query}>
              <button type="button" class="bare" title={query} onClick={() => load(query)}>
                {gist(query)}
              </button>
            </li>
          ))}
        </ol>
        {queries.length > 0 && (
          <button
            type="button"
            class="small"
            onClick={() => {
              setRemembers(stored, []);
              forget([]);
            }}
          >
            Forget all
          </button>
        )}
      </div>
    </details>
  );
}

/** A query in one line, without its prefixes and comments. */
function gist(query: string): string {
  return cut(query.replace(/^\s*(?:#.*|PREFIX\s+\S*\s*<[^>]*>)\s*$/gim, ""), 90);
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

interface AnsweredOptions {
  answer: Answer;
  asked: Asked;
  view: View;
  show: (view: View) => void;
  data: PageData;
}

function Answered({ answer, asked, view, show, data }: AnsweredOptions) {
  const isAsk = answer.boolean !== null;
  const shown = isAsk ? "text" : view;
  return (
    <>
      {!isAsk && (
        <div class="row spread">
          <div class="row" role="group" aria-label="Show as">
            {VIEWS.map((each) => (
              <button key={each} type="button" class="small" aria-pressed={each === shown} onClick={() => show(each)}>
                {each[0]?.toUpperCase()}
                {each.slice(1)}
              </button>
            ))}
          </div>
          <Downloads answer={answer} asked={asked} />
        </div>
      )}
      {shown === "table" && <ResultTable answer={answer} data={data} />}
      {shown === "graph" && <ResultGraph answer={answer} data={data} />}
      {shown === "chart" && <ResultChart answer={answer} data={data} />}
      {shown === "text" && <Text text={answer.text} />}
    </>
  );
}

function Text({ text }: { text: string }) {
  return (
    <>
      <pre class="raw" tabIndex={0}>
        {text.slice(0, LONGEST_TEXT)}
      </pre>
      {text.length > LONGEST_TEXT && <p class="quiet">The first {LONGEST_TEXT.toLocaleString("en")} characters; download the whole.</p>}
    </>
  );
}

/** Files of the answer, for which the query is sent again in another format; the service keeps short answers. */
function Downloads({ answer, asked }: { answer: Answer; asked: Asked }) {
  const [error, setError] = useState<unknown>(null);
  const files = answer.triples === null ? FILES.rows : FILES.triples;
  const download = async (accept: string, suffix: string) => {
    setError(null);
    try {
      const query = accept === "" ? null : await (await respond(asked, accept)).blob();
      save(query ?? new Blob([csv(answer)], { type: "text/csv" }), `answer.${suffix}`);
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <div class="row" role="group" aria-label="Download">
      {Object.entries(files).map(([name, [accept, suffix]]) => (
        <button key={name} type="button" class="small" onClick={() => void download(accept, suffix)}>
          ↓ {name}
        </button>
      ))}
      {error !== null && <Alert error={error} />}
    </div>
  );
}

/** Triples as CSV, which the service has for rows only. */
function csv(answer: Answer): string {
  const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = answer.rows.map((row) => answer.columns.map((column) => cell(String(row[column]?.value ?? ""))).join(","));
  return [answer.columns.join(","), ...lines, ""].join("\r\n");
}

const root = document.getElementById("app");
if (root !== null) {
  root.replaceChildren();
  render(<Page data={pageData<PageData>()} />, root);
}
