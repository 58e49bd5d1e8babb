"""Word documents (`.docx`): WordprocessingML, ISO/IEC 29500-1, §17."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from lxml import etree

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.grid import MOST_COLUMNS, Cell, Row, add_grid
from sage_ld.build.readers.inline import Inline, InlineBuilder
from sage_ld.build.readers.metadata.facts import document_with_facts
from sage_ld.build.readers.office.charts import add_graphic
from sage_ld.build.readers.office.docx_numbering import Numbering
from sage_ld.build.readers.office.docx_text import RunWriter
from sage_ld.build.readers.office.ooxml import (
    attribute,
    child,
    descend,
    is_on,
    local,
    main_part,
    number_of,
    properties,
    related,
    relationships,
)
from sage_ld.build.readers.office.package import Package
from sage_ld.build.readers.shown import RUNNING_LINE
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import Document, PlaceKind
from sage_ld.foundation.settings import Settings

_TABLE_WRAPPERS: Final = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo"})
_FIRST_ROW: Final = 0x0020  # §17.4.56: the bit of tblLook that gives the first row a look of its own


@dataclass(slots=True)
class _Open:
    """A cell to which those below it may be merged."""

    content: Inline
    columns: int
    rows: int = 1


def framed(table: etree._Element) -> etree._Element | None:
    """The only cell of a table that is but a frame around text."""
    rows = list(_parts(table, "tr"))
    cells = list(_parts(rows[0], "tc")) if len(rows) == 1 else []
    return cells[0] if len(cells) == 1 else None


def table_rows(table: etree._Element, runs: RunWriter) -> list[Row]:
    """The rows of a table; in its head are those that repeat on each page, where the file marks some."""
    rows = list(_parts(table, "tr"))
    above: dict[int, _Open] = {}
    cells: list[list[_Open]] = []
    for row in rows:
        line, above = _row(row, above, runs)
        cells.append(line)
    heads = _heads(rows)
    return [
        Row(tuple(Cell(each.content, columns=each.columns, rows=each.rows) for each in line), number < heads)
        for number, line in enumerate(cells)
    ]


def _row(
    row: etree._Element, above: dict[int, _Open], runs: RunWriter
) -> tuple[list[_Open], dict[int, _Open]]:
    """The cells that begin in a row, and by their columns those that the next row may go on with."""
    before = descend(row, "trPr", "gridBefore")
    column = 0 if before is None else number_of(attribute(before, "val"))
    line = [_Open(Inline(""), 1) for _ in range(min(column, MOST_COLUMNS))]
    below: dict[int, _Open] = {}
    for element in _parts(row, "tc"):
        layout = child(element, "tcPr")
        merge = child(layout, "vMerge")
        open_cell = above.get(column) if merge is not None and attribute(merge, "val") != "restart" else None
        if open_cell is not None:
            open_cell.rows += 1
        else:
            open_cell = _Open(_content(element, runs), _columns(layout))
            line.append(open_cell)
        if merge is not None:
            below[column] = open_cell
        column += open_cell.columns
    return line, below


def _content(cell: etree._Element, runs: RunWriter) -> Inline:
    line = InlineBuilder(single_line=True)
    runs.write(line, cell)
    return line.finish()


def _columns(layout: etree._Element | None) -> int:
    span = child(layout, "gridSpan")
    return min(max(1 if span is None else number_of(attribute(span, "val"), 1), 1), MOST_COLUMNS)


def _heads(rows: list[etree._Element]) -> int:
    """The number of first rows that repeat on each page."""
    count = 0
    while count < len(rows) and is_on(descend(rows[count], "trPr", "tblHeader")):
        count += 1
    return count if count < len(rows) else 0


def has_look_of_head(table: etree._Element) -> bool:
    """Whether a table's first row has a look of its own, or its look is not said."""
    look = descend(table, "tblPr", "tblLook")
    return look is None or _has_first_row(look)


def _has_first_row(look: etree._Element) -> bool:
    if stated := attribute(look, "firstRow"):
        return stated in ("1", "true", "on")
    try:
        return bool(int(attribute(look, "val")[:8] or "20", 16) & _FIRST_ROW)
    except ValueError:
        return True


def _parts(container: etree._Element, name: str) -> Iterator[etree._Element]:
    """The rows of a table or the cells of a row, also those in content controls."""
    for each in container:
        if local(each) == name:
            yield each
        elif local(each) in _TABLE_WRAPPERS:
            yield from _parts(each, name)


_HEADING: Final = re.compile(r"heading ([1-9])")
_CODE: Final = frozenset(
    {"source code", "html preformatted", "preformatted text", "code", "macro", "plain text"}
)
_CAPTIONS: Final = frozenset({"caption", "table caption", "table"})
_CONTENTS: Final = re.compile(r"toc heading|toc [1-9]|table of figures|contents (heading|[0-9]+)")
_LONGEST_CHAIN: Final = 20  # styles that are based on each other


