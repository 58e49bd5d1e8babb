/** The state of the service, and upkeep of its graph: check, relink, snapshots, caches. */

import { useState } from "preact/hooks";
import type { Snapshots as SnapshotList, State } from "../api";
import { Alert } from "../shared/alert";
import { save } from "../shared/files";
import { getJson, send } from "../shared/http";
import { address } from "../shared/page";
import { useLoaded, useWork } from "../shared/use_request";
import { bytes, data } from "./data";
import { FollowedJob, jobAddress } from "./job";

interface Health {
  status: string;
  damage?: Record<string, string>;
}

export function Operation() {
  return (
    <>
      <StateView />
      <h3>Check and relink</h3>
      <Upkeep />
      <h3>Snapshots</h3>
      {data.snapshots ? (
        <Snapshots />
      ) : (
        <p>
          The setting <code>snapshot_dir</code> names no folder for snapshots.
        </p>
      )}
      <h3>Backup</h3>
      <p>
        {data.snapshots ? "A snapshot that you download is a backup: unpack the file. " : ""}
        <code>sage-ld backup KG DIR</code> on the server copies the whole graph while the service runs, and{" "}
        <code>sage-ld restore DIR KG</code> brings it back. Its statements alone are a file:{" "}
        <a href={address("/export", { format: "nquads" })}>the whole graph as N-Quads</a>.
      </p>
    </>
  );
}

function StateView() {
  const { value, error, reload } = useLoaded<State>(address("/v1/admin/state"));
  const health = useLoaded<Health>(address("/health"));
  if (error !== null) return <Alert error={error} />;
  if (value === null) return <p role="status">Loading …</p>;
  const size = Object.values(value.bytes).reduce((sum, each) => sum + each, 0);
  return (
    <>
      <dl class="figures">
        <div>
          <dt>Health</dt>
          <dd>{health.value?.status ?? "unknown"}</dd>
        </div>
        <div>
          <dt>Revision</dt>
          <dd>{value.revision}</dd>
        </div>
        <div>
          <dt>Size</dt>
          <dd>{bytes(size)}</dd>
        </div>
        <div>
          <dt>Memory</dt>
          <dd>
            {bytes(value.memory)} in {value.processes} processes
          </dd>
        </div>
        <div>
          <dt>Version</dt>
          <dd>
            {value.version} (Python {value.python})
          </dd>
        </div>
        <div>
          <dt>Encoder</dt>
          <dd>{value.encoder}</dd>
        </div>
      </dl>
      {Object.entries(health.value?.damage ?? {}).map(([part, text]) => (
        <p class="problem" key={part}>
          {part}: {text}
        </p>
      ))}
      <p class="quiet">
        Base IRI {value.baseIri}. Workers:{" "}
        {Object.entries(value.pools)
          .map(([pool, { waiting, busy }]) => `${pool} ${busy ?? 0} busy, ${waiting ?? 0} waiting`)
          .join("; ")}
        . <button class="small" onClick={() => [reload(), health.reload()]}>Refresh</button>
      </p>
      <details>
        <summary>Bytes by part</summary>
        <table>
          <tbody>
            {Object.entries(value.bytes).map(([part, count]) => (
              <tr key={part}>
                <th scope="row">{part}</th>
                <td class="number">{bytes(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

function Upkeep() {
  const work = useWork();
  const [job, setJob] = useState<{ title: string; path: string } | null>(null);
  const [cleared, setCleared] = useState(false);
  const begin = (title: string, path: string, body?: object) =>
    work.run(async () => {
      const response = await send(address(path), { method: "POST", ...(body ? { body } : {}) });
      setJob({ title, path: jobAddress(response) });
    });
  const clear = () =>
    work.run(async () => {
      await send(address("/v1/cache"), { method: "DELETE" });
      setCleared(true);
    });
  return (
    <>
      <p class="row">
        <button disabled={work.busy} onClick={() => begin("Check", "/v1/admin/check", {})}>
          Check the graph
        </button>
        <button disabled={work.busy} onClick={() => begin("Check and repair", "/v1/admin/check", { repair: true })}>
          Repair what is derived
        </button>
        <button disabled={work.busy} onClick={() => begin("Relink", "/v1/admin/relink")}>
          Relink
        </button>
        <button disabled={work.busy} onClick={clear}>
          Clear the cached answers
        </button>
      </p>
      {cleared && <p role="status">The caches are empty.</p>}
      {work.error !== null && <Alert error={work.error} />}
      {job && (
        <>
          <h4>{job.title}</h4>
          <FollowedJob key={job.path} path={job.path} />
        </>
      )}
    </>
  );
}

function Snapshots() {
  const { value, error, reload } = useLoaded<SnapshotList>(address("/v1/admin/snapshots"));
  const work = useWork();
  const [sure, setSure] = useState<string | null>(null);
  const [restored, setRestored] = useState<number | null>(null);
  const take = () =>
    work.run(async () => {
      await send(address("/v1/admin/snapshot"), { method: "POST" });
      reload();
    });
  const restore = (name: string) =>
    work.run(async () => {
      const said = await getJson<{ revision: number }>(address("/v1/admin/restore"), { body: { name } });
      setRestored(said.revision);
      setSure(null);
    });
  const download = (name: string) =>
    work.run(async () => {
      const response = await send(address(`/v1/admin/snapshots/${name}`), { accept: "application/x-tar" });
      save(await response.blob(), `sage-ld-${name}.tar`);
    });
  return (
    <>
      <p>
        <button disabled={work.busy} onClick={take}>
          Take a snapshot
        </button>
      </p>
      {restored !== null && <p role="status">It is revision {restored} now.</p>}
      {work.error !== null && <Alert error={work.error} />}
      {error !== null && <Alert error={error} />}
      <ul class="plain rows">
        {value?.snapshots.map((each) => (
          <li key={each.name}>
            {each.created}, revision {each.revision}{" "}
            <button class="small" disabled={work.busy} onClick={() => download(each.name)}>
              Download
            </button>{" "}
            {sure === each.name ? (
              <>
                <button class="small danger" disabled={work.busy} onClick={() => restore(each.name)}>
                  Replace what is there
                </button>{" "}
                <button class="small" onClick={() => setSure(null)}>
                  Leave it
                </button>
              </>
            ) : (
              <button class="small" onClick={() => setSure(each.name)}>
                Go back to it
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
