/** Small enhancements of pages that work without them. */

/** Shows the buttons that copy a text, which need a script. */
export function copyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    button.hidden = false;
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", () => {
      void copied(button.dataset["copy"] ?? "").then((done) => {
        button.textContent = done ? "Copied" : "Not copied";
        setTimeout(() => (button.textContent = "Copy"), 2000);
      });
    });
  }
}

/** Copies a text; says whether that worked. Pages over plain HTTP have no clipboard of their own. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** Languages by name in place of their tags. */
export function languageNames(): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-language]")) {
    const tag = element.dataset["language"] ?? "";
    try {
      element.textContent = new Intl.DisplayNames(["en"], { type: "language" }).of(tag) ?? tag;
    } catch {
      // what is no tag stays as it is
    }
  }
}
