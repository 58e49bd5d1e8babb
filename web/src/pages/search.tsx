/** The search page: a question, its results as they arrive, why each is there, and what choices change. */

import { render } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, askStream } from "../search/asking";
import { defaultOf, deviates, readChoices, withChoice, writeChoices, type Choices } from "../search/choices";
import { Controls } from "../search/controls";
import { effectOf, type Effect } from "../search/effect";
import { FacetList } from "../search/facets";
import { largest } from "../search/parts";
import { ResultCard, type Setting } from "../search/result";
import { Take } from "../search/take";
import type { Answer, PageData, Result } from "../search/types";
import { WhyPanel } from "../search/why";
import { Alert } from "../shared/alert";
import { pageData, root } from "../shared/page";
import { preference, setPreference } from "../shared/preferences";

const PARTS = "parts of scores";
const WIDE = "(min-width: 60rem)";

interface Found {
  answer: Answer | null;
  /** What has arrived while the answer is on its way. */
  soFar: Result[];
  error: unknown;
}

const NOTHING: Found = { answer: null, soFar: [], error: null };

function Search({ data, first }: { data: PageData; first: Found }) {
  const [choices, setChoices] = useState<Choices>(() => readChoices(location.search, data.parameters));
  const [found, setFound] = useState<Found>(first);
  const [before, setBefore] = useState<Answer | null>(null);
  const [why, setWhy] = useState<string | null>(null);
  const [showsParts, setShowsParts] = useState(() => preference(PARTS, matchMedia(WIDE).matches));
  const asked = useRef<string | null>(first === NOTHING ? null : writeChoices(choices, data.parameters));
  const query = writeChoices(choices, data.parameters);
  const question = String(choices["q"] ?? "");
  /** The query that `found` answers. */
  const [answered, setAnswered] = useState<string | null>(() => (first === NOTHING ? null : query));

  useEffect(() => {
    const back = () => {
      if (location.hash === "" || location.search !== writeChoices(choices, data.parameters)) {
        setChoices(readChoices(location.search, data.parameters));
      }
    };
    window.addEventListener("popstate", back);
    return () => window.removeEventListener("popstate", back);
  }, [query]);

  useEffect(() => {
    document.title = question ? `${question} · sage-ld` : "Search · sage-ld";
    if (asked.current === query) return;
    const former = new URLSearchParams(asked.current ?? "").get("q");
    asked.current = query;
    if (!question) return setFound(NOTHING);
    const ended = new AbortController();
    const soFar = (results: Result[]) => setFound({ answer: null, soFar: results, error: null });
    const isNew = former !== question;
    if (isNew) {
      setFound(NOTHING);
      setWhy(null);
    }
    (isNew ? askStream(choices, ended.signal, soFar) : ask(choices, ended.signal)).then(
      (answer) => {
        setFound({ answer, soFar: [], error: null });
        setAnswered(query);
      },
      (error: unknown) => {
        if (ended.signal.aborted) return;
        setFound({ answer: null, soFar: [], error });
        setAnswered(query);
      },
    );
    return () => ended.abort();
  }, [query]);

  const usual = writeChoices(defaultOf(choices), data.parameters);
  useEffect(() => {
    if (!question || !deviates(choices)) return;
    const ended = new AbortController();
    ask(defaultOf(choices), ended.signal).then(setBefore, () => setBefore(null));
    return () => ended.abort();
  }, [usual, deviates(choices)]);

  const change = (changed: Choices) => {
    const address = root + "/" + writeChoices(changed, data.parameters);
    if (address !== location.pathname + location.search) history.pushState(null, "", address);
    setChoices(changed);
  };
  const { answer, soFar, error } = found;
  const results = answer?.results ?? soFar;
  const effect = useMemo(
    () => (answer !== null && answered === query && before !== null && deviates(choices) ? effectOf(answer.results, before.results) : null),
    [answer, answered, before, query],
  );
  const ranks = useMemo(() => new Map(results.map(({ chunk, rank }) => [chunk, rank])), [results]);
  const most = useMemo(() => largest(results), [results]);
  const setting: Setting = {
    naming: data,
    ranks,
    most,
    showsParts,
    onParts: (shown) => {
      setShowsParts(shown);
      setPreference(PARTS, shown);
    },
    around: async (chunk, window) => {
      const wider = await ask({ ...choices, window });
      const { before: earlier = [], after = [] } = wider.results.find((each) => each.chunk === chunk) ?? {};
      return { before: earlier, after };
    },
    widest: data.parameters["window"]?.maximum ?? 0,
    retrieval: answer?.retrieval?.split("/").at(-1),
    onWhy: (chunk) => {
      setWhy(chunk);
      requestAnimationFrame(() => document.getElementById("why")?.scrollIntoView({ block: "nearest" }));
    },
  };
  return (
    <>
      <QuestionForm key={question} question={question} data={data} onAsk={(q) => change(withChoice(choices, "q", q))} />
      <div class="columns-page">
        <aside aria-label="Choices">
          <Fold title="How to search" count={Object.keys(choices).length - Object.keys(defaultOf(choices)).length}>
            <Controls choices={choices} data={data} onChange={change} />
          </Fold>
          <Fold title="Which chunks count" count={Math.max(0, Object.keys(defaultOf(choices)).length - (question ? 1 : 0))}>
            <FacetList choices={choices} data={data} onChange={change} />
          </Fold>
        </aside>
        <div class="answer">
          {error !== null && <Alert error={error} />}
          {!question && <Welcome data={data} />}
          {question && error === null && (
            <section aria-labelledby="results" aria-busy={answered !== query}>
              <div class="row spread">
                <h2 id="results">{heading(found)}</h2>
                <span class="unseen" role="status">
                  {heading(found)}
                </span>
                {answer !== null && <Take key={query} choices={choices} data={data} />}
              </div>
              {answer !== null && !answer.matched && (
                <p class="problem">Nothing in the graph matches the words or the meaning; these are the nearest.</p>
              )}
              {effect !== null && (
                <EffectPanel effect={effect} before={before as Answer} onWhy={setting.onWhy} onDefault={() => change(defaultOf(choices))} />
              )}
              <ol class="results">
                {results.map((result) => (
                  <ResultCard key={result.chunk} result={result} setting={setting} change={changeOf(effect, result.chunk)} />
                ))}
              </ol>
              {answer !== null && (
                <WhyPanel
                  {...{ choices, data, ranks, most }}
                  names={Object.fromEntries(results.map(({ chunk, name }) => [chunk, name]))}
                  chunk={why}
                  onChunk={setWhy}
                  onChange={change}
                />
              )}
            </section>
          )}
        </div>
      </div>
    </>
  );
}

