/** The page of all documents: a choice of folder stays open while its reader goes on. */

import { languageNames } from "../shared/enhancements";

languageNames();
for (const details of document.querySelectorAll<HTMLDetailsElement>(".facets details")) {
  const key = `folder ${details.parentElement?.querySelector("a")?.getAttribute("href") ?? ""}`;
  details.open = wasOpen(key);
  details.addEventListener("toggle", () => history.replaceState({ ...history.state, [key]: details.open }, ""));
}

/** Whether the entry of the browser's history says that a choice was open. */
function wasOpen(key: string): boolean {
  const state = history.state as Record<string, unknown> | null;
  return state?.[key] === true;
}
