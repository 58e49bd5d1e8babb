/**
 * The editor of a query: CodeMirror, inside a shadow root. There its styles are constructed sheets, which the content
 * security policy of the pages allows; in the page itself they would be a style element, which it refuses.
 */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { sparql } from "@codemirror/legacy-modes/mode/sparql";
import { EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { completer } from "./completion";
import type { PageData } from "./terms";
import type { Name } from "./vocabulary";

export interface Place {
  line: number;
  /** Unknown where null: the whole line is meant. */
  column: number | null;
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--keyword)", fontWeight: "600" },
  { tag: [tags.local(tags.variableName), tags.variableName], color: "var(--variable)" },
  { tag: tags.string, color: "var(--string)" },
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: tags.atom, color: "var(--link)" },
  { tag: [tags.number, tags.literal], color: "var(--string)" },
  { tag: tags.standard(tags.variableName), color: "var(--keyword)" },
  { tag: tags.meta, color: "var(--quiet)" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--raised)", maxHeight: "var(--highest)", fontSize: ".875rem" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { overflow: "auto", minHeight: "9rem", fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)", padding: ".5rem 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { color: "var(--quiet)", backgroundColor: "var(--panel)", borderRight: "1px solid var(--line)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--soft)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--mark)", color: "var(--on-mark)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "transparent", color: "var(--bad)", textDecoration: "underline" },
  ".cm-tooltip": { color: "var(--ink)", backgroundColor: "var(--raised)", border: "1px solid var(--edge)", borderRadius: "6px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "16em", maxWidth: "min(44rem, 92vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: ".15rem .5rem" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { fontStyle: "normal", fontFamily: "system-ui, sans-serif", opacity: "1", marginLeft: "1em" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".error": { textDecoration: "underline wavy var(--bad)", textUnderlineOffset: ".2em" },
});

/**
 * Replaces selected text by what is typed. Left to itself, Chromium would write the style of the first selected letter
 * into the page before CodeMirror replaces that, and report that the content security policy refuses the style.
 */
function replaceSelected(event: InputEvent, view: EditorView): boolean {
  const { from, to, empty } = view.state.selection.main;
  const text = event.data;
  if (event.inputType !== "insertText" || text === null || empty || view.composing) return false;
  const make = () => view.state.update(view.state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, from, to, text, make))) view.dispatch(make());
  event.preventDefault();
  return true;
}

interface Mark {
  from: number;
  to: number;
  message: string;
}

/** Puts a mark at an error in place of the last one; null takes it away. */
const setMark = StateEffect.define<Mark | null>();
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (now, change) => {
    for (const effect of change.effects) {
      if (!effect.is(setMark)) continue;
      if (effect.value === null) return Decoration.none;
      const { from, to, message } = effect.value;
      const mark = Decoration.mark({ class: "error", attributes: { title: message } });
      return from < to ? Decoration.set([mark.range(from, to)]) : Decoration.none;
    }
    return change.docChanged ? Decoration.none : now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export class QueryEditor {
  private readonly view: EditorView;
  private names: readonly Name[] = [];

  /** Opens an editor inside `place`; `run` is called at Ctrl-Enter. */
  constructor(place: HTMLElement, text: string, data: PageData, run: () => void) {
    const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
    const enter = { key: "Mod-Enter", run: () => (run(), true) };
    this.view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          Prec.highest(keymap.of([enter])),
          lineNumbers(),
          highlightSpecialChars(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          marks,
          EditorView.domEventHandlers({ beforeinput: replaceSelected }),
          autocompletion({ override: [completer(() => this.names, data.prefixes)], icons: false }),
          StreamLanguage.define(sparql),
          syntaxHighlighting(colours),
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "SPARQL query", spellcheck: "false", tabindex: "0" }),
          theme,
        ],
      }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    if (text === this.text) return;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, selection: { anchor: 0 } });
  }

  /** Takes the vocabulary that completes names from now on. */
  learn(names: readonly Name[]): void {
    this.names = names;
  }

  focus(): void {
    this.view.focus();
  }

  close(): void {
    this.view.destroy();
  }

  /** Marks an error at its place in the text; without one, takes the mark away. */
  mark(message: string | null, place: Place | null): void {
    const mark = message === null || place === null ? null : { ...this.range(place), message };
    this.view.dispatch({ effects: setMark.of(mark) });
  }

  /** Puts the cursor to a place. */
  go(place: Place): void {
    const { from } = this.range(place);
    this.view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
    this.view.focus();
  }

  /** What an error at a place is about: the word there, or where there is none, the one before it. */
  private range({ line, column }: Place): { from: number; to: number } {
    const doc = this.view.state.doc;
    const found = doc.line(Math.min(Math.max(1, line), doc.lines));
    if (column === null) return { from: found.from, to: found.to };
    const before = [...found.text].slice(0, column - 1).join("").length; // the service counts characters, not UTF-16
    const rest = /^[\p{L}\p{N}_:?$-]+|^\S/u.exec(found.text.slice(before));
    if (rest !== null) return { from: found.from + before, to: found.from + before + rest[0].length };
    const text = doc.sliceString(0, found.from + before).trimEnd();
    const last = /[\p{L}\p{N}_:?$-]+$|\S$/u.exec(text);
    return last === null ? { from: 0, to: Math.min(1, doc.length) } : { from: last.index, to: text.length };
  }
}
