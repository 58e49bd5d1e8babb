/** A field over long lists that hides the items without its text. */

const LONG = 8;

export function filters(sections: Iterable<HTMLElement>): void {
  for (const section of sections) {
    const items = [...section.querySelectorAll<HTMLElement>("li")];
    if (items.length >= LONG) addFilter(section, items);
  }
}

function addFilter(section: HTMLElement, items: readonly HTMLElement[]): void {
  const texts = items.map((item) => (item.textContent ?? "").toLowerCase());
  const field = document.createElement("input");
  field.type = "search";
  field.className = "filter";
  field.placeholder = "Filter";
  const name = section.closest("section")?.querySelector("h2")?.textContent ?? "this list";
  field.setAttribute("aria-label", `Filter ${name}`);
  const count = document.createElement("p");
  count.className = "quiet";
  count.setAttribute("role", "status");
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    let shown = 0;
    items.forEach((item, place) => {
      item.hidden = !texts[place]?.includes(wanted);
      if (!item.hidden) shown += 1;
    });
    count.textContent = wanted ? `${shown} of ${items.length}` : "";
    for (const heading of section.querySelectorAll<HTMLElement>("h3")) {
      const list = heading.nextElementSibling;
      heading.hidden = list?.matches("ul") === true && list.querySelector("li:not([hidden])") === null;
    }
  });
  if (section.matches("ul")) section.before(field, count);
  else section.querySelector("h3, ul")?.before(field, count);
}
