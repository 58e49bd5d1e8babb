"""Excel workbooks (`.xlsx`): SpreadsheetML, ISO/IEC 29500-1, §18. Each sheet is a section."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from lxml import etree

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.inline import InlineBuilder
from sage_ld.build.readers.metadata.facts import document_with_facts
from sage_ld.build.readers.office.cell_formats import NO_FORMAT, CellFormat, cell_format, shown_cell
from sage_ld.build.readers.office.charts import add_graphic
from sage_ld.build.readers.office.ooxml import (
    attribute,
    child,
    children,
    is_hidden,
    is_on,
    link_target,
    local,
    main_part,
    number_of,
    properties,
    related,
    relationships,
    text_of,
)
from sage_ld.build.readers.office.package import Package
from sage_ld.build.readers.office.sheets import (
    CellCount,
    MergedCells,
    Sheet,
    Value,
    add_sheet,
    linked,
)
from sage_ld.build.readers.positions import RUN_POSITIONS
from sage_ld.build.readers.shown import HIDDEN, OBJECT, PICTURE, STRUCK_OUT
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

_LINK: Final = re.compile(r'HYPERLINK\("([^"]+)"', re.IGNORECASE)
_ESCAPE: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")


class CellValues:
    """Gives what cells show, with the strings and number formats of their workbook."""

    def __init__(self, package: Package, part: str, builder: DocumentBuilder) -> None:
        self._name = package.name
        self._builder = builder
        self.sheet = ""
        """The name of the sheet that is being read."""
        self._strings = self._shared_strings(package, part)
        self._formats, self._struck = _styles(package, part)
        workbook = child(package.xml(part), "workbookPr")
        old = workbook is not None and attribute(workbook, "date1904") in ("1", "true")
        self._since_1904 = old

    def _shared_strings(self, package: Package, part: str) -> list[str]:
        if (member := related(package, part, "sharedStrings")) is None:
            return []
        return [one_line(string_text(each, self._builder)) for each in package.elements(member, "si")]

    def of(self, cell: etree._Element) -> Value | None:
        """The displayed value of a cell; nothing where it is empty or struck out."""
        if number_of(cell.get("s", "0")) in self._struck and len(cell):
            self._builder.pass_over(STRUCK_OUT)
            return None
        return self._of(cell)

    def _of(self, cell: etree._Element) -> Value | None:
        kind, value, formula = cell.get("t", "n"), None, None
        for part in cell:
            tag = str(part.tag)
            if tag.endswith("}v"):
                value = part.text
            elif tag.endswith("}f"):
                formula = part
            elif tag.endswith("}is"):
                kind, value = "is", string_text(part, self._builder)
        if value is None or not value.strip():
            return None if formula is None else _formula(formula)
        shown = self._shown(kind, value.strip(), cell.get("s", "0"))
        target = None if formula is None else _LINK.match(formula.text or "")
        return linked(shown, target[1]) if target is not None and shown else shown or None

    def _shown(self, kind: str, value: str, style: str) -> Value:
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        if kind not in ("s", "is", "str", "inlineStr", "e", "d"):
            return self._number(value, style)
        text = self._string(value) if kind == "s" else one_line(value if kind == "is" else unescaped(value))
        return self._hidden() if text and self._format(style).hides_texts else text

    def _hidden(self) -> str:
        """The text of a cell whose format shows none, which is counted."""
        self._builder.pass_over(HIDDEN, place=self.sheet)
        return ""

    def _format(self, style: str) -> CellFormat:
        """The number format of a style of cells; none where the file has no such style."""
        place = number_of(style)
        return self._formats[place] if place < len(self._formats) else NO_FORMAT

    def _string(self, value: str) -> str:
        number = number_of(value, len(self._strings))
        if number >= len(self._strings):
            raise InputError(f"{self._name}: a cell refers to a string that is missing; save the file again")
        return self._strings[number]

    def _number(self, value: str, style: str) -> Value:
        try:
            number = float(value)
        except ValueError:
            return one_line(value)
        shown = shown_cell(number, self._format(style), since_1904=self._since_1904)
        return shown if shown.text else self._hidden()


def _formula(element: etree._Element) -> str:
    """A formula whose value the file does not keep; one that is shared is written only once."""
    text = one_line(element.text or "")
    return f"={text}" if text else "=(shared formula)"


def string_text(element: etree._Element, builder: DocumentBuilder) -> str:
    """The text of a string with or without rich text, but not its reading aid (§18.4.6)."""
    line = InlineBuilder()
    for each in element:
        if local(each) == "t":
            line.verbatim(unescaped(each.text or ""))
        elif local(each) == "r":
            _write_run(line, each, builder)
    return line.finish().text


def _write_run(line: InlineBuilder, run: etree._Element, builder: DocumentBuilder) -> None:
    look = child(run, "rPr")
    if is_on(child(look, "strike")):
        builder.pass_over(STRUCK_OUT)
        return
    position = child(look, "vertAlign")
    with line.placed(None if position is None else RUN_POSITIONS.get(attribute(position, "val"))):
        for part in children(run, "t"):
            line.verbatim(unescaped(part.text or ""))


def unescaped(text: str) -> str:
    r"""A string with the characters that it names by their codes (ST_Xstring, §22.9.2.19).

    >>> unescaped("one_x000D_two"), unescaped("_x005F_x0041_")
    ('one\rtwo', '_x0041_')
    """
    return _ESCAPE.sub(lambda code: chr(int(code[1], 16)), text) if "_x" in text else text


def _styles(package: Package, part: str) -> tuple[list[CellFormat], frozenset[int]]:
    """The number formats by style of cell, and the styles whose font is struck out."""
    if (member := related(package, part, "styles")) is None:
        return [], frozenset()
    root = package.xml(member)
    codes = {
        number_of(attribute(each, "numFmtId"), -1): attribute(each, "formatCode")
        for each in children(child(root, "numFmts"), "numFmt")
    }
    styles = list(children(child(root, "cellXfs"), "xf"))
    formats = (number_of(attribute(each, "numFmtId")) for each in styles)
    fonts = [is_on(child(font, "strike")) for font in children(child(root, "fonts"), "font")]
    struck = {number for number, is_struck in enumerate(fonts) if is_struck}
    return [cell_format(number, codes.get(number, "")) for number in formats], frozenset(
        number for number, each in enumerate(styles) if number_of(attribute(each, "fontId")) in struck
    )


_MEDIA_TYPES = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
}
_REFERENCE: Final = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")
_THREADED: Final = re.compile(r"\[Threaded comment\].*?\sComment:\s+", re.DOTALL)
"""The sentences that Excel writes before a comment with answers, for programs that know none."""
_LAST_ROW: Final = 1_048_576  # the size of Excel's sheets
_LAST_COLUMN: Final = 16_384


def read_xlsx(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of its properties, else the file's name.

    Cells have the values that the file keeps of them; a formula without one is written as a formula. Hidden
    sheets are read, and named so; hidden rows and columns are read. Raises LimitError over `max_sheet_cells`.
    """
    package = Package(source, settings)
    stated = properties(package)
    builder = DocumentBuilder(source.identifier, settings)
    part = main_part(package)
    count = CellCount(package.name, settings.max_sheet_cells)
    values = CellValues(package, part, builder)
    for name, member, is_shown in _sheets(package, part):
        add_sheet(builder, _sheet(package, name, member, values, count, builder), count, is_shown=is_shown)
        _add_drawing(builder, package, member)
    yield document_with_facts(
        builder,
        stated,
        settings,
        title=source.stem,
        media_type=_MEDIA_TYPES[source.suffix],
        content_hash=package.content_hash,
        kind=v.SCHEMA + "SpreadsheetDigitalDocument",
    )


