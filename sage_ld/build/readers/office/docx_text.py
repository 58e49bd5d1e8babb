"""The text of a Word document's paragraphs, with links, fields, pages, notes and text boxes."""

from __future__ import annotations

import re
from typing import Final

from lxml import etree

from sage_ld.build.readers.inline import Inline, InlineBuilder
from sage_ld.build.readers.office.ooxml import attribute, link_target, local, related, relationships
from sage_ld.build.readers.office.package import Package

_SKIPPED: Final = frozenset(
    {
        "pPr",
        "rPr",
        "sdtPr",
        "tblPr",
        "tblGrid",
        "trPr",
        "tcPr",
        "del",
        "moveFrom",
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

    def __init__(self, package: Package, part: str, *, notes: bool = True) -> None:
        self.page = 1
        """The page that is reached."""
        self._links = relationships(package, part)
        self._notes = _notes(package, part) if notes else {}
        self._pending_notes: list[Inline] = []
        self._boxes: list[etree._Element] = []
        self._fields: list[_WordField] = []
        self._verbatim = False
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

    def _children(self, line: InlineBuilder, element: etree._Element) -> None:
        for each in element:
            name = local(each)
            if name == "t":
                self._text(line, each.text or "")
            elif name in _SIGNS:
                self._text(line, _SIGNS[name])
            elif name in _NOTES:
                self._note(_NOTES[name], attribute(each, "id"))
            elif name in _HANDLERS:
                _HANDLERS[name](self, line, each)
            elif name not in _SKIPPED:
                self._children(line, each)

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
_HANDLERS: Final = {
    "p": RunWriter._paragraph,
    "br": RunWriter._break,
    "cr": RunWriter._break,
    "lastRenderedPageBreak": RunWriter._page_break,
    "hyperlink": RunWriter._hyperlink,
    "fldSimple": RunWriter._simple_field,
    "fldChar": RunWriter._field,
    "instrText": RunWriter._instruction,
    "docPr": RunWriter._picture,
    "txbxContent": RunWriter._box,
}


def _field_target(instruction: str) -> str:
    r"""The target of a field `HYPERLINK "address" \l "anchor"`; empty for another field."""
    if (link := _HYPERLINK.match(instruction)) is None:
        return ""
    within, address, anchor = link.groups()
    return f"#{address}" if within else f"{address}#{anchor}" if anchor else address


def _notes(package: Package, part: str) -> dict[tuple[str, str], Inline]:
    """The notes and comments of a document, by kind and id."""
    notes: dict[tuple[str, str], Inline] = {}
    for kind in _NOTES.values():
        if (member := related(package, part, kind)) is None:
            continue
        writer = RunWriter(package, member, notes=False)
        for each in package.xml(member):
            line = InlineBuilder()
            writer.write(line, each)
            notes[kind, attribute(each, "id")] = line.finish()
    return notes
