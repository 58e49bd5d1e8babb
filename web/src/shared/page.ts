/** The page that a script belongs to: where the service is, and the data that the server put into the page. */

/** The path under which the service is reached; "" unless it stands behind a prefix. */
export const root: string = document.documentElement.dataset["root"] ?? "";

/** The address of a path of the service, with parameters; a list gives one parameter for each value. */
export function address(path: string, parameters: Parameters = {}): string {
  const sent = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") sent.append(name, String(each));
    }
  }
  const query = sent.toString();
  return root + path + (query ? `?${query}` : "");
}

export type Parameters = Record<string, string | number | boolean | null | undefined | readonly string[]>;

/** What the server wrote into the element `page-data`, as JSON. */
export function pageData<T>(): T {
  return JSON.parse(document.getElementById("page-data")?.textContent ?? "null") as T;
}
