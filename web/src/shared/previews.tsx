/** Previews of entities and documents beside the places where a text names them. */

import { render } from "preact";
import { send } from "./http";
import { cut } from "./text";

interface Preview {
  title: string;
  kind: string;
  lines: string[];
}

const WAIT = 250;
const kept = new Map<string, Promise<Preview | null>>();

export function previews(links: Iterable<HTMLAnchorElement>): void {
  const popover = document.createElement("div");
  popover.className = "popover";
  popover.hidden = true;
  popover.id = "preview";
  popover.setAttribute("role", "tooltip");
  let timer = 0;
  let current: HTMLAnchorElement | null = null;
  const hide = () => {
    clearTimeout(timer);
    current?.removeAttribute("aria-describedby");
    current = null;
    popover.hidden = true;
  };
  const show = (link: HTMLAnchorElement) => {
    hide();
    if (link.origin !== location.origin) return; // what others host is asked by no page of ours
    current = link;
    timer = window.setTimeout(() => {
      void preview(link.href).then((found) => {
        if (found === null || current !== link) return;
        render(<Content {...found} />, popover);
        document.body.append(popover);
        popover.hidden = false;
        place(popover, link);
        link.setAttribute("aria-describedby", popover.id);
      });
    }, WAIT);
  };
  for (const link of links) {
    link.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && show(link));
    link.addEventListener("pointerleave", () => current === link && hide());
    link.addEventListener("focus", () => link.matches(":focus-visible") && show(link));
    link.addEventListener("blur", () => current === link && hide());
  }
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
}

function Content({ title, kind, lines }: Preview) {
  return (
    <>
      <p>
        <strong>{title}</strong> <span class="quiet">{kind}</span>
      </p>
      {lines.map((line) => (
        <p class="quiet">{line}</p>
      ))}
    </>
  );
}

/** What the page at an address says first; null where it cannot be read. */
function preview(href: string): Promise<Preview | null> {
  const url = href.replace(/#.*/, "");
  let found = kept.get(url);
  if (found === undefined) {
    found = read(url).catch(() => null);
    kept.set(url, found);
  }
  return found;
}

async function read(url: string): Promise<Preview> {
  const text = await (await send(url, { accept: "text/html" })).text();
  const page = new DOMParser().parseFromString(text, "text/html"); // no script of it runs
  const words = (selector: string) => cut(page.querySelector(selector)?.textContent ?? "", 160);
  const first = [".passage p", ".record", ".mentions blockquote"].map(words).find((each) => each !== "") ?? "";
  return {
    title: words("h1"),
    kind: words("[data-kind]") || words(".facts-line"),
    lines: first === "" ? [] : [first],
  };
}

function place(popover: HTMLElement, link: HTMLElement): void {
  const box = link.getBoundingClientRect();
  const left = Math.min(box.left, document.documentElement.clientWidth - popover.offsetWidth - 8);
  const above = box.bottom + popover.offsetHeight + 12 > innerHeight && box.top > popover.offsetHeight + 12;
  popover.style.left = `${Math.max(left, 8) + scrollX}px`;
  popover.style.top = `${(above ? box.top - popover.offsetHeight - 6 : box.bottom + 6) + scrollY}px`;
}
