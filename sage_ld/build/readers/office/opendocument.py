"""OpenDocument files: texts, sheets and presentations of LibreOffice and others, with their tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from typing import Final

from lxml import etree

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.cell_values import TypedValue, number_value, stated_value
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.grid import MOST_COLUMNS, Cell, Row, add_grid
from sage_ld.build.readers.inline import Inline, InlineBuilder, folded_away
from sage_ld.build.readers.metadata.facts import Facts, document_with_facts, facts
from sage_ld.build.readers.office.ooxml import attribute, child, children, descend, local, number_of
from sage_ld.build.readers.office.opendocument_numbers import write_numbers
from sage_ld.build.readers.office.opendocument_text import TextLook, TextWriter, hiding_styles, text_looks
from sage_ld.build.readers.office.package import Package
from sage_ld.build.readers.office.sheets import CellCount, MergedCells, Sheet, Value, add_sheet
from sage_ld.build.readers.shown import HIDDEN
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Document, PlaceKind, Property
from sage_ld.foundation.settings import Settings

_META: Final = {
    "title": "title",
    "description": "description",
    "keyword": "keywords",
    "language": "language",
    "date": "modified",
    "subject": "subject",
    "initial-creator": "creator",
    "creator": "lastModifiedBy",
    "creation-date": "created",
    "coverage": "coverage",
    "publisher": "publisher",
    "rights": "rights",
    "identifier": "identifier",
}
_DATATYPES: Final = {"float": "double", "boolean": "boolean", "date": "dateTime"}
_TECHNICAL: Final = ("AppVersion",)  # of the program that wrote an office file before it was converted
_AUTOMATIC: Final = re.compile(r"P[0-9]+")


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """A style of paragraphs."""

    name: str = ""
    """The nearest named style that it is made of, in lower case, such as `preformatted text`."""
    new_page: bool = False
    """Whether its paragraphs begin a page."""


def check_odf(package: Package) -> None:
    """Raises InputError for a file that is encrypted, or is no OpenDocument."""
    if "META-INF/manifest.xml" in package:
        manifest = package.xml("META-INF/manifest.xml")
        if next(manifest.iter("{*}encryption-data"), None) is not None:
            raise InputError(f"{package.name}: needs a password; save it without one")
    if "content.xml" not in package:
        raise InputError(f"{package.name}: no OpenDocument file in this archive; check its format")


def odf_properties(package: Package) -> Facts:
    """The properties in `meta.xml`, with those that the user defined."""
    if "meta.xml" not in package:
        return Facts()
    meta = child(package.xml("meta.xml"), "meta")
    return facts(_properties(meta) if meta is not None else ())


def _properties(meta: etree._Element) -> Iterator[Property]:
    for each in meta:
        name, text = local(each), _moment(each.text or "")
        if name == "user-defined" and attribute(each, "name") not in _TECHNICAL:
            yield Property(
                attribute(each, "name"), text, _DATATYPES.get(attribute(each, "value-type"), "string")
            )
        elif name in _META:
            yield Property(_META[name], text, "dateTime" if name == "creation-date" else "string")


def _moment(text: str) -> str:
    """A time without the nine digits of a second's fraction that LibreOffice writes."""
    head, dot, fraction = text.partition(".")
    return head if dot and len(head) == 19 and fraction.isdigit() else text


def paragraph_styles(roots: list[etree._Element]) -> Mapping[str, ParagraphStyle]:
    """The styles of paragraphs, by name, of `styles.xml` and of `content.xml`."""
    elements = {
        attribute(each, "name"): each
        for root in roots
        for each in root.iter("{*}style")
        if attribute(each, "family") == "paragraph"
    }
    return {name: _paragraph_style(each, elements) for name, each in elements.items()}


def _paragraph_style(element: etree._Element, elements: Mapping[str, etree._Element]) -> ParagraphStyle:
    layout = child(element, "paragraph-properties")
    new_page = layout is not None and attribute(layout, "break-before") == "page"
    page_style = attribute(element, "master-page-name")
    name = attribute(element, "name")
    if _AUTOMATIC.fullmatch(name):  # the style that it is made of says more
        name = attribute(element, "parent-style-name")
    if (named := elements.get(name)) is not None:
        name = attribute(named, "display-name") or name
    return ParagraphStyle(readable(name), new_page or bool(page_style))


def readable(name: str) -> str:
    """The name of a style as a person reads it, in lower case.

    >>> readable("Text_20_body")
    'text body'
    """
    return name.replace("_20_", " ").lower()


