/** Adding files, folders and texts. */

import { useState } from "preact/hooks";
import { Alert } from "../shared/alert";
import { send } from "../shared/http";
import { address } from "../shared/page";
import { useWork } from "../shared/use_request";
import { bytes, data } from "./data";
import { batches, chosenFiles, type DroppedFile, droppedFiles } from "./dropped_files";
import { FollowedJob, jobAddress, type Report, ReportView } from "./job";

const MOST_FILES = 2000;
const FORM_BYTES = 600; // of a file's part beside its content

interface Sent {
  title: string;
  job?: string;
  report?: Report;
  error?: unknown;
}

export function Uploads() {
  const [sent, setSent] = useState<Sent[]>([]);
  const [over, setOver] = useState(false);
  const [replace, setReplace] = useState(false);
  const { busy, error, run } = useWork();
  const note = (each: Sent) => setSent((former) => [each, ...former]);

  const upload = async (files: readonly DroppedFile[]) => {
    const size = data.bodyBytes - data.batchDocuments * FORM_BYTES;
    for (const batch of batches(files, size, data.batchDocuments)) {
      const title = batch.length === 1 ? (batch[0]?.path ?? "") : `${batch.length} files`;
      const form = new FormData();
      for (const { path, file } of batch) form.append("file", file, path);
      note(await posted(title, form, replace));
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const transfer = event.dataTransfer;
    if (transfer) run(async () => upload(await droppedFiles(transfer, MOST_FILES)));
  };
  return (
    <>
      <div
        class={over ? "drop over" : "drop"}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <p>Drop files and folders here, or choose them:</p>
        <p class="row">
          <label class="button">
            Files{" "}
            <input
              class="unseen"
              type="file"
              multiple
              onChange={(event) => {
                const files = chosenFiles(event.currentTarget.files);
                run(() => upload(files));
              }}
            />
          </label>
          <label class="button">
            Folder{" "}
            <input
              class="unseen"
              type="file"
              {...{ webkitdirectory: true }}
              onChange={(event) => {
                const files = chosenFiles(event.currentTarget.files);
                run(() => upload(files));
              }}
            />
          </label>
          <label>
            <input
              type="checkbox"
              checked={replace}
              onChange={(event) => setReplace(event.currentTarget.checked)}
            />{" "}
            Replace documents that came from files
          </label>
        </p>
        <p class="quiet">
          Up to {bytes(data.bodyBytes)} a request; what has more than {bytes(data.syncBytes)} becomes a job.
        </p>
      </div>
      <TextForm busy={busy} onSend={(title, body) => run(async () => note(await posted(title, body, replace)))} />
      {busy && <p role="status">Sending …</p>}
      {error !== null && <Alert error={error} />}
      <ul class="plain" aria-label="Sent">
        {sent.map((each, number) => (
          <li key={sent.length - number}>
            <h3>{each.title}</h3>
            {each.job !== undefined && <FollowedJob path={each.job} />}
            {each.report && <ReportView report={each.report} />}
            {each.error !== undefined && <Alert error={each.error} />}
          </li>
        ))}
      </ul>
    </>
  );
}

async function posted(title: string, body: unknown, replace: boolean): Promise<Sent> {
  try {
    const response = await send(address("/v1/documents", replace ? { replace: "true" } : {}), { body });
    if (response.status === 202) return { title, job: jobAddress(response) };
    return { title, report: (await response.json()) as Report };
  } catch (error) {
    return { title, error };
  }
}

function TextForm({ busy, onSend }: { busy: boolean; onSend: (title: string, body: unknown) => void }) {
  const [error, setError] = useState<unknown>(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    const said = (name: string) => String(fields.get(name) ?? "").trim();
    try {
      const metadata = said("metadata") === "" ? {} : (JSON.parse(said("metadata")) as object);
      const body = {
        text: String(fields.get("text") ?? ""),
        mediaType: said("mediaType"),
        metadata,
        ...(said("identifier") ? { identifier: said("identifier") } : {}),
        ...(said("name") ? { name: said("name") } : {}),
      };
      setError(null);
      onSend(said("identifier") || said("name") || "Text", body);
      form.reset();
    } catch (thrown) {
      setError(new Error(`the metadata is not a JSON object: ${thrown instanceof Error ? thrown.message : thrown}`));
    }
  };
  return (
    <details>
      <summary>Add a text</summary>
      <form class="fields" onSubmit={submit}>
        <label for="text">Text</label>
        <textarea id="text" name="text" rows={8} required />
        <label for="mediaType">Format</label>
        <select id="mediaType" name="mediaType">
          <option value="text/plain">Plain text</option>
          <option value="text/markdown">Markdown</option>
          <option value="text/html">HTML</option>
          <option value="text/csv">CSV</option>
          <option value="application/json">JSON</option>
          <option value="text/turtle">Turtle</option>
        </select>
        <label for="identifier">Identifier</label>
        <input id="identifier" name="identifier" maxLength={data.identifierLength} placeholder="notes/heron" />
        <label for="name">Title</label>
        <input id="name" name="name" />
        <label for="metadata">Metadata</label>
        <input id="metadata" name="metadata" placeholder='{"year": 1931}' />
        <span />
        <p>
          <button class="main" disabled={busy}>
            Add
          </button>
        </p>
        {error !== null && <Alert error={error} />}
      </form>
    </details>
  );
}
