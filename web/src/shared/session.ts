/** The token with which a person signed in. It stays in this tab, until it is closed. */

const CHANGED = "sage-ld-session";
const KEY = "sage-ld token";

export function token(): string | null {
  return sessionStorage.getItem(KEY);
}

/** Signs in, or out with null, and tells all who listen. */
export function setToken(value: string | null): void {
  if (value === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, value);
  window.dispatchEvent(new Event(CHANGED));
}

/** Calls `listener` at every sign-in and sign-out, until the function that it gives is called. */
export function onSession(listener: () => void): () => void {
  window.addEventListener(CHANGED, listener);
  return () => window.removeEventListener(CHANGED, listener);
}