@dataclass(frozen=True, slots=True)
class Style:
    """The meaning of one paragraph style."""

    level: int | None = None
    """Of a heading, counted from 1."""
    listed: bool = False
    number: str = ""
    """The id of the list that it is numbered by, and at which level."""
    number_level: int = 0
    verbatim: bool = False
    caption: bool = False
    contents: bool = False
    """Whether it is a line of a table of contents."""


def styles(package: Package, part: str) -> Mapping[str, Style]:
    """The paragraph styles by their ids; the default one has an empty id."""
    if (member := related(package, part, "styles")) is None:
        return {}
    elements = {attribute(each, "styleId"): each for each in package.xml(member) if local(each) == "style"}
    by_id = {key: _style(key, elements) for key in elements}
    default = next((key for key, each in elements.items() if _is_default(each)), None)
    return {**by_id, "": by_id[default]} if default is not None else by_id


def _numbering(layout: etree._Element | None) -> tuple[str, int]:
    """The id of the list that numbers a paragraph, and its level from 0; an empty one where there is none."""
    number, level = descend(layout, "numPr", "numId"), descend(layout, "numPr", "ilvl")
    return (
        "" if number is None else attribute(number, "val"),
        0 if level is None else number_of(attribute(level, "val")),
    )


def _is_default(element: etree._Element) -> bool:
    return attribute(element, "type") == "paragraph" and attribute(element, "default") in ("1", "true")


def _style(key: str, elements: Mapping[str, etree._Element]) -> Style:
    chain = list(_chain(key, elements))
    names = [attribute(name, "val").lower() for each in chain if (name := child(each, "name")) is not None]
    numbered = next((each for each in chain if descend(each, "pPr", "numPr", "numId") is not None), None)
    number, number_level = _numbering(child(numbered, "pPr"))
    level = _level(chain, names)
    return Style(
        level,
        listed=any(descend(each, "pPr", "numPr") is not None for each in chain),
        number=number,
        number_level=level - 1 if number and level and not number_level else number_level,
        verbatim=any(name in _CODE for name in names),
        caption=bool(names) and names[0] in _CAPTIONS,
        contents=bool(names) and _CONTENTS.fullmatch(names[0]) is not None,
    )


def _chain(key: str, elements: Mapping[str, etree._Element]) -> list[etree._Element]:
    """A style and those that it is based on, the nearest first."""
    chain: list[etree._Element] = []
    while key in elements and len(chain) < _LONGEST_CHAIN:
        chain.append(elements[key])
        base = child(elements[key], "basedOn")
        key = "" if base is None else attribute(base, "val")
    return chain


def _level(chain: list[etree._Element], names: list[str]) -> int | None:
    for each in chain:
        if (outline := descend(each, "pPr", "outlineLvl")) is not None:
            return number_of(attribute(outline, "val"), 9) + 1
    for name in names:
        if (heading := _HEADING.fullmatch(name)) is not None:
            return int(heading[1])
    return 1 if names and names[0] == "title" else None


_MEDIA_TYPES = {
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".docm": "application/vnd.ms-word.document.macroEnabled.12",
}
_WRAPPERS: Final = frozenset({"sdtContent", "customXml", "ins", "moveTo", "AlternateContent", "Choice"})
_NOT_A_LEVEL: Final = 9  # §17.9.20: body text


