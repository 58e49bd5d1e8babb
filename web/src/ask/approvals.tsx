/** Calls of tools that wait for a person, with what they would do. */

import { useState } from "preact/hooks";
import { Alert } from "../shared/alert";
import { send } from "../shared/http";
import { address } from "../shared/page";
import { useLoaded } from "../shared/use_request";
import type { Approval } from "./asking";

export function Approvals({ longest }: { longest: number }) {
  const { value, error: unread, reload } = useLoaded<{ approvals: Approval[] }>(address("/v1/approvals"));
  const [said, setSaid] = useState("");
  const [error, setError] = useState<unknown>(null);
  const decide = async (approval: Approval, approved: boolean, reason: string) => {
    setError(null);
    try {
      const body = { approved, ...(reason === "" ? {} : { reason }) };
      await send(address(`/v1/approvals/${approval.approval}`), { body });
      setSaid(`${approved ? "Approved" : "Refused"}: ${approval.tool}.`);
      reload();
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <>
      <div class="row">
        <p role="status">{said}</p>
        <button type="button" class="small" onClick={reload}>
          Look again
        </button>
      </div>
      {(error ?? unread) !== null && <Alert error={error ?? unread} />}
      {value?.approvals.length === 0 && <p>Nothing waits for you.</p>}
      {value?.approvals.map((each) => (
        <Waiting key={each.approval} approval={each} longest={longest} decide={decide} />
      ))}
    </>
  );
}

interface WaitingOptions {
  approval: Approval;
  longest: number;
  decide: (approval: Approval, approved: boolean, reason: string) => Promise<void>;
}

function Waiting({ approval, longest, decide }: WaitingOptions) {
  const [reason, setReason] = useState("");
  const id = `reason-${approval.approval}`;
  return (
    <section class="panel approval" aria-label={`A call of ${approval.tool}`}>
      <h3>
        {approval.result === undefined ? "Run" : "Release the result of"} <code>{approval.tool}</code>?
      </h3>
      <p class="quiet">
        Asked {new Date(approval.created).toLocaleString()}; a token of the role {approval.role} may decide.
      </p>
      <pre tabIndex={0} aria-label="Arguments">
        {shownJson(approval.arguments)}
      </pre>
      {approval.result !== undefined && (
        <pre tabIndex={0} aria-label="Result">
          {shownJson(approval.result)}
        </pre>
      )}
      <div class="row">
        <label for={id}>Reason</label>
        <input id={id} maxLength={longest} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        <button type="button" class="main" onClick={() => void decide(approval, true, reason)}>
          Approve
        </button>
        <button type="button" onClick={() => void decide(approval, false, reason)}>
          Refuse
        </button>
      </div>
    </section>
  );
}

/** A value as JSON in which characters that are not seen, or that turn the direction of writing, are escaped. */
function shownJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (sign) =>
    Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}
