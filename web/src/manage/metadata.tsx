/** The metadata of a document, to read and to change: a row for each key. */

import { useState } from "preact/hooks";

export type Metadata = Record<string, unknown>;

interface Props {
  metadata: Metadata;
  busy: boolean;
  /** Takes what has changed; null removes a key. */
  onSave: (changes: Metadata) => void;
}

export function MetadataForm({ metadata, busy, onSave }: Props) {
  const [texts, setTexts] = useState<Record<string, string | null>>({});
  const [key, setKey] = useState("");
  const [text, setText] = useState("");
  const save = (event: Event) => {
    event.preventDefault();
    const changed = Object.entries(texts).map(([name, said]) => [name, said === null ? null : valueOf(said, metadata[name])]);
    const added = key.trim() === "" ? [] : [[key.trim(), valueOf(text, undefined)]];
    onSave(Object.fromEntries([...changed, ...added]) as Metadata);
  };
  const isChanged = Object.keys(texts).length > 0 || key.trim() !== "";
  return (
    <form onSubmit={save} aria-labelledby="metadata-title">
      <h4 id="metadata-title">Metadata</h4>
      <div class="fields metadata">
        {Object.entries(metadata).map(([name, value], number) => {
          const said = name in texts ? texts[name] : shown(value);
          return (
            <>
              <label for={`metadata-${number}`}>{name}</label>
              <span class="row">
                <input
                  id={`metadata-${number}`}
                  value={said ?? ""}
                  disabled={said === null}
                  placeholder={said === null ? "will be removed" : undefined}
                  onInput={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
                />
                <button
                  type="button"
                  class="small"
                  aria-label={`${said === null ? "Keep" : "Remove"} ${name}`}
                  onClick={() => setTexts(said === null ? without(texts, name) : { ...texts, [name]: null })}
                >
                  {said === null ? "Keep" : "Remove"}
                </button>
              </span>
            </>
          );
        })}
        <input aria-label="New key" placeholder="new key" value={key} onInput={(event) => setKey(event.currentTarget.value)} />
        <input aria-label="Its value" placeholder="value" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <span />
        <p>
          <button class="main" disabled={busy || !isChanged}>
            Save the metadata
          </button>{" "}
          <span class="quiet">
            1932, true and ["a", "b"] are a number, a truth value and a list; in quotation marks they are text.
          </span>
        </p>
      </div>
    </form>
  );
}

function without(texts: Record<string, string | null>, name: string): Record<string, string | null> {
  const { [name]: _gone, ...others } = texts;
  return others;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What a person wrote as a value: JSON where it is some, else a text; what was a text remains one. */
function valueOf(text: string, former: unknown): unknown {
  if (typeof former === "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
