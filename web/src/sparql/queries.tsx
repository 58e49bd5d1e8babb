/** Queries to choose from: examples, and those of earlier. */

import { useState } from "preact/hooks";
import { cut } from "../shared/text";
import { remembers, setRemembers } from "./kept_queries";
import type { PageData, View } from "./terms";

export function Examples({ data, load }: { data: PageData; load: (query: string, view: View) => void }) {
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

export function Earlier({ queries, load, forget }: EarlierOptions) {
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
