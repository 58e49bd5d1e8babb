"""The text of a Word document's paragraphs, with links, fields, pages, notes and text boxes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from lxml import etree

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.formulas import formula_text
from sage_ld.build.readers.inline import Inline, InlineBuilder
from sage_ld.build.readers.office.ooxml import (
    attribute,
    child,
    children,
    is_hidden,
    is_on,
    link_target,
    local,
    number_of,
    related,
    relationships,
)
from sage_ld.build.readers.office.package import Package
from sage_ld.build.readers.positions import RUN_POSITIONS
from sage_ld.build.readers.shown import DELETED, HIDDEN, SIGN, SIGN_FONTS, STRUCK_OUT, TICKED, UNTICKED

_SKIPPED: Final = frozenset(
    {
        "pPr",
        "rPr",
        "sdtPr",
        "tblPr",
        "tblGrid",
        "trPr",
        "tcPr",
        "delText",
        "Fallback",
        "rt",
    }
)
_NOTES: Final = {
    "footnoteReference": "footnotes",
    "endnoteReference": "endnotes",
    "commentReference": "comments",
}
_HYPERLINK: Final = re.compile(r'\s*HYPERLINK\s+(\\l\s+)?"([^"]*)"(?:\s+\\l\s+"([^"]*)")?')


class RunWriter:
    """Writes paragraphs, and keeps what stands beside them until it is taken."""

    def __init__(self, package: Package, part: str, builder: DocumentBuilder, *, notes: bool = True) -> None:
        self.page = 1
        """The page that is reached."""
        self._links = relationships(package, part)
        self._notes = _notes(package, part, builder) if notes else {}
        self._builder = builder
        self._pending_notes: list[Inline] = []
        self._boxes: list[etree._Element] = []
        self._graphics: list[etree._Element] = []
        self._fields: list[_WordField] = []
        self._verbatim = False
        self._signs: Mapping[int, str] | None = None
        """The signs of the font of the run that is read, if it is one for signs."""
        self._first_page: int | None = None

    def write(self, line: InlineBuilder, element: etree._Element, *, verbatim: bool = False) -> int:
        """Writes what is in an element; returns the page on which its text begins."""
        self._verbatim, self._first_page = verbatim, None
        self._children(line, element)
        return self._first_page or self.page

    def take(self) -> tuple[list[etree._Element], list[Inline]]:
        """The text boxes and the notes of what was written since the last time."""
        taken = self._boxes, self._pending_notes
        self._boxes, self._pending_notes = [], []
        return taken

    def take_graphics(self) -> list[etree._Element]:
        """The graphics in what was written since the last time."""
        taken, self._graphics = self._graphics, []
        return taken

    def _children(self, line: InlineBuilder, element: etree._Element) -> None:
        for each in element:
            name = local(each)
            if name == "t":
                self._run_text(line, each.text or "")
            elif name in _SIGNS:
                self._text(line, _SIGNS[name])
            elif name in _NOTES:
                self._note(_NOTES[name], attribute(each, "id"))
            elif name in _HANDLERS:
                _HANDLERS[name](self, line, each)
            elif name not in _SKIPPED:
                self._children(line, each)

    def _run_text(self, line: InlineBuilder, text: str) -> None:
        if self._signs is None:
            self._text(line, text)
        else:
            for sign in text:
                self._one_sign(line, self._signs, ord(sign) & 0xFF)

    def _text(self, line: InlineBuilder, text: str) -> None:
        if self._first_page is None and text.strip():
            self._first_page = self.page
        (line.verbatim if self._verbatim else line.write)(text)

    def _paragraph(self, line: InlineBuilder, element: etree._Element) -> None:
        line.newline()
        self._children(line, element)

    def _break(self, line: InlineBuilder, element: etree._Element) -> None:
        if self._verbatim:
            line.verbatim("\n")
        else:
            line.newline()

    def _page_break(self, line: InlineBuilder, element: etree._Element) -> None:
        self.page += 1

    def _hyperlink(self, line: InlineBuilder, element: etree._Element) -> None:
        if target := link_target(self._links, element):
            line.open_link(target)
        self._children(line, element)
        if target:
            line.close_link()

    def _run(self, line: InlineBuilder, element: etree._Element) -> None:
        """Text of one look: none where it is hidden or struck out."""
        look = child(element, "rPr")
        for kind, names in _UNSHOWN.items():
            if any(is_on(child(look, name)) for name in names):
                if any(local(each) == "t" and (each.text or "").strip() for each in element):
                    self._builder.pass_over(kind)
                return
        position = child(look, "vertAlign")
        font = child(look, "rFonts")
        self._signs = None if font is None else SIGN_FONTS.get(attribute(font, "ascii"))
        with line.placed(None if position is None else RUN_POSITIONS.get(attribute(position, "val"))):
            self._children(line, element)
        self._signs = None

    def _sign(self, line: InlineBuilder, element: etree._Element) -> None:
        """A sign of a font, by its code (§17.3.3.30)."""
        signs = SIGN_FONTS.get(attribute(element, "font"))
        try:
            code = int(attribute(element, "char")[:8], 16) & 0xFF
        except ValueError:
            code = 0
        self._one_sign(line, signs, code)

    def _one_sign(self, line: InlineBuilder, signs: Mapping[int, str] | None, code: int) -> None:
        if signs is not None and code in signs:
            self._text(line, signs[code])
        else:
            self._builder.pass_over(SIGN)

    def _deleted(self, line: InlineBuilder, element: etree._Element) -> None:
        if next(element.iter("{*}delText", "{*}t"), None) is not None:
            self._builder.pass_over(DELETED)

    def _formula(self, line: InlineBuilder, element: etree._Element) -> None:
        text = formula_text(element)
        line.write(f" {text}" if len(text) > 1 else text)

    def _simple_field(self, line: InlineBuilder, element: etree._Element) -> None:
        if target := _field_target(attribute(element, "instr")):
            line.open_link(target)
        self._children(line, element)
        if target:
            line.close_link()

    def _field(self, line: InlineBuilder, element: etree._Element) -> None:
        """A mark of a field: its instruction begins, its result begins, or it ends (§17.16.18)."""
        kind = attribute(element, "fldCharType")
        if kind == "begin":
            self._fields.append(_WordField())
            self._text(line, _state(child(element, "ffData")))
        elif self._fields and kind == "separate":
            self._fields[-1].target = _field_target("".join(self._fields[-1].parts))
            if self._fields[-1].target:
                line.open_link(self._fields[-1].target)
        elif self._fields and kind == "end" and self._fields.pop().target:
            line.close_link()

    def _instruction(self, line: InlineBuilder, element: etree._Element) -> None:
        if self._fields:
            self._fields[-1].parts.append(element.text or "")

    def _picture(self, line: InlineBuilder, element: etree._Element) -> None:
        self._text(line, attribute(element, "descr"))

    def _drawing(self, line: InlineBuilder, element: etree._Element) -> None:
        if is_hidden(element):
            self._builder.pass_over(HIDDEN)
        else:
            self._children(line, element)

    def _graphic(self, line: InlineBuilder, element: etree._Element) -> None:
        self._graphics.append(element)
        self._children(line, element)

    def _box(self, line: InlineBuilder, element: etree._Element) -> None:
        self._boxes.append(element)

    def _note(self, kind: str, key: str) -> None:
        if (note := self._notes.pop((kind, key), None)) is not None:
            self._pending_notes.append(note)


class _WordField:
    """A field that is being read."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.target = ""


