/** N-Triples, also of RDF 1.2, as the service writes them. */

import type { Term, Triple } from "./terms";

const TOKEN =
  /\s*(?:<([^<>\s]*)>|_:(\S+?)(?=[\s.]*(?:\s|$))|"((?:[^"\\]|\\.)*)"(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*)(?:--(ltr|rtl))?|\^\^<([^<>\s]*)>)?|(<<\()|(\)>>)|(\.))/y;
const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))/g;
const ESCAPED: Record<string, string> = { t: "\t", b: "\b", n: "\n", r: "\r", f: "\f" };

/** The triples of a document. */
export function triples(text: string): Triple[] {
  const found: Triple[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    TOKEN.lastIndex = 0;
    found.push([term(line), term(line), term(line)]);
  }
  return found;
}

function term(line: string): Term {
  const at = TOKEN.lastIndex;
  const match = TOKEN.exec(line);
  if (match === null) throw new Error(`not N-Triples: ${line.slice(at, at + 60)}`);
  const [, iri, blank, text, language, direction, datatype, opens] = match;
  if (iri !== undefined) return { type: "uri", value: unescaped(iri) };
  if (blank !== undefined) return { type: "bnode", value: blank };
  if (text !== undefined) {
    return {
      type: "literal",
      value: unescaped(text),
      ...(language === undefined ? {} : { "xml:lang": language }),
      ...(direction === undefined ? {} : { direction }),
      ...(datatype === undefined ? {} : { datatype: unescaped(datatype) }),
    };
  }
  if (opens === undefined) throw new Error(`not N-Triples: ${line.slice(at, at + 60)}`);
  const value = { subject: term(line), predicate: term(line), object: term(line) };
  TOKEN.exec(line); // what closes it
  return { type: "triple", value };
}

function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(ESCAPE, (_, short?: string, long?: string, sign?: string) => {
    const code = short ?? long;
    return code === undefined ? (ESCAPED[sign ?? ""] ?? sign ?? "") : String.fromCodePoint(parseInt(code, 16));
  });
}
