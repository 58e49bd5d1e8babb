/** Changing, replacing and deleting documents. */

import { useState } from "preact/hooks";
import type { DescribedDocument as Described, PlainDocuments as Listed } from "../api";
import { Alert } from "../shared/alert";
import { getJson, send } from "../shared/http";
import { address } from "../shared/page";
import { useLoaded, useWork } from "../shared/use_request";
import { type Metadata, MetadataForm } from "./metadata";

const PAGE = 50;

export function Documents() {
  const [prefix, setPrefix] = useState("");
  const [offset, setOffset] = useState(0);
  const [chosen, setChosen] = useState<string | null>(null);
  const list = useLoaded<Listed>(address("/v1/documents", { prefix, offset, limit: PAGE }));
  if (chosen !== null) {
    const back = () => {
      setChosen(null);
      list.reload();
    };
    return <Document identifier={chosen} onEnd={back} />;
  }
  const { value, error } = list;
  return (
    <>
      <p>
        <label for="prefix">Identifiers that begin with</label>{" "}
        <input
          id="prefix"
          type="search"
          value={prefix}
          onInput={(event) => {
            setPrefix(event.currentTarget.value);
            setOffset(0);
          }}
        />
      </p>
      {error !== null && <Alert error={error} />}
      {value && (
        <>
          <p class="quiet" role="status">
            {value.numberOfItems.toLocaleString("en")} documents
          </p>
          <ul class="plain rows">
            {value.documents.map((each) => (
              <li key={each.id}>
                <button class="small" onClick={() => setChosen(each.identifier)}>
                  Change
                </button>{" "}
                <a href={address("/describe", { iri: each.id })}>{each.name ?? each.identifier}</a>{" "}
                <span class="quiet">{each.identifier}</span>
              </li>
            ))}
          </ul>
          <p class="row">
            <button disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
              Back
            </button>
            <button disabled={offset + PAGE >= value.numberOfItems} onClick={() => setOffset(offset + PAGE)}>
              Next
            </button>
          </p>
        </>
      )}
    </>
  );
}

function Document({ identifier, onEnd }: { identifier: string; onEnd: () => void }) {
  const path = `/v1/documents/${encodeURIComponent(identifier)}`;
  const [version, setVersion] = useState(0);
  const { value, error, reload } = useLoaded<Described>(address(path));
  const work = useWork();
  const [sure, setSure] = useState(false);
  const [said, setSaid] = useState("");
  const done = (text: string) => {
    setSaid(text);
    setVersion((former) => former + 1);
    reload();
  };
  const patch = (metadata: Metadata) =>
    work.run(async () => {
      const headers = { "Content-Type": "application/merge-patch+json" };
      await send(address(path), { method: "PATCH", body: JSON.stringify({ metadata }), headers });
      done("The metadata is saved.");
    });
  const replace = (file: File | undefined) => {
    if (file === undefined) return;
    work.run(async () => {
      const headers = { "Content-Type": file.type || "text/plain" };
      await getJson(address(path, { replace: "true" }), { method: "PUT", body: file, headers });
      done(`It is what ${file.name} has now.`);
    });
  };
  const remove = () =>
    work.run(async () => {
      await send(address(path), { method: "DELETE" });
      onEnd();
    });
  return (
    <>
      <p>
        <button onClick={onEnd}>Back to the list</button>
      </p>
      <h3>{value === null ? identifier : <a href={address("/describe", { iri: value.id })}>{identifier}</a>}</h3>
      {error !== null && <Alert error={error} />}
      {value && (
        <>
          <p class="quiet">
            {value.mediaType}, {value.chunks} passages
            {value.file ? `, from the file ${value.file.path}` : ""}
          </p>
          <MetadataForm key={version} metadata={value.metadata} busy={work.busy} onSave={patch} />
          {said !== "" && !work.busy && work.error === null && <p role="status">{said}</p>}
          {work.busy && <p role="status">Working …</p>}
          {work.error !== null && <Alert error={work.error} />}
          <h4>The document</h4>
          <p class="row">
            <label class="button">
              Replace by a file{" "}
              <input
                class="unseen"
                type="file"
                onChange={(event) => replace(event.currentTarget.files?.[0])}
              />
            </label>
            {sure ? (
              <>
                <button class="danger" disabled={work.busy} onClick={remove}>
                  Delete it, with all that was derived from it
                </button>
                <button onClick={() => setSure(false)}>Keep it</button>
              </>
            ) : (
              <button onClick={() => setSure(true)}>Delete</button>
            )}
          </p>
        </>
      )}
    </>
  );
}
