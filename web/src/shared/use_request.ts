/** Hooks for requests: what was loaded, and work that a button begins. */

import { useCallback, useEffect, useState } from "preact/hooks";
import { getJson } from "./http";

interface Loaded<T> {
  value: T | null;
  error: unknown;
  reload: () => void;
}

/** The JSON at an address, loaded when the component appears, when the address changes, and on `reload`. */
export function useLoaded<T>(url: string): Loaded<T> {
  const [value, setValue] = useState<T | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [count, setCount] = useState(0);
  useEffect(() => {
    const ended = new AbortController();
    getJson<T>(url, { signal: ended.signal }).then(
      (loaded) => {
        setValue(loaded);
        setError(null);
      },
      (thrown: unknown) => ended.signal.aborted || setError(thrown),
    );
    return () => ended.abort();
  }, [url, count]);
  return { value, error, reload: useCallback(() => setCount((former) => former + 1), []) };
}

interface Work {
  busy: boolean;
  error: unknown;
  /** Begins the work, unless it is being done. */
  run: (work: () => Promise<void>) => void;
}

/** Work that is done once at a time, with the error that it ended with. */
export function useWork(): Work {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = (work: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    setError(null);
    work()
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return { busy, error, run };
}
