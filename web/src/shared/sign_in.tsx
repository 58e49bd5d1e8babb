/** Signing in by a token, which stays in this tab. */

import { useCallback, useEffect, useState } from "preact/hooks";
import { Alert } from "./alert";
import { getJson, Problem } from "./http";
import { address } from "./page";
import { onSession, setToken, token } from "./session";

export type Role = "none" | "read" | "write" | "admin";
const ORDER: readonly Role[] = ["none", "read", "write", "admin"];

/** Whether a role includes another one. */
export function includes(role: Role, needed: Role): boolean {
  return ORDER.indexOf(role) >= ORDER.indexOf(needed);
}

/** The role of the signed-in user, asked of the service; null until it has answered. */
export function useRole(): Role | null {
  const [role, setRole] = useState<Role | null>(null);
  const ask = useCallback(() => {
    if (token() === null) {
      setRole("none");
      return;
    }
    getJson<{ role: Role }>(address("/v1/role")).then(
      (said) => setRole(said.role),
      (error: unknown) => {
        if (error instanceof Problem && error.status === 401) setToken(null); // it was revoked
        else setRole("none"); // the service does not answer now: the token may still hold
      },
    );
  }, []);
  useEffect(() => {
    ask();
    return onSession(ask);
  }, [ask]);
  return role;
}

/** A field for a token, or who is signed in with a button to sign out. */
export function SignIn({ role }: { role: Role | null }) {
  const [text, setText] = useState("");
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    setError(null);
    try {
      const headers = { Authorization: `Bearer ${text.trim()}` };
      await getJson(address("/v1/role"), { headers });
      setToken(text.trim());
      setText("");
    } catch (thrown) {
      setError(thrown);
    }
  };
  if (role !== null && role !== "none") {
    return (
      <p class="signed-in">
        Signed in with the role <strong>{role}</strong>. <button onClick={() => setToken(null)}>Sign out</button>
      </p>
    );
  }
  return (
    <form class="sign-in" onSubmit={submit}>
      <label for="token">Token</label>
      <input
        id="token"
        type="password"
        autocomplete="off"
        required
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button class="main">Sign in</button>
      <p class="quiet">
        <code>sage-ld token create KG NAME --role admin</code> makes one. It is kept in this tab only, until you close it.
      </p>
      {error !== null && <Alert error={error} />}
    </form>
  );
}