_TABLE_WRAPPERS: Final = frozenset({"table-rows", "table-row-group"})


def framed(table: etree._Element) -> etree._Element | None:
    """The only cell of a table that is but a frame around text."""
    rows = [row for _, row in sheet_rows(table)]
    cells = [each for each in rows[0] if local(each) == "table-cell"] if len(rows) == 1 else []
    return cells[0] if len(cells) == 1 else None


def table_rows(table: etree._Element, text: TextWriter) -> list[Row]:
    """The rows of a table; in its head are those that it marks so."""
    rows = [(head, tuple(_cells(row, text))) for head, row in sheet_rows(table)]
    marked = any(head for head, _ in rows) and not all(head for head, _ in rows)
    return [Row(cells, in_head=head and marked) for head, cells in rows]


def sheet_rows(table: etree._Element, *, head: bool = False) -> Iterator[tuple[bool, etree._Element]]:
    """The rows of a table, and whether each is marked as its header."""
    for each in table:
        name = local(each)
        if name == "table-row":
            yield head, each
        elif name == "table-header-rows" or name in _TABLE_WRAPPERS:
            yield from sheet_rows(each, head=head or name == "table-header-rows")


def _cells(row: etree._Element, text: TextWriter) -> Iterator[Cell]:
    for element in row:
        if local(element) != "table-cell":  # a covered one belongs to another that spans it
            continue
        line = InlineBuilder(single_line=True)
        text.write(line, element)
        columns = min(max(number_of(attribute(element, "number-columns-spanned"), 1), 1), MOST_COLUMNS)
        rows = max(number_of(attribute(element, "number-rows-spanned"), 1), 1)
        content = replace(line.finish(), value=_stored(element))
        repeated = min(max(number_of(attribute(element, "number-columns-repeated"), 1), 1), MOST_COLUMNS)
        yield from [Cell(content, columns=columns, rows=rows)] * repeated


_TEXT_TYPES = {
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ott": "application/vnd.oasis.opendocument.text-template",
}
_WRAPPERS: Final = frozenset(
    {"section", "list", "list-item", "list-header", "note", "note-body", "annotation", "text-box", "frame"}
)
_CODE: Final = frozenset({"preformatted text", "source code", "html preformatted"})