def _sheets(package: Package, part: str) -> Iterator[tuple[str, str, bool]]:
    """Name and member of each sheet, and whether it is shown, in their order; chart sheets are skipped."""
    targets = relationships(package, part)
    for each in children(child(package.xml(part), "sheets"), "sheet"):
        target = targets.get(attribute(each, "id"))
        if target is not None and target.kind == "worksheet":
            yield attribute(each, "name"), target.target, attribute(each, "state") in ("", "visible")


def _sheet(
    package: Package, name: str, member: str, values: CellValues, count: CellCount, builder: DocumentBuilder
) -> Sheet:
    sheet = Sheet(name)
    values.sheet = name
    links = relationships(package, member)
    number = 0
    stated: list[tuple[MergedCells, str]] = []
    for element in package.elements(member, "row", "mergeCell", "hyperlink"):
        kind = local(element)
        if kind == "row":
            number = _row_number(element, number, package.name, name)
            if row := _row(element, values, package.name):
                count.add(len(row))
                sheet.rows[number] = row
        elif kind == "mergeCell":
            sheet.spans.append(_span(attribute(element, "ref")))
        elif target := link_target(links, element):
            stated.append((_span(attribute(element, "ref")), target))
    _add_links(sheet, stated, count)
    sheet.notes = list(_notes(package, member, builder))
    return sheet