function heading({ answer, soFar }: Found): string {
  if (answer !== null) return answer.results.length === 1 ? "1 result" : `${answer.results.length} results`;
  return soFar.length > 0 ? `${soFar.length} so far, following the graph …` : "Searching …";
}

function changeOf(effect: Effect | null, chunk: string): "new" | number {
  if (effect === null) return 0;
  return effect.entered.has(chunk) ? "new" : (effect.moved.get(chunk) ?? 0);
}

interface QuestionProps {
  question: string;
  data: PageData;
  onAsk: (question: string) => void;
}

function QuestionForm({ question, data, onAsk }: QuestionProps) {
  const [text, setText] = useState(question);
  const { maxLength } = data.parameters["q"] as unknown as { maxLength: number };
  return (
    <form
      class="ask"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) onAsk(text.trim());
      }}
    >
      <label for="q">Question</label>
      <div class="field">
        <input
          id="q"
          type="search"
          name="q"
          value={text}
          maxLength={maxLength}
          required
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="main">
          Search
        </button>
      </div>
    </form>
  );
}

function Welcome({ data }: { data: PageData }) {
  const count = (name: string) => (data.counts[name] ?? 0).toLocaleString("en");
  return (
    <div class="welcome">
      <p>
        Ask this graph a question: <a href={`${root}/documents`}>{count("documents")} documents</a>, {count("chunks")}{" "}
        chunks, {count("entities")} entities, <a href={`${root}/graph`}>drawn as a graph</a>.
      </p>
      <p class="quiet">
        Seeds are found by their words and meaning; neighbours by the graph, one link away from a seed. Each result shows the
        path that led to it.
      </p>
    </div>
  );
}

/** A part of the choices, closed on a narrow screen. */
function Fold({ title, count, children }: { title: string; count: number; children: preact.ComponentChildren }) {
  const [open, setOpen] = useState(() => matchMedia(WIDE).matches);
  return (
    <details class="fold" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title} {count > 0 && <span class="chip">{count} chosen</span>}
      </summary>
      {open && children}
    </details>
  );
}

interface EffectProps {
  effect: Effect;
  before: Answer;
  onWhy: (chunk: string) => void;
  onDefault: () => void;
}

function EffectPanel({ effect, before, onWhy, onDefault }: EffectProps) {
  const names = new Map(before.results.map((each) => [each.chunk, each]));
  return (
    <div class="effect panel">
      <p class="row spread" role="status">
        <span>
          Beside the default answer: <strong>{effect.entered.size}</strong> came in, <strong>{effect.dropped.length}</strong> fell
          out, <strong>{effect.moved.size}</strong> moved.
        </span>
        <button type="button" class="small" onClick={onDefault}>
          Back to the default
        </button>
      </p>
      {effect.dropped.length > 0 && (
        <details>
          <summary>What fell out</summary>
          <ul>
            {effect.dropped.map((chunk) => (
              <li key={chunk}>
                {names.get(chunk)?.name} <span class="quiet">was rank {names.get(chunk)?.rank}</span>{" "}
                <button type="button" class="bare" onClick={() => onWhy(chunk)}>
                  Why?
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** Takes the place of the server's page: at once, or where that has results, once the script has them too. */
async function start(place: HTMLElement): Promise<void> {
  const data = pageData<PageData>();
  let first = NOTHING;
  if (document.getElementById("results") !== null) {
    try {
      first = { answer: await ask(readChoices(location.search, data.parameters)), soFar: [], error: null };
    } catch (error) {
      first = { answer: null, soFar: [], error };
    }
  }
  const typed = document.querySelector<HTMLInputElement>("#q");
  const focused = document.activeElement === typed;
  place.replaceChildren();
  render(<Search data={data} first={first} />, place);
  if (focused) document.getElementById("q")?.focus();
  if (location.hash.startsWith("#result-")) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

const place = document.getElementById("app");
if (place !== null) void start(place);
