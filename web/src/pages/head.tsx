/** The head of every page: the way back to the search that led here. */

import { wayBack } from "../shared/back";

function show(): void {
  const link = document.getElementById("back");
  const href = wayBack();
  if (link instanceof HTMLAnchorElement) {
    link.hidden = href === null;
    if (href !== null) link.href = href;
  }
}

show();
window.addEventListener("hashchange", show);
