/** New revisions of the graph, as the service tells them. */

import { events, Problem, send } from "../shared/http";
import { address } from "../shared/page";
import { pause } from "../shared/pause";

/** Follows the revisions of the service while the page is seen, and tells each number. */
export async function follow(signal: AbortSignal, tell: (number: number) => void): Promise<void> {
  while (!signal.aborted) {
    const hidden = new AbortController();
    const watch = () => document.hidden && hidden.abort();
    document.addEventListener("visibilitychange", watch);
    try {
      const response = await send(address("/v1/events"), { accept: "text/event-stream", signal: AbortSignal.any([signal, hidden.signal]) });
      for await (const { name, data } of events(response)) {
        if (name === "revision") tell((data as { revision: number }).revision);
      }
      await pause(1000, signal);
    } catch (error) {
      if (signal.aborted) return;
      const wait = error instanceof Problem ? (error.retryAfter ?? 30) : 5;
      if (!document.hidden) await pause(wait * 1000, signal).catch(() => undefined);
    } finally {
      document.removeEventListener("visibilitychange", watch);
    }
    if (document.hidden) await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
  }
}
