/** A wait that a signal ends. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end); // a signal outlives many waits
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", end);
  });
}
