/** A job of the service, followed by its events until it ends. */

import type { ComponentChild } from "preact";
import { useEffect, useState } from "preact/hooks";
import type * as api from "../api";
import { Alert } from "../shared/alert";
import { stream } from "../shared/http";
import { address, root } from "../shared/page";

/** The report of any sort of job. */
export type Report = Partial<api.StoredByJob & api.Relinked & api.Checked>;

export type Job = Omit<api.Job, "report"> & { report?: Report };

/** The job that an answer 202 names. */
export function jobAddress(response: Response): string {
  return (response.headers.get("Location") ?? "").slice(root.length);
}

/** The progress of the job at a path, and its report when it has ended. */
export function FollowedJob({ path, onEnd }: { path: string; onEnd?: () => void }) {
  const [job, setJob] = useState<Job | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const ended = new AbortController();
    const follow = async () => {
      for await (const { data } of stream(address(`${path}/events`), { signal: ended.signal })) setJob(data as Job);
      onEnd?.();
    };
    follow().catch((thrown: unknown) => ended.signal.aborted || setError(thrown));
    return () => ended.abort();
  }, [path]);
  if (error !== null) return <Alert error={error} />;
  return job === null ? <p role="status">The job waits.</p> : <JobView job={job} />;
}

function JobView({ job }: { job: Job }) {
  const { progress, report, problem } = job;
  return (
    <div role="status" class={`job ${job.state}`}>
      <p>
        <strong>{job.state}</strong>
        {progress && !job.ended && ` · ${progress.step}: ${progress.done} of ${progress.total}`}
      </p>
      {progress && !job.ended && progress.total > 0 && (
        <progress aria-label={progress.step} max={progress.total} value={progress.done} />
      )}
      {problem && <p class="problem">{problem.detail}</p>}
      {report && <ReportView report={report} />}
    </div>
  );
}

export function ReportView({ report }: { report: Report }) {
  return (
    <>
      {report.revision !== undefined && report.clean === undefined && <p>Revision {report.revision}.</p>}
      {report.clean !== undefined && (
        <p>{report.clean ? "Nothing is wrong" : "Something is wrong"} in revision {report.revision}.</p>
      )}
      {report.edges && (
        <p>
          Edges:{" "}
          {Object.entries(report.edges)
            .map(([kind, count]) => `${count.toLocaleString("en")} ${kind}`)
            .join(", ")}
          .
        </p>
      )}
      <Rows name="Documents" rows={report.documents?.map((each) => [<Named {...each} />, each.status])} />
      <Rows name="Not taken" rows={report.failed?.map((each) => [each.source, each.detail])} />
      <Rows name="Left out" rows={report.leftOut?.map((each) => [each.identifier, each.detail])} />
      <Rows name="Warnings" rows={report.warnings?.map((each) => [each])} />
      <Rows name="Repaired" rows={report.repaired?.map((each) => [each.check, each.where, each.meaning])} />
      <Rows
        name="Findings"
        rows={report.findings?.map((each) => [each.check, each.where, `${each.meaning}; ${each.remedy}`])}
      />
    </>
  );
}

function Named({ id, identifier, status }: { id: string; identifier: string; status: string }) {
  return status === "deleted" ? <>{identifier}</> : <a href={address("/describe", { iri: id })}>{identifier}</a>;
}

function Rows({ name, rows }: { name: string; rows: ComponentChild[][] | undefined }) {
  if (!rows?.length) return null;
  return (
    <details open={rows.length <= 20}>
      <summary>
        {name}: {rows.length}
      </summary>
      <div class="scroll">
        <table>
          <tbody>
            {rows.map((row, number) => (
              <tr key={number}>
                {row.map((cell, column) => (
                  <td key={column}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
