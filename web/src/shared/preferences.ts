/** Preferences of a person, the only thing that pages store in the browser. */

const PREFIX = "sage-ld ";

export function preference<T>(name: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise; // storage is off, or holds what another version wrote
  }
}

export function setPreference(name: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // storage is off or full: the preference holds for this page
  }
}
