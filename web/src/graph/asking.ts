/** What a picture is of, and the parts of the graph that are asked for it. */

import { Problem } from "../shared/http";
import { pause } from "../shared/pause";
import { answer, COMMUNITY, community, neighbourhood, type Part, ROOT } from "./data";
import { limits } from "./limits";

const AROUND = Math.min(40, limits.nodes); // nodes that a click brings in

/** What the page begins with. */
export type Subject = { iri: string } | { q: string } | { whole: true };

export function subjectOf(search: string): Subject {
  const asked = new URLSearchParams(search);
  const [iri, q] = [asked.get("iri"), asked.get("q")];
  return iri ? { iri } : q ? { q } : { whole: true };
}

export function begin(subject: Subject, signal: AbortSignal): Promise<Part> {
  if ("iri" in subject) return neighbourhood(subject.iri, AROUND, signal, Math.min(2, limits.hops));
  return "q" in subject ? answer(subject.q, signal) : patiently(() => community(ROOT, signal), signal);
}

export function ask(at: string, subject: Subject, signal: AbortSignal): Promise<Part> {
  if (at === "") return begin(subject, signal);
  if (at.startsWith(COMMUNITY)) return community(at.slice(COMMUNITY.length), signal);
  return neighbourhood(at, AROUND, signal);
}

/** Tries again while the service says that it is still finding the communities. */
export async function patiently<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await task();
    } catch (error) {
      if (tries >= 20 || !(error instanceof Problem && error.status === 503)) throw error;
      await pause(Math.min(error.retryAfter ?? 2, 5) * 1000, signal);
    }
  }
}