_SIGNS: Final = {"tab": " ", "ptab": " ", "noBreakHyphen": "-"}
_UNSHOWN: Final = {HIDDEN: ("vanish", "webHidden"), STRUCK_OUT: ("strike", "dstrike")}
"""Switches of a run's look that hide its text, by the noun for it."""
_HANDLERS: Final = {
    "p": RunWriter._paragraph,
    "r": RunWriter._run,
    "sym": RunWriter._sign,
    "del": RunWriter._deleted,
    "moveFrom": RunWriter._deleted,
    "oMath": RunWriter._formula,
    "br": RunWriter._break,
    "cr": RunWriter._break,
    "lastRenderedPageBreak": RunWriter._page_break,
    "hyperlink": RunWriter._hyperlink,
    "fldSimple": RunWriter._simple_field,
    "fldChar": RunWriter._field,
    "instrText": RunWriter._instruction,
    "drawing": RunWriter._drawing,
    "docPr": RunWriter._picture,
    "txbxContent": RunWriter._box,
    "graphicData": RunWriter._graphic,
}


def _state(field: etree._Element | None) -> str:
    """The text that a field of a form shows by its state: a box, the entry that is chosen (§17.16.17)."""
    box, choice = child(field, "checkBox"), child(field, "ddList")
    if box is not None:
        stated = child(box, "checked")
        return TICKED if is_on(child(box, "default") if stated is None else stated) else UNTICKED
    entries = [attribute(each, "val") for each in children(choice, "listEntry")]
    result = child(choice, "result")
    chosen = 0 if result is None else number_of(attribute(result, "val"))
    return entries[chosen] if chosen < len(entries) else ""


def _field_target(instruction: str) -> str:
    r"""The target of a field `HYPERLINK "address" \l "anchor"`; empty for another field."""
    if (link := _HYPERLINK.match(instruction)) is None:
        return ""
    within, address, anchor = link.groups()
    return f"#{address}" if within else f"{address}#{anchor}" if anchor else address


def _notes(package: Package, part: str, builder: DocumentBuilder) -> dict[tuple[str, str], Inline]:
    """The notes and comments of a document, by kind and id."""
    notes: dict[tuple[str, str], Inline] = {}
    for kind in _NOTES.values():
        if (member := related(package, part, kind)) is None:
            continue
        writer = RunWriter(package, member, builder, notes=False)
        for each in package.xml(member):
            line = InlineBuilder()
            writer.write(line, each)
            notes[kind, attribute(each, "id")] = line.finish()
    return notes
