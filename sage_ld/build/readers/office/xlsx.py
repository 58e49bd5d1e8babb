"""Excel workbooks (`.xlsx`): SpreadsheetML, ISO/IEC 29500-1, §18. Each sheet is a section."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from lxml import etree

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.office.facts import document_with_facts
from sage_ld.build.readers.office.ooxml import (
    Relationship,
    attribute,
    child,
    children,
    link_target,
    local,
    main_part,
    number_of,
    properties,
    related,
    relationships,
)
from sage_ld.build.readers.office.package import Package
from sage_ld.build.readers.office.sheets import CellCount, MergedCells, Sheet, Value, add_sheet, linked
from sage_ld.build.readers.office.xlsx_values import CellValues, string_text
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

_MEDIA_TYPES = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
}
_REFERENCE: Final = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")
_LAST_ROW: Final = 1_048_576  # the size of Excel's sheets
_LAST_COLUMN: Final = 16_384


def read_xlsx(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of its properties, else the file's name.

    Cells have the values that the file keeps of them; a formula without one is written as a formula. Hidden
    sheets, rows and columns are read. Raises LimitError over `max_sheet_cells`.
    """
    package = Package(source, settings)
    stated = properties(package)
    builder = DocumentBuilder(source.identifier, settings)
    part = main_part(package)
    count = CellCount(package.name, settings.max_sheet_cells)
    values = CellValues(package, part)
    for name, member in _sheets(package, part):
        add_sheet(builder, _sheet(package, name, member, values, count), count)
    yield document_with_facts(
        builder,
        stated,
        settings,
        title=source.stem,
        media_type=_MEDIA_TYPES[source.suffix],
        content_hash=package.content_hash,
        kind=v.SCHEMA + "SpreadsheetDigitalDocument",
    )


def _sheets(package: Package, part: str) -> Iterator[tuple[str, str]]:
    """Name and member of each sheet, in the order of the workbook; chart sheets are skipped."""
    targets = relationships(package, part)
    for each in children(child(package.xml(part), "sheets"), "sheet"):
        target = targets.get(attribute(each, "id"))
        if target is not None and target.kind == "worksheet":
            yield attribute(each, "name"), target.target


def _sheet(package: Package, name: str, member: str, values: CellValues, count: CellCount) -> Sheet:
    sheet = Sheet(name)
    links = relationships(package, member)
    number = 0
    for element in package.elements(member, "row", "mergeCell", "hyperlink"):
        kind = local(element)
        if kind == "row":
            number = _row_number(element, number, package.name, name)
            if row := _row(element, values, package.name):
                count.add(len(row))
                sheet.rows[number] = row
        elif kind == "mergeCell":
            sheet.spans.append(_span(attribute(element, "ref")))
        else:
            _link(sheet, element, links, count)
    sheet.notes = list(_notes(package, member))
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


def _link(sheet: Sheet, element: etree._Element, links: Mapping[str, Relationship], count: CellCount) -> None:
    """Puts a link on the cells that it is stated for, but for empty ones."""
    target = link_target(links, element)
    span = _span(attribute(element, "ref"))
    if not target or not sheet.rows:
        return
    numbers = range(span.first_row, min(span.last_row, next(reversed(sheet.rows))) + 1)
    count.add(len(numbers))
    for number in numbers:
        row = sheet.rows.get(number, {})
        for column in [each for each in row if span.first_column <= each <= span.last_column]:
            row[column] = linked(row[column], target)


def _notes(package: Package, member: str) -> Iterator[tuple[int, int, str]]:
    """Row, column and text of the notes on a sheet's cells (§18.7)."""
    if (comments := related(package, member, "comments")) is None:
        return
    for each in package.xml(comments).iter("{*}comment"):
        span = _span(attribute(each, "ref"))
        text = child(each, "text")
        if span.first_row > 0 and text is not None and (content := string_text(text)).strip():
            yield span.first_row, span.first_column, content


XLSX = Reader("Excel workbooks", _MEDIA_TYPES, read_xlsx, packed=True)
