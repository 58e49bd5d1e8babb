/** The page for questions: answers in sentences, by a query, or by reasoning; and what waits for a person. */

import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Approvals } from "../ask/approvals";
import type { Answered, AskData, Queried, Reasoned, Sentence, Step } from "../ask/asking";
import { Rows } from "../ask/rows";
import { Sentences } from "../ask/sentences";
import { Steps } from "../ask/steps";
import { Alert } from "../shared/alert";
import { getJson, stream } from "../shared/http";
import { address, pageData } from "../shared/page";
import { includes, SignIn, useRole } from "../shared/sign_in";

type Way = "answer" | "query" | "reason";
type Found =
  | { way: "answer"; sentences: Sentence[]; answered: Answered | null }
  | { way: "query"; queried: Queried | null }
  | { way: "reason"; steps: Step[]; reasoned: Reasoned | null };

const WAYS: Record<Way, string> = {
  answer: "in sentences, with the passages that say so",
  query: "by a query, with its rows",
  reason: "by reasoning, step by step",
};

function Page({ data }: { data: AskData }) {
  const asked = new URLSearchParams(location.search);
  const [question, setQuestion] = useState(asked.get("q") ?? "");
  const [way, setWay] = useState<Way>(wayOf(asked.get("way")));
  const [byModel, setByModel] = useState(false);
  const [found, setFound] = useState<Found | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const running = useRef<AbortController | null>(null);
  const role = useRole();
  const mayUseModel = data.model && role !== null && role !== "none";

  const ask = async () => {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    setError(null);
    setRunning(true);
    try {
      await answers(way, question, mayUseModel && byModel, stop.signal, setFound);
    } catch (thrown) {
      if (!stop.signal.aborted) setError(thrown);
    }
    if (running.current === stop) setRunning(false);
  };
  useEffect(() => {
    if (question !== "" && way !== "reason") void ask(); // what costs, a person starts
    return () => running.current?.abort();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    const url = new URLSearchParams({ q: question, way });
    history.replaceState(null, "", `?${url}`);
    void ask();
  };
  const cannotReason = way === "reason" && !mayUseModel;
  return (
    <div class="asking">
      <form class="search" onSubmit={submit}>
        <label for="question">Question</label>
        <textarea
          id="question"
          required
          maxLength={data.longest}
          value={question}
          onInput={(event) => setQuestion(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey) event.currentTarget.form?.requestSubmit();
            if (event.key === "Enter" && !event.shiftKey) event.preventDefault();
          }}
        />
        <fieldset class="ways row">
          <legend>Answer</legend>
          {Object.entries(WAYS).map(([name, label]) => (
            <label key={name}>
              <input type="radio" name="way" checked={way === name} onChange={() => setWay(wayOf(name))} /> {label}
            </label>
          ))}
        </fieldset>
        {mayUseModel && way !== "reason" && (
          <p>
            <label>
              <input type="checkbox" checked={byModel} onChange={(event) => setByModel(event.currentTarget.checked)} /> The
              language model may {way === "answer" ? "write the sentences" : "write the query"}
            </label>
          </p>
        )}
        {way === "reason" && <Needs data={data} signedIn={role !== null && role !== "none"} />}
        <div class="row">
          <button class="main" disabled={cannotReason}>
            Ask
          </button>
          <button type="button" disabled={!isRunning} onClick={() => running.current?.abort()}>
            Stop
          </button>
        </div>
      </form>
      <section aria-label="Answer" aria-busy={isRunning}>
        <p role="status" class="quiet">
          {isRunning ? "Asking…" : found !== null && error === null ? "Done." : ""}
        </p>
        {error !== null && <Alert error={error} />}
        {found?.way === "answer" && <Sentences sentences={found.sentences} answered={found.answered} data={data} />}
        {found?.way === "query" && found.queried !== null && <Rows found={found.queried} data={data} />}
        {found?.way === "reason" && <Steps steps={found.steps} reasoned={found.reasoned} data={data} />}
      </section>
      <section aria-labelledby="approvals">
        <h2 id="approvals">Waiting for approval</h2>
        {role !== null && includes(role, "write") ? (
          <Approvals longest={data.longestReason} />
        ) : (
          <p class="quiet">
            Calls of tools that change the graph may wait for a person. A token of the role write shows them, and decides.
          </p>
        )}
      </section>
      <details open={way === "reason" && data.model && role === "none"}>
        <summary>{role === null || role === "none" ? "Sign in" : `Signed in: ${role}`}</summary>
        <SignIn role={role} />
      </details>
    </div>
  );
}

function wayOf(text: string | null): Way {
  return text === "query" || text === "reason" ? text : "answer";
}

function Needs({ data, signedIn }: { data: AskData; signedIn: boolean }) {
  if (!data.model) {
    return (
      <p class="warn">
        This service has no language model (<code>SAGE_LD_LANGUAGE_MODEL</code>), and reasoning needs one. Answers in sentences
        and by a query work without.
      </p>
    );
  }
  if (!signedIn) return <p class="warn">Reasoning costs calls of the language model, so it needs a token: sign in below.</p>;
  return <p class="quiet">Reasoning costs calls of the language model; it stops at its budget.</p>;
}

/** Asks, and shows what comes as it comes. Throws Problem. */
async function answers(
  way: Way,
  question: string,
  byModel: boolean,
  signal: AbortSignal,
  show: (found: Found) => void,
): Promise<void> {
  if (way === "query") {
    show({ way, queried: null });
    const body = { question, ...(byModel ? { way: "auto" } : {}) };
    show({ way, queried: await getJson<Queried>(address("/v1/query"), { body, signal }) });
  } else if (way === "answer") {
    let found: Found & { way: "answer" } = { way, sentences: [], answered: null };
    show(found);
    const body = { q: question, ...(byModel ? { method: "model" } : {}) };
    for await (const { name, data } of stream(address("/v1/answer"), { body, signal })) {
      if (name === "sentence") found = { ...found, sentences: [...found.sentences, data as Sentence] };
      if (name === "answer") found = { ...found, answered: data as Answered };
      show(found);
    }
  } else {
    let found: Found & { way: "reason" } = { way, steps: [], reasoned: null };
    show(found);
    for await (const { name, data } of stream(address("/v1/reason"), { body: { question }, signal })) {
      if (name === "step") found = { ...found, steps: [...found.steps, data as Step] };
      if (name === "answer") found = { ...found, reasoned: data as Reasoned };
      show(found);
    }
  }
}

const place = document.getElementById("app");
if (place !== null) {
  place.replaceChildren();
  render(<Page data={pageData<AskData>()} />, place);
}
