/** The question and its answer for other places: a link, JSON-LD, a command, a query. */

import { useState } from "preact/hooks";
import { Alert } from "../shared/alert";
import { copied } from "../shared/clipboard";
import { send } from "../shared/http";
import { editorOf } from "../shared/links";
import { address } from "../shared/page";
import type { Choices } from "./choices";
import { answerAddress, curlCommand, sparqlQuery } from "./copies";
import type { PageData } from "./types";

type Form = "link" | "JSON-LD" | "curl" | "SPARQL";
const FORMS: Form[] = ["link", "JSON-LD", "curl", "SPARQL"];

export function Take({ choices, data }: { choices: Choices; data: PageData }) {
  const [form, setForm] = useState<Form | null>(null);
  const [text, setText] = useState("");
  const [isCopied, setCopied] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const show = async (wanted: Form) => {
    setError(null);
    setCopied(false);
    if (wanted === form) return setForm(null);
    try {
      const made = await textOf(wanted, choices, data);
      setText(made);
      setForm(wanted);
      setCopied(await copied(made));
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <div class="take">
      <div class="row" role="group" aria-label="Copy this search">
        <a class="button small" href={address("/graph", { q: String(choices["q"] ?? "") })}>
          Draw its graph
        </a>
        <span class="quiet">Copy as</span>
        {FORMS.map((each) => (
          <button key={each} type="button" class="small" aria-expanded={each === form} onClick={() => void show(each)}>
            {each}
          </button>
        ))}
      </div>
      {error !== null && <Alert error={error} />}
      {form !== null && (
        <div class="taken">
          <p class="row spread">
            <span class="quiet" role="status">
              {isCopied ? "Copied." : "Select it to copy."}
            </span>
            {form === "JSON-LD" && <a href={answerAddress(choices, data.parameters)}>Its address</a>}
            {form === "SPARQL" && <a href={editorOf(text)}>Open in the editor</a>}
          </p>
          <pre tabIndex={0} aria-label={form}>
            {text}
          </pre>
        </div>
      )}
    </div>
  );
}

async function textOf(form: Form, choices: Choices, { parameters }: PageData): Promise<string> {
  if (form === "link") return location.href;
  if (form === "curl") return curlCommand(choices, parameters);
  if (form === "SPARQL") return sparqlQuery(choices, parameters);
  const response = await send(answerAddress(choices, parameters), { accept: "application/ld+json" });
  return JSON.stringify(await response.json(), null, 1);
}
