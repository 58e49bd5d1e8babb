/** RDF terms as the service sends them, shortened and linked. */

import { type Naming, ownPage, pageOf } from "../shared/links";
import { address } from "../shared/page";

export type Term =
  | { type: "uri"; value: string }
  | { type: "bnode"; value: string }
  | { type: "literal"; value: string; datatype?: string; "xml:lang"?: string; direction?: string }
  | { type: "triple"; value: { subject: Term; predicate: Term; object: Term } };

export type Triple = readonly [Term, Term, Term];

/** What the server wrote into the page. */
export interface PageData extends Naming {
  labels: Record<string, string>;
  examples: Example[];
  seconds: number;
}

export interface Example {
  group: string;
  title: string;
  view: View;
  query: string;
}

export type View = "table" | "graph" | "chart" | "map" | "text";

const XSD = "http://www.w3.org/2001/XMLSchema#";
const SAGE = "https://w3id.org/sage-ld#";
const LOCAL = /^[A-Za-z_0-9](?:[A-Za-z_0-9.-]*[A-Za-z_0-9-])?$/;
const NUMBERS = new Set(
  ["integer", "decimal", "double", "float", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger"]
    .concat(["negativeInteger", "nonPositiveInteger", "unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte"])
    .map((name) => XSD + name),
);
const DATES = new Set(["date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth"].map((name) => XSD + name));

/** An IRI as a prefixed name, as a name below the base, or whole. */
export function short(iri: string, data: Naming): string {
  for (const [prefix, namespace] of Object.entries(data.prefixes)) {
    if (iri.startsWith(namespace) && iri.length > namespace.length) return `${prefix}:${iri.slice(namespace.length)}`;
  }
  return iri.startsWith(data.base) && iri.length > data.base.length ? iri.slice(data.base.length) : iri;
}

/** An IRI as a query can have it: a prefixed name where the rest needs no escape, else in angle brackets. */
export function inQuery(iri: string, prefixes: Record<string, string>): string {
  for (const [prefix, namespace] of Object.entries(prefixes)) {
    if (iri.startsWith(namespace) && LOCAL.test(iri.slice(namespace.length))) {
      return `${prefix}:${iri.slice(namespace.length)}`;
    }
  }
  return `<${iri}>`;
}

/** Where a person reads on about an IRI: always an address of this service, or of a vocabulary on the Web. */
export function hrefOf(iri: string, data: Naming): string {
  const own = ownPage(iri, data);
  if (own !== null) return own;
  if (iri.startsWith(SAGE)) return `${address("/ontology")}#${iri.slice(SAGE.length)}`;
  const known = Object.values(data.prefixes).some((namespace) => iri.startsWith(namespace));
  return known && /^https?:\/\//.test(iri) ? iri : pageOf(iri, data);
}

/** A term as one line of text. */
export function plain(term: Term | undefined, data: PageData): string {
  if (term === undefined) return "";
  if (term.type === "uri") return short(term.value, data);
  if (term.type === "bnode") return `_:${term.value}`;
  if (term.type === "literal") return term.value;
  const { subject, predicate, object } = term.value;
  return `<<( ${plain(subject, data)} ${plain(predicate, data)} ${plain(object, data)} )>>`;
}

/** The number that a term stands for: that of a literal, or the milliseconds of a date; null for anything else. */
export function numberOf(term: Term | undefined): number | null {
  if (term?.type !== "literal" || term.datatype === undefined) return null;
  if (NUMBERS.has(term.datatype)) return finite(Number(term.value.replace(/^\+/, "")));
  return DATES.has(term.datatype) ? finite(Date.parse(term.value)) : null;
}

export function isDate(term: Term | undefined): boolean {
  return term?.type === "literal" && DATES.has(term.datatype ?? "");
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** The name of a literal's language or datatype; "" for a plain string. */
export function kindOf(term: Term, data: PageData): string {
  if (term.type !== "literal") return "";
  if (term["xml:lang"] !== undefined) return `@${term["xml:lang"]}${term.direction ? `--${term.direction}` : ""}`;
  return term.datatype === undefined || term.datatype === `${XSD}string` ? "" : short(term.datatype, data);
}

/** The order of two terms in a sorted column: numbers by value, the rest by text, what is missing last. */
export function compare(a: Term | undefined, b: Term | undefined, data: PageData): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const x = numberOf(a);
  const y = numberOf(b);
  if (x !== null && y !== null) return x - y;
  if (x !== null || y !== null) return x !== null ? -1 : 1;
  return collator.compare(plain(a, data), plain(b, data));
}

const collator = new Intl.Collator(undefined, { numeric: true });
