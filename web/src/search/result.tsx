/** One result: its text, why it is there, and what a person can do with it. */

import { useEffect, useState } from "preact/hooks";
import { Alert } from "../shared/alert";
import { withWayBack } from "../shared/back";
import { getJson } from "../shared/http";
import { type Naming, pageOf } from "../shared/links";
import { address } from "../shared/page";
import { onSession, token } from "../shared/session";
import { Marked } from "./marked";
import { Parts } from "./parts";
import { PathPicture } from "./path";
import type { Around, Result } from "./types";

const SHOWN = 600;

export interface Setting {
  naming: Naming;
  ranks: ReadonlyMap<string, number>;
  most: Record<string, number>;
  showsParts: boolean;
  onParts: (shown: boolean) => void;
  /** The chunks before and after a result, some more each time. */
  around: (chunk: string, window: number) => Promise<{ before: Around[]; after: Around[] }>;
  widest: number;
  /** The part of the retrieval's IRI by which it is kept; undefined if it is not. */
  retrieval: string | undefined;
  onWhy: (chunk: string) => void;
}

export function ResultCard({ result, setting, change }: { result: Result; setting: Setting; change: Change }) {
  const { naming, ranks } = setting;
  return (
    <li id={`result-${result.rank}`} class={`result ${result.role}`} tabIndex={-1}>
      <div class="head">
        <span class="rank" aria-hidden="true">
          {result.rank}
        </span>
        <h3>
          <a href={withWayBack(pageOf(result.chunk, naming))}>
            <Marked text={result.name} spans={result.matches?.name} />
          </a>
        </h3>
        <ChangeMark change={change} />
        <span class={`role ${result.role}`}>{result.role}</span>
        <span class="number quiet" title="Score: it orders the results of one question and is not a probability">
          {result.score.toFixed(3)}
        </span>
      </div>
      <p class="quiet source">
        {result.document}
        {result.place === null ? "" : ` · ${result.place}`} · {result.kind}
      </p>
      <div class="body">
        <div>
          <Text key={result.chunk} result={result} />
          {result.path.length > 0 && (
            <PathPicture path={result.path} labels={result.labels ?? {}} naming={naming} ranks={ranks} />
          )}
          <Actions result={result} setting={setting} />
        </div>
        <details
          class="score"
          open={setting.showsParts}
          onToggle={(event) => {
            if (event.currentTarget.open !== setting.showsParts) setting.onParts(event.currentTarget.open);
          }}
        >
          <summary>Parts of the score</summary>
          <Parts parts={result.parts} most={setting.most} />
        </details>
      </div>
    </li>
  );
}

/** What became of a result by the choices: "new", or how many ranks it has risen. */
export type Change = "new" | number;

function ChangeMark({ change }: { change: Change }) {
  if (change === 0) return null;
  if (change === "new") return <span class="change new">came in</span>;
  return (
    <span class={change > 0 ? "change up" : "change down"}>
      <span aria-hidden="true">{change > 0 ? "▲" : "▼"}</span>
      <span class="unseen">{change > 0 ? "up by" : "down by"} </span>
      {Math.abs(change)}
    </span>
  );
}

function Text({ result }: { result: Result }) {
  const [whole, setWhole] = useState(false);
  const isLong = result.text.length > SHOWN;
  return (
    <div class="text">
      <Marked text={result.text} spans={result.matches?.text} {...(whole || !isLong ? {} : { most: SHOWN })} />
      {isLong && (
        <button type="button" class="bare" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Less" : "All of it"}
        </button>
      )}
    </div>
  );
}

function Actions({ result, setting }: { result: Result; setting: Setting }) {
  const [width, setWidth] = useState(0);
  const [around, setAround] = useState<{ before: Around[]; after: Around[] } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const widen = async (to: number) => {
    setWidth(to);
    setError(null);
    if (to === 0) return setAround(null);
    try {
      setAround(await setting.around(result.chunk, to));
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <>
      {around !== null && width > 0 && (
        <div class="around" role="group" aria-label="Context">
          {around.before.length + around.after.length === 0 && <p class="quiet">Its document has no other chunk.</p>}
          {around.before.map((each) => (
            <AroundText key={each.chunk} each={each} naming={setting.naming} />
          ))}
          {around.before.length + around.after.length > 0 && <p class="here quiet">this result</p>}
          {around.after.map((each) => (
            <AroundText key={each.chunk} each={each} naming={setting.naming} />
          ))}
        </div>
      )}
      {error !== null && <Alert error={error} />}
      <div class="row actions">
        <button type="button" class="bare" aria-expanded={width > 0} onClick={() => void widen(width > 0 ? 0 : 1)}>
          {width > 0 ? "Close the context" : "Context"}
        </button>
        {width > 0 && width < setting.widest && (
          <button type="button" class="bare" onClick={() => void widen(Math.min(width + 2, setting.widest))}>
            More of it
          </button>
        )}
        <button type="button" class="bare" onClick={() => setting.onWhy(result.chunk)}>
          Why here?
        </button>
        {setting.retrieval !== undefined && <Feedback retrieval={setting.retrieval} chunk={result.chunk} />}
      </div>
    </>
  );
}

function AroundText({ each, naming }: { each: Around; naming: Naming }) {
  return (
    <div>
      <a class="quiet" href={withWayBack(pageOf(each.chunk, naming))}>
        {each.name}
      </a>
      <div class="text">{each.text}</div>
    </div>
  );
}

function Feedback({ retrieval, chunk }: { retrieval: string; chunk: string }) {
  const [given, setGiven] = useState<boolean | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [signedIn, setSignedIn] = useState(token() !== null);
  useEffect(() => onSession(() => setSignedIn(token() !== null)), []);
  if (!signedIn) {
    return (
      <span class="quiet">
        <a href={withWayBack(address("/manage"))}>Sign in</a> to say whether it helped.
      </span>
    );
  }
  const say = async (helped: boolean) => {
    setError(null);
    try {
      await getJson(address(`/v1/retrievals/${encodeURIComponent(retrieval)}/feedback`), { body: { chunk, helped } });
      setGiven(helped);
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <span class="row" role="group" aria-label="Did it help?">
      <button type="button" class="small" aria-pressed={given === true} onClick={() => void say(true)}>
        Helped
      </button>
      <button type="button" class="small" aria-pressed={given === false} onClick={() => void say(false)}>
        Did not
      </button>
      {given !== null && (
        <span class="quiet" role="status">
          Noted.
        </span>
      )}
      {error !== null && <Alert error={error} />}
    </span>
  );
}
