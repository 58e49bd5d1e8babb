/** An error as a person should read it: what happened, and what to do. */

import { Problem } from "./http";

export function Alert({ error }: { error: unknown }) {
  const text = error instanceof Error ? error.message : String(error);
  const wait = error instanceof Problem && error.retryAfter !== null ? ` Try again in ${error.retryAfter} s.` : "";
  return (
    <p class="problem" role="alert">
      {text}
      {wait}
    </p>
  );
}
