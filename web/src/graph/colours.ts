/** The colours of the picture. They are variables of the style sheets, `--KIND-node` and `--KIND-edge`, in dark and light. */

const scheme = matchMedia("(prefers-color-scheme: dark)");
const read = new Map<string, string>();
scheme.addEventListener("change", () => read.clear());

/** The value of a variable of the style sheets, as it is now: WebGL and files know no variables. */
export function ink(name: string): string {
  let value = read.get(name) ?? "";
  if (value === "") {
    value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    read.set(name, value);
  }
  return value;
}

export const nodeColour = (kind: string): string => ink(`--${kind}-node`) || ink("--resource-node");
export const edgeColour = (kind: string): string => ink(`--${kind}-edge`) || ink("--part-edge");
export const ACCENT = "#c2185b"; // what is chosen, found, on the path or new, in both