def read_docx(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of its properties, else the first heading of the highest level.

    Deleted text and page headers are left out, as is a table of contents; inserted text, text boxes, notes
    and comments are read. Pages are those that Word counted when it saved the file.
    """
    package = Package(source, settings)
    stated = properties(package)
    part = main_part(package)
    root = package.xml(part)
    builder = DocumentBuilder(source.identifier, settings)
    reading = _Body(
        builder, package, part, paged=next(root.iter("{*}lastRenderedPageBreak"), None) is not None
    )
    if (body := child(root, "body")) is not None:
        reading.add(body)
    _count_running(builder, package, part)
    yield document_with_facts(
        builder,
        stated,
        settings,
        title=reading.unnumbered(builder.first_heading or source.stem),
        media_type=_MEDIA_TYPES[source.suffix],
        content_hash=package.content_hash,
        kind=v.SCHEMA + "TextDigitalDocument",
    )


def _count_running(builder: DocumentBuilder, package: Package, part: str) -> None:
    """Counts the headers and footers with text, which are left out."""
    for each in relationships(package, part).values():
        if each.kind in ("header", "footer") and not each.external and each.target in package:
            has_text = any((text.text or "").strip() for text in package.xml(each.target).iter("{*}t"))
            builder.pass_over(RUNNING_LINE, has_text, posixpath.basename(each.target))


class _Body:
    """The list, code or caption that is being read."""

    def __init__(self, builder: DocumentBuilder, package: Package, part: str, *, paged: bool) -> None:
        self._builder = builder
        self._package, self._part = package, part
        self._styles = styles(package, part)
        self._runs = RunWriter(package, part, builder)
        self._numbering = Numbering(package, part)
        self._paged = paged
        self._lines = InlineBuilder()
        """A list or a block of code, whose paragraphs are its lines."""
        self._lines_of: str | None = None
        self._first_page = 1
        self._caption: Inline | None = None
        self._labels: dict[str, str] = {}
        """Of each heading with a number that Word makes, that number."""

    def unnumbered(self, heading: str) -> str:
        """A heading without the number that Word makes for it."""
        return heading.removeprefix(self._labels.get(heading, ""))

    def add(self, container: etree._Element) -> None:
        """Adds all blocks of a container, in their order."""
        self._blocks(container)
        self._flush()

    def _blocks(self, container: etree._Element) -> None:
        for element in container:
            name = local(element)
            if name == "p":
                self._paragraph(element)
            elif name == "tbl":
                self._table(element)
            elif name in _WRAPPERS or (name == "sdt" and not _is_contents(element)):
                self._blocks(element)

    def _paragraph(self, element: etree._Element) -> None:
        layout = child(element, "pPr")
        style = self._style(layout)
        if style.contents:
            return
        level = self._level(layout, style)
        label = self._label(layout, style)
        lines = "code" if style.verbatim else "list" if _is_listed(layout, style) else None
        if level is not None or lines != self._lines_of:
            self._flush()
        if level is None and lines is not None:
            self._line(element, lines, label)
        else:
            self._flush()
            self._whole(element, level, label, caption=style.caption)
        self._after()

    def _label(self, layout: etree._Element | None, style: Style) -> str:
        """The number that Word makes for a paragraph, with a blank after it."""
        stated, level = _numbering(layout)
        if not stated and descend(layout, "numPr", "ilvl") is None:
            level = style.number_level
        label = self._numbering.label(stated or style.number, level)
        return f"{label} " if label else ""

    def _style(self, layout: etree._Element | None) -> Style:
        reference = child(layout, "pStyle")
        key = "" if reference is None else attribute(reference, "val")
        return self._styles.get(key) or self._styles.get("") or Style()

    def _level(self, layout: etree._Element | None, style: Style) -> int | None:
        outline = child(layout, "outlineLvl")
        level = style.level if outline is None else number_of(attribute(outline, "val"), _NOT_A_LEVEL) + 1
        return level if level is not None and level <= _NOT_A_LEVEL else None

    def _line(self, element: etree._Element, lines: str, label: str) -> None:
        if self._lines_of is None:
            self._lines_of = lines
            self._first_page = self._runs.page
        self._lines.newline()
        self._lines.write(label)
        self._runs.write(self._lines, element, verbatim=lines == "code")

    def _whole(self, element: etree._Element, level: int | None, label: str, *, caption: bool) -> None:
        """A paragraph that is a block of its own: a heading, a caption that waits for its table, or prose."""
        line = InlineBuilder()
        line.write(label)
        first = self._runs.write(line, element)
        content = line.finish() if len(line) > len(label.strip()) else Inline("")
        self._at(first)
        if level is not None:
            self._builder.heading(content, level)
            self._labels.setdefault(content.text, label)
        elif caption:
            self._caption = content
        else:
            self._builder.prose(content)

    def _table(self, element: etree._Element) -> None:
        caption, self._caption = self._caption, None
        self._flush()
        if (frame := framed(element)) is not None:
            self._builder.prose(caption or "")
            self._blocks(frame)
            self._flush()
        else:
            first = self._runs.page
            rows = table_rows(element, self._runs)
            self._at(first)
            stated = caption.text if caption is not None else ""
            add_grid(self._builder, rows, stated, likely=has_look_of_head(element))
        self._after()

    def _flush(self) -> None:
        """Ends the list or code that is being read, and the caption that no table followed."""
        if self._lines_of is not None:
            self._at(self._first_page)
            self._builder.prose(self._lines.finish())
            self._lines, self._lines_of = InlineBuilder(), None
        if self._caption is not None:
            self._builder.prose(self._caption)
            self._caption = None

    def _after(self) -> None:
        """Adds the text boxes and notes of what was read; a list goes on after them only if it has none."""
        boxes, notes = self._runs.take()
        graphics = self._runs.take_graphics()
        if boxes or notes or graphics:
            self._flush()
        for graphic in graphics:
            add_graphic(self._builder, self._package, self._part, graphic)
        for box in boxes:
            self._blocks(box)
            self._flush()
        for note in notes:
            self._builder.prose(note)

    def _at(self, first: int) -> None:
        if self._paged:
            self._builder.at(PlaceKind.PAGE, first, max(first, self._runs.page))


def _is_listed(layout: etree._Element | None, style: Style) -> bool:
    number = descend(layout, "numPr", "numId")
    return style.listed if number is None else attribute(number, "val") != "0"


def _is_contents(element: etree._Element) -> bool:
    """Whether a content control is a table of contents (§17.5.2.13)."""
    gallery = descend(element, "sdtPr", "docPartObj", "docPartGallery")
    return gallery is not None and attribute(gallery, "val") == "Table of Contents"


DOCX = Reader("Word documents", _MEDIA_TYPES, read_docx, packed=True)
