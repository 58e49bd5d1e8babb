/** The search page: results as they arrive. */

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Alert } from "../shared/alert";
import { events, send } from "../shared/http";
import { address } from "../shared/page";

function Waiting({ question }: { question: string }) {
  const [seeds, setSeeds] = useState(0);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const ended = new AbortController();
    const follow = async () => {
      const options = { body: { q: question }, accept: "text/event-stream", signal: ended.signal };
      for await (const { name } of events(await send(address("/v1/retrieve/stream"), options))) {
        if (name === "seed") setSeeds((count) => count + 1);
      }
    };
    follow().catch((thrown: unknown) => ended.signal.aborted || setError(thrown));
    return () => ended.abort();
  }, [question]);
  return error === null ? <p role="status">{seeds} seeds</p> : <Alert error={error} />;
}

const asked = new URLSearchParams(location.search).get("q");
const place = document.getElementById("app");
if (asked !== null && place !== null) render(<Waiting question={asked} />, place);