def _row_number(element: etree._Element, last: int, file: str, sheet: str) -> int:
    number = number_of(element.get("r", ""), last + 1)
    if not last < number <= _LAST_ROW:
        raise InputError(f"{file}: row {number} of the sheet {sheet!r} is out of order; save the file again")
    return number


def _row(element: etree._Element, values: CellValues, file: str) -> dict[int, Value]:
    row: dict[int, Value] = {}
    column = 0
    for cell in element:
        reference = cell.get("r")
        column = column + 1 if reference is None else _column(reference.rstrip("0123456789"))
        if not 0 < column <= _LAST_COLUMN:
            raise InputError(f"{file}: there is no cell {reference!r}; save the file again")
        if value := values.of(cell):
            row[column] = value
    return row


def _column(letters: str) -> int:
    """The number of a column, counted from 1; 0 where the letters name no column."""
    number = _COLUMNS.get(letters)
    if number is None and letters.isascii() and letters.isalpha() and len(letters) <= 3:
        number = 0
        for letter in letters.upper():
            number = number * 26 + ord(letter) - ord("A") + 1
        _COLUMNS[letters] = number
    return number or 0


_COLUMNS: Final[dict[str, int]] = {}
"""The numbers of columns by their letters: at most 26³ and their spellings."""


def _span(reference: str) -> MergedCells:
    """The corners of a reference `A1:B2`; of no cells where it is invalid."""
    first, _, last = reference.partition(":")
    corners = _REFERENCE.fullmatch(first), _REFERENCE.fullmatch(last or first)
    if corners[0] is None or corners[1] is None:
        return MergedCells(0, 0, -1, -1)
    return MergedCells(int(corners[0][2]), _column(corners[0][1]), int(corners[1][2]), _column(corners[1][1]))


def _add_links(sheet: Sheet, links: Sequence[tuple[MergedCells, str]], count: CellCount) -> None:
    """Puts links on the cells that they are stated for, but for empty ones; of several the last."""
    last = next(reversed(sheet.rows), 0)
    left: dict[int, list[int]] = {}
    """Of the rows that links were put on, the columns without one, rising."""
    for span, target in reversed(links):
        numbers = range(span.first_row, min(span.last_row, last) + 1)
        count.add(len(numbers))
        for number in numbers:
            if (row := sheet.rows.get(number)) is None:
                continue
            columns = left.get(number)
            if columns is None:
                columns = left[number] = sorted(row)
            first, end = bisect_left(columns, span.first_column), bisect_right(columns, span.last_column)
            for column in columns[first:end]:
                row[column] = linked(row[column], target)
            del columns[first:end]


def _add_drawing(builder: DocumentBuilder, package: Package, member: str) -> None:
    """Adds the text boxes and charts that lie on a sheet."""
    if (drawing := related(package, member, "drawing")) is None:
        return
    for each in package.xml(drawing).iter("{*}sp", "{*}graphicFrame", "{*}pic"):
        kind = local(each)
        if next(each.iterancestors("{*}Fallback"), None) is not None:  # what it says is for old programs
            continue
        if is_hidden(each):
            builder.pass_over(HIDDEN)
        elif kind == "sp":
            paragraphs = (
                text_of(part)
                for part in each.iter("{http://schemas.openxmlformats.org/drawingml/2006/main}p")
            )
            builder.prose("\n".join(filter(None, map(one_line, paragraphs))))
        elif kind == "graphicFrame":
            builder.pass_over(OBJECT, not add_graphic(builder, package, drawing, each))
        else:
            builder.pass_over(PICTURE)


def _notes(package: Package, member: str, builder: DocumentBuilder) -> Iterator[tuple[int, int, str]]:
    """Row, column and text of the notes on a sheet's cells (§18.7)."""
    if (comments := related(package, member, "comments")) is None:
        return
    for each in package.xml(comments).iter("{*}comment"):
        span = _span(attribute(each, "ref"))
        text = child(each, "text")
        if span.first_row > 0 and text is not None and (content := string_text(text, builder)).strip():
            yield span.first_row, span.first_column, _THREADED.sub("", content)


XLSX = Reader("Excel workbooks", _MEDIA_TYPES, read_xlsx, packed=True)
