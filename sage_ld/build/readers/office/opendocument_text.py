"""The text of OpenDocument's paragraphs, with links, notes, formulas, and what styles say by their look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from lxml import etree

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.formulas import formula_text
from sage_ld.build.readers.inline import InlineBuilder
from sage_ld.build.readers.office.ooxml import attribute, child, local
from sage_ld.build.readers.office.package import Package
from sage_ld.build.readers.positions import Position
from sage_ld.build.readers.shown import CHART, DELETED, HIDDEN, OBJECT, STRUCK_OUT

_UNSHOWN: Final = frozenset({"ruby-text", "annotation-end", "binary-data", "title"})
_LONGEST_BLANK: Final = 1_000


@dataclass(frozen=True, slots=True)
class TextLook:
    """The meaning of a style of text: its position, or that its text is not read."""

    position: Position | None = None
    passed_over: str = ""
    """The noun for what is not read: struck-out or hidden text."""


def text_looks(roots: list[etree._Element], family: str = "text") -> Mapping[str, TextLook]:
    """The looks of the styles of a family that mean something, by the names of the styles."""
    looks = {}
    for each in (style for root in roots for style in root.iter("{*}style")):
        layout = child(each, "text-properties")
        if layout is None or attribute(each, "family") != family:
            continue
        name, look = attribute(each, "name"), _text_look(layout)
        if look != TextLook():
            looks[name] = look
    return looks


def _text_look(layout: etree._Element) -> TextLook:
    where = attribute(layout, "text-position").partition(" ")[0]
    raised = where == "super" or (where.endswith("%") and where[:-1].isdigit() and where != "0%")
    lowered = where == "sub" or where.startswith("-")
    position = Position.RAISED if raised else Position.LOWERED if lowered else None
    if attribute(layout, "text-line-through-style") not in ("", "none"):
        return TextLook(position, STRUCK_OUT)
    return TextLook(position, HIDDEN if attribute(layout, "display") == "none" else "")


def hiding_styles(roots: list[etree._Element], family: str) -> set[str]:
    """The names of the styles of a family that hide their sheet or slide."""
    styles = (each for root in roots for each in root.iter("{*}style") if attribute(each, "family") == family)
    return {
        attribute(each, "name")
        for each in styles
        for layout in each
        if attribute(layout, "visibility") == "hidden" or attribute(layout, "display") == "false"
    }


class TextWriter:
    """Writes paragraphs, and keeps their notes and text boxes until they are taken.

    `looks` are those of styles of text, and `formulas` the formulas by the names of their parts.
    """

    def __init__(
        self,
        builder: DocumentBuilder,
        on_page: Callable[[], None] = lambda: None,
        looks: Mapping[str, TextLook] = MappingProxyType({}),
        package: Package | None = None,
    ) -> None:
        self._builder = builder
        self._looks = looks
        self._package = package
        self._on_page = on_page
        self._beside: list[etree._Element] = []

    def write(self, line: InlineBuilder, element: etree._Element, *, verbatim: bool = False) -> None:
        """Writes what is in a paragraph, a heading or a cell."""
        write = line.verbatim if verbatim else line.write
        write(element.text or "")
        for each in element:
            self._element(line, each, verbatim=verbatim)
            write(each.tail or "")

    def take(self) -> list[etree._Element]:
        """The notes and text boxes of what was written since the last time."""
        beside, self._beside = self._beside, []
        return beside

    def _element(self, line: InlineBuilder, element: etree._Element, *, verbatim: bool) -> None:
        name = local(element)
        if attribute(element, "display") == "none":  # a shape that is switched off
            self._builder.pass_over(HIDDEN)
        elif (handle := _HANDLERS.get(name)) is not None:
            handle(self, line, element, verbatim)
        elif (look := self._looks.get(attribute(element, "style-name"))) is not None and name == "span":
            self._looking(line, element, look, verbatim=verbatim)
        elif name not in _UNSHOWN:
            self._inner(line, element, name, verbatim=verbatim)

    def _note(self, _line: InlineBuilder, element: etree._Element, _verbatim: bool) -> None:
        self._beside.append(element)

    def _page(self, _line: InlineBuilder, _element: etree._Element, _verbatim: bool) -> None:
        self._on_page()

    def _link(self, line: InlineBuilder, element: etree._Element, verbatim: bool) -> None:
        line.open_link(attribute(element, "href"))
        self.write(line, element, verbatim=verbatim)
        line.close_link()

    def _break(self, line: InlineBuilder, _element: etree._Element, verbatim: bool) -> None:
        if verbatim:
            line.verbatim("\n")
        else:
            line.newline()

    def _blank(self, line: InlineBuilder, element: etree._Element, verbatim: bool) -> None:
        (line.verbatim if verbatim else line.write)(_blanks(element))

    def _deleted(self, _line: InlineBuilder, element: etree._Element, _verbatim: bool) -> None:
        self._builder.pass_over(DELETED, len(list(element.iter("{*}deletion"))))

    def _hidden(self, _line: InlineBuilder, _element: etree._Element, _verbatim: bool) -> None:
        self._builder.pass_over(HIDDEN)

    def _looking(
        self, line: InlineBuilder, element: etree._Element, look: TextLook, *, verbatim: bool
    ) -> None:
        """Text whose style says something by its look."""
        if look.passed_over:
            self._builder.pass_over(look.passed_over)
            return
        with line.placed(look.position):
            self.write(line, element, verbatim=verbatim)

    def _object(self, line: InlineBuilder, element: etree._Element, _verbatim: bool) -> None:
        """A formula; other embedded objects are counted."""
        member = f"{attribute(element, 'href').removeprefix('./')}/content.xml"
        if self._package is None or member not in self._package:
            self._builder.pass_over(OBJECT)
            return
        root = self._package.xml(member)
        if local(root) == "math":
            line.write(f" {formula_text(root)}")
        else:
            chart = next(root.iter("{*}chart"), None) is not None
            self._builder.pass_over(CHART if chart else OBJECT)

    def _inner(self, line: InlineBuilder, element: etree._Element, name: str, *, verbatim: bool) -> None:
        if name in ("p", "h", "list-item", "table-cell"):
            line.newline()
        self.write(line, element, verbatim=verbatim)


_HANDLERS: Final[Mapping[str, Callable[[TextWriter, InlineBuilder, etree._Element, bool], None]]] = {
    "note": TextWriter._note,
    "annotation": TextWriter._note,
    "text-box": TextWriter._note,
    "soft-page-break": TextWriter._page,
    "a": TextWriter._link,
    "line-break": TextWriter._break,
    "s": TextWriter._blank,
    "tab": TextWriter._blank,
    "tracked-changes": TextWriter._deleted,
    "hidden-text": TextWriter._hidden,
    "hidden-paragraph": TextWriter._hidden,
    "object": TextWriter._object,
}


def _blanks(element: etree._Element) -> str:
    if local(element) == "tab":
        return "\t"
    count = attribute(element, "c")
    return " " * (min(int(count), _LONGEST_BLANK) if count.isdecimal() and len(count) < 6 else 1)
