/** Why a chunk is, or is not, in the answer: found by its text, its document or its IRI, and explained. */

import { useEffect, useState } from "preact/hooks";
import { Alert } from "../shared/alert";
import { withWayBack } from "../shared/back";
import { getJson, Problem } from "../shared/http";
import { pageOf } from "../shared/links";
import { address } from "../shared/page";
import { withChoice, writeChoices, type Choices } from "./choices";
import { Marked } from "./marked";
import { Parts } from "./parts";
import { PathPicture } from "./path";
import type { Answer, Explanation, PageData, Remedy, Result } from "./types";

interface Props {
  choices: Choices;
  data: PageData;
  ranks: ReadonlyMap<string, number>;
  names: Record<string, string>;
  most: Record<string, number>;
  chunk: string | null;
  onChunk: (chunk: string | null) => void;
  onChange: (choices: Choices) => void;
}

export function WhyPanel(props: Props) {
  const { choices, data, chunk, onChunk } = props;
  const [text, setText] = useState("");
  const [found, setFound] = useState<Result[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const find = async (event: Event) => {
    event.preventDefault();
    setError(null);
    setFound(null);
    const wanted = text.trim();
    if (!wanted) return;
    if (/^(?:\S*chunk\/)?[0-9a-f]{24}$/.test(wanted)) return onChunk(wanted);
    onChunk(null);
    try {
      setFound(await candidates(wanted, String(choices["q"] ?? "")));
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <section class="why panel" id="why" aria-labelledby="why-title">
      <h2 id="why-title">Why not this one?</h2>
      <form class="row" onSubmit={(event) => void find(event)}>
        <label class="unseen" for="why-field">
          A passage, a document or the IRI of a chunk
        </label>
        <input
          id="why-field"
          type="search"
          placeholder="Words of a passage, a document's name, or a chunk's IRI"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit">Find it</button>
      </form>
      {error !== null && <Alert error={error} />}
      {found !== null && found.length > 0 && chunk === null && (
        <ul class="candidates">
          {found.map((each) => (
            <li key={each.chunk}>
              <button type="button" class="bare" onClick={() => onChunk(each.chunk)}>
                {each.name}
              </button>{" "}
              <span class="quiet">{each.document}</span>
            </li>
          ))}
        </ul>
      )}
      {found?.length === 0 && (
        <p class="quiet" role="status">
          No passage has these words, and no document is called so. Try fewer words, or an identifier from{" "}
          <a href={address("/documents")}>Documents</a>.
        </p>
      )}
      {chunk !== null && <Explained key={chunk} {...props} chunk={chunk} data={data} />}
    </section>
  );
}

/** Chunks that a person may mean: of the document of that name, else by the words. */
async function candidates(wanted: string, question: string): Promise<Result[]> {
  const answer = (body: object) =>
    getJson<Answer>(address("/v1/retrieve"), { body: { k: 8, from_graph: 0, mode: "hybrid", ...body } });
  try {
    const { results } = await answer({ q: question || wanted, documents: [wanted] });
    if (results.length > 0) return results; // none: no document is called so
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400) throw error; // too long for an identifier
  }
  return (await answer({ q: wanted })).results.filter((each) => each.score > 0); // a score of 0: nothing of it
}

function Explained({ choices, data, ranks, names, most, chunk, onChange }: Props & { chunk: string }) {
  const [found, setFound] = useState<Explanation | null>(null);
  const [error, setError] = useState<unknown>(null);
  const { q, ...more } = choices;
  const query = writeChoices({ ...more, question: q, chunk }, data.parameters);
  useEffect(() => {
    const ended = new AbortController();
    setFound(null);
    setError(null);
    getJson<Explanation>(address("/v1/explain") + query, { signal: ended.signal }).then(
      setFound,
      (thrown: unknown) => ended.signal.aborted || setError(thrown),
    );
    return () => ended.abort();
  }, [query]);
  if (error !== null) return <Alert error={error} />;
  if (found === null) return <p role="status">Asking …</p>;
  const labels = { ...names, [found.chunk]: found.name };
  return (
    <div class="explanation" role="status">
      <h3>
        <a href={withWayBack(pageOf(found.chunk, data))}>{found.name}</a>{" "}
        <span class={found.verdict === "a result" ? "role seed" : "role"}>{found.verdict}</span>
      </h3>
      <p>{sentence(found.reason)}</p>
      <div class="text">
        <Marked text={found.text} spans={found.matches.text} most={400} />
      </div>
      {found.path.length > 0 ? (
        <PathPicture path={found.path} labels={labels} naming={data} ranks={ranks} />
      ) : (
        <p class="quiet">{found.isReached ? "" : "No edge that was followed leads to it."}</p>
      )}
      <div class="columns">
        <table>
          <caption class="unseen">Its place by text alone</caption>
          <thead>
            <tr>
              <th scope="col">By text alone</th>
              <th scope="col">Place</th>
              <th scope="col">Score</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(found.flat).map(([name, { place, score }]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="number">{place ?? "none"}</td>
                <td class="number">{score.toFixed(3)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {Object.keys(found.parts).length > 0 && <Parts parts={found.parts} most={most} />}
      </div>
      {found.remedies.length > 0 && <h3>What would be enough</h3>}
      <ul>
        {found.remedies.map((remedy, number) => {
          const changed = remedied(choices, remedy);
          return (
            <li key={number}>
              {remedyText(remedy)}{" "}
              {changed !== null && (
                <button type="button" class="small" onClick={() => onChange(changed)}>
                  Try it
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

function remedyText({ name, value, enough, rank }: Remedy): string {
  const told = (each: unknown) => (Array.isArray(each) ? each.join(", ") : String(each));
  return `${name}: ${told(enough)} in place of ${told(value)}${rank === null ? "" : ` makes it rank ${rank}`}`;
}

/** The choices with a remedy; null for one that is no parameter of a request. */
function remedied(choices: Choices, { name, enough }: Remedy): Choices | null {
  return ["k", "mode", "channels", "hops", "offset", "deduplicate"].includes(name) ? withChoice(choices, name, enough) : null;
}
