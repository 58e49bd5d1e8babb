/** Requests to the service: JSON, texts and server-sent events, with the token of the session. */

import { token } from "./session";

/** An error that the service answered with: a problem document (RFC 9457). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    detail: string,
    readonly retryAfter: number | null = null,
    /** All members of the problem document, such as the place of an error in a query. */
    readonly more: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
  }
}

interface Options {
  method?: string;
  body?: unknown;
  accept?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** The response to a request; a body that is no text, form or file is sent as JSON. Throws Problem. */
export async function send(url: string, options: Options = {}): Promise<Response> {
  const headers: Record<string, string> = { Accept: options.accept ?? "application/json", ...options.headers };
  const signedIn = token();
  if (signedIn !== null && !("Authorization" in headers)) headers["Authorization"] = `Bearer ${signedIn}`;
  let body: BodyInit | undefined;
  if (options.body !== undefined) {
    const raw = options.body;
    if (typeof raw === "string" || raw instanceof Blob || raw instanceof FormData || raw instanceof URLSearchParams) {
      body = raw;
    } else {
      headers["Content-Type"] = "application/json";
      body = JSON.stringify(raw);
    }
  }
  const response = await fetch(url, {
    method: options.method ?? (body === undefined ? "GET" : "POST"),
    headers,
    ...(body === undefined ? {} : { body }),
    ...(options.signal ? { signal: options.signal } : {}),
    credentials: "Authorization" in headers ? "omit" : "same-origin", // else a browser asks for a password at 401
    redirect: "follow",
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** The JSON that a request is answered with. Throws Problem. */
export async function getJson<T>(url: string, options: Options = {}): Promise<T> {
  return (await (await send(url, options)).json()) as T;
}

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  const after = Number(response.headers.get("Retry-After"));
  const wait = Number.isFinite(after) && after > 0 ? after : null;
  try {
    const said = JSON.parse(text) as { title?: string; detail?: string };
    return new Problem(response.status, said.title ?? response.statusText, said.detail ?? text, wait, { ...said });
  } catch {
    return new Problem(response.status, response.statusText, text.slice(0, 500) || response.statusText, wait);
  }
}

/** The server-sent events of a request, as they come. Throws Problem, also for one that comes as an event. */
export async function* stream(url: string, options: Options): AsyncGenerator<ServerEvent> {
  for await (const event of events(await send(url, { ...options, accept: "text/event-stream" }))) {
    if (event.name === "problem") {
      const { status, title, detail } = event.data as { status: number; title: string; detail: string };
      throw new Problem(status, title, detail);
    }
    yield event;
  }
}

interface ServerEvent {
  name: string;
  data: unknown;
}

/** The server-sent events of a response, each with its data read as JSON. */
export async function* events(response: Response): AsyncGenerator<ServerEvent> {
  const body = response.body as ReadableStream<BufferSource>;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const lines = rest.slice(0, end).split("\n");
      rest = rest.slice(end + 2);
      const name = lines.find((line) => line.startsWith("event:"))?.slice(6).trim() ?? "message";
      const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart());
      if (data.length > 0) yield { name, data: JSON.parse(data.join("\n")) as unknown };
    }
  }
}
