/** The headings of a text as buttons that fold and unfold what stands below them. */

const HEADINGS = "h2, h3, h4, h5, h6";

export function folds(article: Element | null): void {
  const headings = [...(article?.querySelectorAll<HTMLElement>(HEADINGS) ?? [])];
  if (headings.length < 2) return;
  for (const heading of headings) {
    if (heading.classList.contains("unseen") || below(heading).length === 0) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "fold";
    const arrow = document.createElement("span");
    arrow.setAttribute("aria-hidden", "true");
    button.append(arrow, ...heading.childNodes);
    show(button, true);
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-expanded") !== "true";
      show(button, open);
      for (const element of below(heading)) element.hidden = !open;
      if (open) for (const inner of below(heading)) reopen(inner);
    });
    heading.append(button);
  }
  addEventListener("hashchange", () => unfoldTarget(headings));
  // printing, and a search in the page, find all of the text
  addEventListener("beforeprint", () => headings.forEach(open));
}

function show(button: Element, open: boolean): void {
  button.setAttribute("aria-expanded", String(open));
  const arrow = button.querySelector("span");
  if (arrow !== null) arrow.textContent = open ? "▾" : "▸";
}

/** What stands below a heading, to the next one that is not below it. */
function below(heading: HTMLElement): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let next = heading.nextElementSibling; next !== null; next = next.nextElementSibling) {
    if (!(next instanceof HTMLElement) || next.matches("nav")) break;
    if (next.matches(HEADINGS) && next.tagName <= heading.tagName) break;
    found.push(next);
  }
  return found;
}

function reopen(element: HTMLElement): void {
  const button = element.querySelector(":scope > button.fold");
  if (button !== null) show(button, true);
}

function open(heading: HTMLElement): void {
  for (const element of [heading, ...below(heading)]) {
    element.hidden = false;
    reopen(element);
  }
}

/** The fragment of the address, as an identifier; "" for one that is badly encoded. */
function fragment(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

function unfoldTarget(headings: readonly HTMLElement[]): void {
  const target = document.getElementById(fragment());
  if (target === null || target.closest("[hidden]") === null) return;
  for (const heading of headings) if (below(heading).some((each) => each.contains(target))) open(heading);
  target.scrollIntoView();
}
