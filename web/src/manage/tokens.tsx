/** Creating and revoking access tokens. */

import { useState } from "preact/hooks";
import type * as api from "../api";
import { Alert } from "../shared/alert";
import { copied } from "../shared/clipboard";
import { getJson, send } from "../shared/http";
import { address } from "../shared/page";
import { useLoaded, useWork } from "../shared/use_request";

export function Tokens() {
  const { value, error, reload } = useLoaded<api.Tokens>(address("/v1/admin/tokens"));
  const [made, setMade] = useState<api.CreatedToken | null>(null);
  const work = useWork();
  const create = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const body = Object.fromEntries(new FormData(form));
    work.run(async () => {
      setMade(await getJson(address("/v1/admin/tokens"), { body }));
      form.reset();
      reload();
    });
  };
  const revoke = (name: string) =>
    work.run(async () => {
      await send(address(`/v1/admin/tokens/${encodeURIComponent(name)}`), { method: "DELETE" });
      if (made?.name === name) setMade(null);
      reload();
    });
  return (
    <>
      <form class="fields" onSubmit={create}>
        <label for="token-name">Name</label>
        <input id="token-name" name="name" required maxLength={100} placeholder="whose it is" />
        <label for="token-role">Role</label>
        <select id="token-role" name="role">
          <option>read</option>
          <option>write</option>
          <option>admin</option>
        </select>
        <span />
        <p>
          <button class="main" disabled={work.busy}>
            Create
          </button>
        </p>
      </form>
      {work.error !== null && <Alert error={work.error} />}
      {made && (
        <p role="status" class="made">
          The token of {made.name}, shown once and never again: <code>{made.token}</code>{" "}
          <button class="small" onClick={() => void copied(made.token)}>
            Copy
          </button>
        </p>
      )}
      {error !== null && <Alert error={error} />}
      {value && (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Role</th>
                <th scope="col">Created</th>
                <th scope="col">
                  <span class="unseen">Revoke</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {value.tokens.map((each) => (
                <tr key={each.name}>
                  <td>{each.name}</td>
                  <td>{each.role}</td>
                  <td>{each.created}</td>
                  <td>
                    <button
                      class="small"
                      aria-label={`Revoke the token of ${each.name}`}
                      disabled={work.busy}
                      onClick={() => revoke(each.name)}
                    >
                      Revoke
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
