/** The jobs of the service, and how far they have come. */

import { useState } from "preact/hooks";
import { Alert } from "../shared/alert";
import { send } from "../shared/http";
import { address } from "../shared/page";
import { useLoaded, useWork } from "../shared/use_request";
import { FollowedJob, type Job } from "./job";

export function Jobs() {
  const { value, error, reload } = useLoaded<{ jobs: Job[] }>(address("/v1/jobs", { limit: 50 }));
  const work = useWork();
  const [open, setOpen] = useState<string | null>(null);
  const end = (job: Job) =>
    work.run(async () => {
      await send(address(`/v1/jobs/${job.id}`), { method: "DELETE" });
      reload();
    });
  if (error !== null) return <Alert error={error} />;
  if (value === null) return <p role="status">Loading …</p>;
  return (
    <>
      <p>
        <button onClick={reload}>Refresh</button>
      </p>
      {work.error !== null && <Alert error={work.error} />}
      {value.jobs.length === 0 && <p>No job waits, is being done, or is still kept.</p>}
      <ul class="plain rows">
        {value.jobs.map((job) => (
          <li key={job.id}>
            <button class="small" aria-expanded={open === job.id} onClick={() => setOpen(open === job.id ? null : job.id)}>
              {open === job.id ? "Hide" : "Show"}
            </button>{" "}
            <strong>{job.state}</strong> <span class="quiet">begun {job.created}</span>{" "}
            <button class="small" disabled={work.busy} onClick={() => end(job)}>
              {job.ended ? "Forget" : "Cancel"}
            </button>
            {open === job.id && <FollowedJob path={`/v1/jobs/${job.id}`} />}
          </li>
        ))}
      </ul>
    </>
  );
}
