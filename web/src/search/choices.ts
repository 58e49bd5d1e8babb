/** The choices of a search: parameters of `/v1/retrieve`, as the address of the page has them. */

import { FILTERS } from "../api";
import type { Parameter } from "./types";

export type Choices = Record<string, unknown>;

/** The choices in the query of an address; what the service does not know is left out. */
export function readChoices(query: string, parameters: Record<string, Parameter>): Choices {
  const choices: Choices = {};
  for (const [name, text] of new URLSearchParams(query)) {
    const member = /^(\w+)\[([^[\]]+)\]$/.exec(name);
    const owner = member?.[1] ?? name;
    const schema = Object.hasOwn(parameters, owner) ? parameters[owner] : undefined;
    if (schema === undefined || text === "") continue;
    if (member?.[2] !== undefined && schema.type === "object") {
      const object = { ...(choices[owner] as Record<string, unknown> | undefined) };
      object[member[2]] = schema.properties ? Number(text) : text;
      choices[owner] = object;
    } else if (schema.type === "array") {
      const items = schema.items?.enum ? text.split(",") : [text];
      choices[owner] = [...((choices[owner] as string[] | undefined) ?? []), ...items];
    } else {
      choices[owner] = valueOf(text, schema.type);
    }
  }
  return choices;
}

function valueOf(text: string, type: string): unknown {
  if (type === "integer" || type === "number") return Number(text);
  if (type === "boolean") return text === "true";
  return text;
}

/** The choices as pairs of an address, in the order in which they were made. */
export function pairs(choices: Choices, parameters: Record<string, Parameter>): [string, string][] {
  const found: [string, string][] = [];
  for (const [name, value] of Object.entries(choices)) {
    if (Array.isArray(value)) {
      if (parameters[name]?.items?.enum) found.push([name, value.join(",")]);
      else for (const each of value) found.push([name, String(each)]);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, each] of Object.entries(value)) found.push([`${name}[${key}]`, String(each)]);
    } else {
      found.push([name, String(value)]);
    }
  }
  return found;
}

/** The query of an address, with its question mark; empty without choices. */
export function writeChoices(choices: Choices, parameters: Record<string, Parameter>): string {
  const text = new URLSearchParams(pairs(choices, parameters)).toString();
  return text ? `?${text}` : "";
}

/** The choices with another value of one; undefined, an empty list or object takes it out. */
export function withChoice(choices: Choices, name: string, value: unknown): Choices {
  const changed = { ...choices };
  const empty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  if (value === undefined || value === "" || empty) delete changed[name];
  else changed[name] = value;
  return changed;
}

/** The question and its filter alone: what is asked where nothing else is chosen. */
export function defaultOf(choices: Choices): Choices {
  return Object.fromEntries(Object.entries(choices).filter(([name]) => name === "q" || FILTERS.includes(name)));
}

/** Whether anything but the question and its filter is chosen. */
export function deviates(choices: Choices): boolean {
  return Object.keys(choices).length > Object.keys(defaultOf(choices)).length;
}

/** Whether the choices have all that a facet's value says. */
export function hasFilter(choices: Choices, filter: Record<string, unknown>): boolean {
  return Object.entries(filter).every(([name, value]) => {
    const chosen = choices[name];
    if (Array.isArray(value)) return value.every((each) => Array.isArray(chosen) && chosen.includes(each));
    if (typeof value === "object" && value !== null) {
      return Object.entries(value).every(([key, each]) => (chosen as Record<string, unknown> | undefined)?.[key] === each);
    }
    return chosen === value;
  });
}

/** The choices with a facet's value put in or taken out; `path` begins the conditions of which one may stand. */
export function toggledFilter(choices: Choices, filter: Record<string, unknown>): Choices {
  const on = !hasFilter(choices, filter);
  let changed = choices;
  for (const [name, value] of Object.entries(filter)) {
    if (Array.isArray(value)) {
      const path = name === "where" ? String(value[0]).split(" ")[0] : undefined;
      const kept = ((choices[name] as string[] | undefined) ?? []).filter(
        (each) => !value.includes(each) && !(on && path !== undefined && each.startsWith(`${path} `)),
      );
      changed = withChoice(changed, name, on ? [...kept, ...(value as string[])] : kept);
    } else if (typeof value === "object" && value !== null) {
      const object = { ...(choices[name] as Record<string, unknown> | undefined) };
      for (const [key, each] of Object.entries(value)) {
        if (on) object[key] = each;
        else delete object[key];
      }
      changed = withChoice(changed, name, object);
    } else {
      changed = withChoice(changed, name, on ? value : undefined);
    }
  }
  return changed;
}

/** How many of `k` results the graph may add, unless told. */
export function half(k: number): number {
  return Math.max(Math.floor(k / 2), 1);
}
