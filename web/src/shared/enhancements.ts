/** Small enhancements of pages that work without them. */

import { copied } from "./clipboard";

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

/** Languages by name in place of their tags. */
export function languageNames(): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-language]")) {
    const tag = element.dataset["language"] ?? "";
    try {
      element.textContent = new Intl.DisplayNames(["en"], { type: "language" }).of(tag) ?? tag;
    } catch {
      // anything that is not a tag stays as it is
    }
  }
}
