/** What completes a query: keywords, variables of the query, prefixes, and the graph's own classes and properties. */

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { EditorView } from "@codemirror/view";
import type { Name } from "./vocabulary";

const KEYWORDS = (
  "SELECT CONSTRUCT DESCRIBE ASK WHERE FILTER OPTIONAL UNION MINUS VALUES BIND GRAPH DISTINCT REDUCED PREFIX BASE FROM " +
  "NAMED LIMIT OFFSET HAVING EXISTS NOT IN AS UNDEF ASC DESC COUNT SUM AVG MIN MAX SAMPLE GROUP_CONCAT STR LANG DATATYPE " +
  "BOUND REGEX CONTAINS STRSTARTS STRENDS LCASE UCASE STRLEN SUBSTR REPLACE CONCAT YEAR MONTH DAY NOW IF COALESCE IRI"
)
  .split(" ")
  .concat("ORDER BY", "GROUP BY");
const WORD = /[?$]?[\p{L}_][\p{L}\p{N}_-]*:?(?:[\p{L}\p{N}_][\p{L}\p{N}_.-]*)?|[?$]/u;
const WRITTEN_OUT = new Set(["comment", "string", "atom"]);

/** Completes what stands before the cursor; `names` returns the vocabulary as far as it is known. */
export function completer(names: () => readonly Name[], prefixes: Record<string, string>) {
  return (context: CompletionContext): CompletionResult | null => {
    const inside = syntaxTree(context.state).resolveInner(context.pos, -1);
    const word = context.matchBefore(WORD);
    if (WRITTEN_OUT.has(inside.name) && (word === null || inside.from < word.from)) return null;
    if (word === null && !context.explicit) return null;
    const from = word?.from ?? context.pos;
    const typed = word?.text ?? "";
    const text = context.state.doc.toString();
    if (/^[?$]/.test(typed)) return { from, options: variables(text, typed), validFor: /^[?$][\p{L}\p{N}_]*$/u };
    const line = context.state.doc.lineAt(context.pos);
    if (/^\s*PREFIX\s+\S*$/i.test(line.text.slice(0, context.pos - line.from))) {
      return { from, options: declarations(prefixes), validFor: /^[\w-]*:?$/ };
    }
    const afterA = /(?:^|[\s;{])(?:a|rdf:type)\s+$/.test(text.slice(Math.max(0, from - 40), from));
    const terms = names()
      .filter((name) => !afterA || name.isClass)
      .map((name) => termOption(name, prefixes));
    const options = afterA ? terms : [...terms, ...keywordOptions, ...prefixOptions(prefixes)];
    return { from, options, validFor: /^[\p{L}_][\p{L}\p{N}_-]*:?[\p{L}\p{N}_.-]*$/u };
  };
}

const keywordOptions: Completion[] = KEYWORDS.map((label) => ({ label, type: "keyword" }));

function variables(text: string, typed: string): Completion[] {
  const found = new Set(text.match(/[?$][\p{L}\p{N}_]+/gu));
  found.delete(typed);
  return [...found].sort().map((label) => ({ label, type: "variable" }));
}

function declarations(prefixes: Record<string, string>): Completion[] {
  return Object.entries(prefixes).map(([prefix, iri]) => ({
    label: `${prefix}:`,
    detail: iri,
    type: "namespace",
    apply: `${prefix}: <${iri}>\n`,
  }));
}

function prefixOptions(prefixes: Record<string, string>): Completion[] {
  return Object.entries(prefixes).map(([prefix, iri]) => ({ label: `${prefix}:`, detail: iri, type: "namespace", boost: -20 }));
}

/** A class or property: found by its name and, since both are matched, by its label. */
function termOption(name: Name, prefixes: Record<string, string>): Completion {
  const count = name.count.toLocaleString("en");
  const said = name.label === "" ? count : `${name.label} · ${count}`;
  return {
    label: name.text,
    detail: said,
    type: name.isClass ? "class" : "property",
    boost: Math.min(60, 5 * Math.log10(1 + name.count)),
    apply: (view, _completion, from, to) => insert(view, name, prefixes, from, to),
  };
}

/** The declarations that a query lacks of the prefixes that it uses, as far as these are known. */
export function missingPrefixes(query: string, prefixes: Record<string, string>): string[] {
  const text = query.replace(/<[^<>\s]*>|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|#.*/g, " ");
  const declared = new Set([...text.matchAll(/\bPREFIX\s+([\w-]*):/gi)].map((match) => match[1]));
  const used = new Set([...text.matchAll(/(?<![\w:?$-])([A-Za-z][\w-]*):/g)].map((match) => match[1] as string));
  return [...used].filter((each) => !declared.has(each) && Object.hasOwn(prefixes, each));
}

/** Writes a name, and above the query the prefix that it needs where that is not declared. */
function insert(view: EditorView, name: Name, prefixes: Record<string, string>, from: number, to: number): void {
  const prefix = /^([\w-]+):/.exec(name.text)?.[1];
  const declared = prefix === undefined || new RegExp(`PREFIX\\s+${prefix}:`, "i").test(view.state.doc.toString());
  const above = declared ? "" : `PREFIX ${prefix}: <${prefixes[prefix]}>\n`;
  const changes = [...(above ? [{ from: 0, insert: above }] : []), { from, to, insert: name.text }];
  view.dispatch({ changes, selection: { anchor: above.length + from + name.text.length }, userEvent: "input.complete" });
}