def read_odt(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of its properties, else the first heading of the highest level.

    Deleted text and page headers are left out, as are indexes such as a table of contents; notes and
    comments are read. Pages are those that LibreOffice counted when it saved the file.
    """
    package = Package(source, settings)
    check_odf(package)
    stated = odf_properties(package)
    content = package.xml("content.xml")
    roots = [*([package.xml("styles.xml")] if "styles.xml" in package else []), content]
    styles = paragraph_styles(roots)
    builder = DocumentBuilder(source.identifier, settings)
    body = descend(content, "body", "text")
    if body is not None:
        write_numbers(body, roots)
        paged = next(body.iter("{*}soft-page-break"), None) is not None
        TextBody(builder, styles, text_looks(roots), package, paged=paged).add(body)
    yield document_with_facts(
        builder,
        stated,
        settings,
        title=builder.first_heading or source.stem,
        media_type=_TEXT_TYPES[source.suffix],
        content_hash=package.content_hash,
        kind=v.SCHEMA + "TextDigitalDocument",
    )


class TextBody:
    """The blocks of a text, and the page that is reached."""

    def __init__(
        self,
        builder: DocumentBuilder,
        styles: Mapping[str, ParagraphStyle],
        looks: Mapping[str, TextLook],
        package: Package,
        *,
        paged: bool = False,
    ) -> None:
        self._builder = builder
        self._styles = styles
        self._paged = paged
        self._page = self._first_page = 1
        self._text = TextWriter(builder, self._next_page, looks, package)
        self._code: InlineBuilder | None = None
        """A block of code, whose paragraphs are its lines."""

    def add(self, container: etree._Element) -> None:
        """Adds all blocks of a container, in their order."""
        self._blocks(container)
        self._flush()

    def _blocks(self, container: etree._Element) -> None:
        for element in container:
            name = local(element)
            if name == "list" and next(element.iter("{*}h", "{*}table"), None) is None:
                self._whole(element)
            elif name in _BLOCKS:
                _BLOCKS[name](self, element)
            elif name in _WRAPPERS:
                if attribute(element, "display") == "none":
                    self._builder.pass_over(HIDDEN)
                else:
                    self._blocks(element)

    def _paragraph(self, element: etree._Element) -> None:
        style = self._style(element)
        if style.name in _CODE:
            self._code_line(element)
        elif style.name == "title":
            self._whole(element, 1)
        else:
            self._whole(element)

    def _heading(self, element: etree._Element) -> None:
        self._style(element)
        self._whole(element, max(number_of(attribute(element, "outline-level"), 1), 1))

    def _style(self, element: etree._Element) -> ParagraphStyle:
        """The style of a paragraph, which may begin a page."""
        name = attribute(element, "style-name")
        style = self._styles.get(name) or ParagraphStyle(readable(name))
        if style.new_page and not self._builder.empty:
            self._next_page()
        return style

    def _code_line(self, element: etree._Element) -> None:
        if self._code is None:
            self._code, self._first_page = InlineBuilder(), self._page
        else:
            self._code.verbatim("\n")
        self._text.write(self._code, element, verbatim=True)

    def _whole(self, element: etree._Element, level: int | None = None) -> None:
        """A paragraph, a list or a heading, and what stands beside it."""
        self._flush()
        self._first_page = self._page
        if any(attribute(each, "is-hidden") == "true" for each in element.iter("{*}hidden-paragraph")):
            self._builder.pass_over(HIDDEN)
            return
        line = InlineBuilder()
        self._text.write(line, element)
        content = line.finish()
        self._at()
        if level is None:
            self._builder.prose(content)
        else:
            self._builder.heading(content, level)
        self._beside()

    def _table(self, element: etree._Element) -> None:
        self._flush()
        if (frame := framed(element)) is not None:
            self._blocks(frame)
            return
        self._first_page = self._page
        rows = table_rows(element, self._text)
        self._at()
        add_grid(self._builder, rows)
        self._beside()

    def _soft_break(self, element: etree._Element) -> None:
        self._next_page()

    def _beside(self) -> None:
        for each in self._text.take():
            self._blocks(each)
            self._flush()

    def _flush(self) -> None:
        """Ends the code that is being read."""
        if self._code is not None:
            code, self._code = self._code, None
            self._at()
            self._builder.prose(code.finish())
            self._beside()

    def _next_page(self) -> None:
        self._page += 1

    def _at(self) -> None:
        if self._paged:
            self._builder.at(PlaceKind.PAGE, self._first_page, self._page)


_BLOCKS: Final = {
    "p": TextBody._paragraph,
    "h": TextBody._heading,
    "table": TextBody._table,
    "soft-page-break": TextBody._soft_break,
}

ODT = Reader("OpenDocument texts", _TEXT_TYPES, read_odt, packed=True)


_SHEET_TYPES = {
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".ots": "application/vnd.oasis.opendocument.spreadsheet-template",
}
_LAST_ROW: Final = 1_048_576  # the size of LibreOffice's sheets
_LAST_COLUMN: Final = 16_384
_FORMULA_PREFIX: Final = ("of:", "oooc:", "msoxl:")


def read_ods(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of its properties, else the file's name.

    Cells have the text that they show; a formula without a value is written as a formula. Hidden sheets are
    read, and named so; hidden rows and columns are read. Raises LimitError over `max_sheet_cells`.
    """
    package = Package(source, settings)
    check_odf(package)
    stated = odf_properties(package)
    builder = DocumentBuilder(source.identifier, settings)
    count = CellCount(package.name, settings.max_sheet_cells)
    reading = _Sheets(builder, package.name, count)
    for element in package.elements("content.xml", "style", "table-row", "shapes", "table"):
        if local(element) == "style":
            reading.style(element)
        elif local(element) == "table-row":
            reading.row(element)
        elif local(element) == "shapes":
            reading.shapes(element)
        else:
            sheet = reading.sheet(attribute(element, "name"))
            add_sheet(builder, sheet, count, is_shown=reading.is_shown(element))
            reading.add_shapes()
    yield document_with_facts(
        builder,
        stated,
        settings,
        title=source.stem,
        media_type=_SHEET_TYPES[source.suffix],
        content_hash=package.content_hash,
        kind=v.SCHEMA + "SpreadsheetDigitalDocument",
    )


class _Sheets:
    """The rows of the sheet that is being read."""

    def __init__(self, builder: DocumentBuilder, name: str, count: CellCount) -> None:
        self._builder = builder
        self._name = name
        self._count = count
        self._looks: dict[str, TextLook] = {}
        self._cell_looks: dict[str, TextLook] = {}
        self._hidden: set[str] = set()
        """The names of styles whose sheets are hidden."""
        self._text = TextWriter(builder, looks=self._looks)
        self._sheet = Sheet("")
        self._shapes: list[Inline] = []
        self._row = 1

    def style(self, element: etree._Element) -> None:
        """Takes a style, which stands before the sheets."""
        self._looks.update(text_looks([element]))
        self._cell_looks.update(text_looks([element], "table-cell"))
        self._hidden |= hiding_styles([element], "table")

    def is_shown(self, table: etree._Element) -> bool:
        """Whether a sheet is shown, by its style."""
        return attribute(table, "style-name") not in self._hidden

    def shapes(self, element: etree._Element) -> None:
        """Takes the shapes that lie on a sheet and are tied to no cell."""
        self._shapes = [_text(self._text, each) for each in element if attribute(each, "display") != "none"]
        self._builder.pass_over(HIDDEN, len(element) - len(self._shapes))

    def add_shapes(self) -> None:
        """Adds the texts of the shapes of the sheet that ended."""
        for each in self._shapes:
            self._builder.prose(each)
        self._shapes = []

    def sheet(self, name: str) -> Sheet:
        """The sheet that ends, under its name; what comes after it begins another."""
        sheet, self._sheet, self._row = self._sheet, Sheet(""), 1
        sheet.name = name
        return sheet

    def row(self, element: etree._Element) -> None:
        """Takes a row, as often as it is repeated."""
        repeated = max(number_of(attribute(element, "number-rows-repeated"), 1), 1)
        if row := self._cells(element):
            self._check(self._row + repeated - 1, _LAST_ROW, "row")
            self._count.add(len(row) * repeated)
            self._builder.check_area(added := len(row) * (repeated - 1))
            self._builder.add_area(added)
            self._sheet.rows.update((self._row + each, dict(row)) for each in range(repeated))
        self._row += repeated

    def _cells(self, element: etree._Element) -> dict[int, Value]:
        row: dict[int, Value] = {}
        column = 1
        for cell in element:
            repeated = max(number_of(attribute(cell, "number-columns-repeated"), 1), 1)
            if local(cell) == "table-cell" and (value := self._value(cell)) and self._is_read(cell):
                self._check(column + repeated - 1, _LAST_COLUMN, "column")
                row.update((column + each, value) for each in range(repeated))
                self._span(cell, column)
            if local(cell) == "table-cell":
                self._notes(column)
            column += repeated
        return row

    def _is_read(self, cell: etree._Element) -> bool:
        """Whether the style of a whole cell leaves its text to be read; counts what it does not."""
        look = self._cell_looks.get(attribute(cell, "style-name"))
        if look is not None and look.passed_over:
            self._builder.pass_over(look.passed_over)
        return look is None or not look.passed_over

    def _value(self, cell: etree._Element) -> Value | None:
        """The displayed value of a cell; nothing where it is empty."""
        line = InlineBuilder(single_line=True)
        self._text.write(line, cell)
        content = line.finish()
        kind = attribute(cell, "value-type")
        if content.anchors:
            return replace(content, value=_stored(cell))
        if not content.text and kind in ("", "string") and (formula := attribute(cell, "formula")):
            return _formula(formula)
        stated = one_line(_stated(cell))
        if not content.text and stated and next(cell.iterchildren("{*}p"), None) is not None:
            self._builder.pass_over(HIDDEN)  # its format shows nothing: the paragraph is empty
            return None
        text = content.text or stated
        return Inline(text, value=_stored(cell)) if text and kind not in ("", "string") else text or None

    def _span(self, cell: etree._Element, column: int) -> None:
        rows = number_of(attribute(cell, "number-rows-spanned"), 1)
        columns = number_of(attribute(cell, "number-columns-spanned"), 1)
        if rows > 1 or columns > 1:
            self._sheet.spans.append(
                MergedCells(self._row, column, self._row + rows - 1, column + columns - 1)
            )

    def _notes(self, column: int) -> None:
        for note in self._text.take():
            line = InlineBuilder(single_line=True)
            for paragraph in note.iterchildren("{*}p"):
                line.newline()
                self._text.write(line, paragraph)
            self._sheet.notes.append((self._row, column, line.finish().text))

    def _check(self, number: int, last: int, what: str) -> None:
        if number > last:
            raise InputError(
                f"{self._name}: {what} {number:,} is beyond the last one, {last:,}; save the file again"
            )


_CLOCK: Final = re.compile(r"PT([0-9]{2})H([0-9]{2})M([0-9]{2})(?:[.,][0-9]*)?S")


def _stored(cell: etree._Element) -> TypedValue | None:
    """The value that a cell of a table stores, as its attributes state it."""
    kind = attribute(cell, "value-type")
    if kind in ("float", "percentage", "currency"):
        return number_value(attribute(cell, "value"))
    if kind in ("date", "boolean"):
        return stated_value(_moment(attribute(cell, f"{kind}-value")))
    clock = _CLOCK.fullmatch(attribute(cell, "time-value")) if kind == "time" else None
    return stated_value(":".join(clock.groups())) if clock else None


def _stated(cell: etree._Element) -> str:
    """The value of a cell that shows none, as its attributes state it."""
    names = ("value", "date-value", "time-value", "boolean-value", "string-value")
    return next(filter(None, (attribute(cell, name) for name in names)), "")


def _formula(text: str) -> str:
    prefix = next((each for each in _FORMULA_PREFIX if text.startswith(each)), "")
    return one_line(text.removeprefix(prefix))


ODS = Reader("OpenDocument spreadsheets", _SHEET_TYPES, read_ods, packed=True)


_SLIDE_TYPES = {
    ".odp": "application/vnd.oasis.opendocument.presentation",
    ".otp": "application/vnd.oasis.opendocument.presentation-template",
}
_LEFT_OUT = frozenset({"date-time", "footer", "header", "page-number"})


def read_odp(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of its properties, else of the first slide that has one.

    The notes of a slide stand at its end; hidden slides are read, and named so. Raises
    LimitError over `max_pdf_pages` slides.
    """
    package = Package(source, settings)
    check_odf(package)
    stated = odf_properties(package)
    builder = DocumentBuilder(source.identifier, settings)
    content = package.xml("content.xml")
    slides = list(children(descend(content, "body", "presentation"), "page"))
    if len(slides) > settings.max_pdf_pages:
        raise LimitError.of(package.name, len(slides), settings.max_pdf_pages, "slides", "max_pdf_pages")
    roots = [*([package.xml("styles.xml")] if "styles.xml" in package else []), content]
    text = TextWriter(builder, looks=text_looks(roots), package=package)
    hidden = hiding_styles(roots, "drawing-page")
    titles = [_add_slide(builder, text, slide, number, hidden) for number, slide in enumerate(slides, 1)]
    yield document_with_facts(
        builder,
        stated,
        settings,
        title=next(filter(None, titles), "") or source.stem,
        media_type=_SLIDE_TYPES[source.suffix],
        content_hash=package.content_hash,
        kind=v.SCHEMA + "PresentationDigitalDocument",
    )


def _add_slide(
    builder: DocumentBuilder, text: TextWriter, slide: etree._Element, number: int, hidden: Set[str]
) -> str:
    """Adds a slide; returns its title."""
    shapes = [each for each in slide if attribute(each, "class") not in _LEFT_OUT]
    titled = next((each for each in shapes if attribute(each, "class") == "title"), None)
    title = _text(text, titled) if titled is not None else Inline("")
    builder.at(PlaceKind.SLIDE, number)
    name = title if title.text.strip() else Inline(f"Slide {number}")
    builder.heading(folded_away(name) if attribute(slide, "style-name") in hidden else name, 1)
    for shape in shapes:
        if shape is not titled:
            _add_shape(builder, text, shape)
    return title.text


def _add_shape(builder: DocumentBuilder, text: TextWriter, shape: etree._Element) -> None:
    table = next(shape.iter("{*}table"), None)
    if attribute(shape, "display") == "none":
        builder.pass_over(HIDDEN)
    elif local(shape) == "notes":
        for each in shape:
            _add_shape(builder, text, each)
    elif table is not None:
        add_grid(builder, table_rows(table, text))
    else:
        builder.prose(_text(text, shape))


def _text(writer: TextWriter, shape: etree._Element) -> Inline:
    """The text of a shape, also of shapes that are grouped in it."""
    line = InlineBuilder()
    writer.write(line, shape)
    for box in writer.take():
        line.newline()
        writer.write(line, box)
    return line.finish()


ODP = Reader("OpenDocument presentations", _SLIDE_TYPES, read_odp, packed=True)
