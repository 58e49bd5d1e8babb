"""OpenDocument spreadsheets (`.ods`). Each sheet is a section."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lxml import etree

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.inline import InlineBuilder
from sage_ld.build.readers.office.facts import document_with_facts
from sage_ld.build.readers.office.odf import TextWriter, check_odf, odf_properties
from sage_ld.build.readers.office.ooxml import attribute, local, number_of
from sage_ld.build.readers.office.package import Package
from sage_ld.build.readers.office.sheets import CellCount, MergedCells, Sheet, ShownValue, Value, add_sheet
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

_MEDIA_TYPES = {".ods": "application/vnd.oasis.opendocument.spreadsheet"}
_LAST_ROW: Final = 1_048_576  # the size of LibreOffice's sheets
_LAST_COLUMN: Final = 16_384
_FORMULA_PREFIX: Final = ("of:", "oooc:", "msoxl:")


def read_ods(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of its properties, else the file's name.

    Cells have the text that they show; a formula without a value is written as a formula. Hidden sheets,
    rows and columns are read. Raises LimitError over `max_sheet_cells`.
    """
    package = Package(source, settings)
    check_odf(package)
    stated = odf_properties(package)
    builder = DocumentBuilder(source.identifier, settings)
    count = CellCount(package.name, settings.max_sheet_cells)
    reading = _Sheets(package.name, count)
    for element in package.elements("content.xml", "table-row", "table"):
        if local(element) == "table-row":
            reading.row(element)
        else:
            add_sheet(builder, reading.sheet(attribute(element, "name")), count)
    yield document_with_facts(
        builder,
        stated,
        settings,
        title=source.stem,
        media_type=_MEDIA_TYPES[source.suffix],
        content_hash=package.content_hash,
        kind=v.SCHEMA + "SpreadsheetDigitalDocument",
    )


class _Sheets:
    """The rows of the sheet that is being read."""

    def __init__(self, name: str, count: CellCount) -> None:
        self._name = name
        self._count = count
        self._text = TextWriter()
        self._sheet = Sheet("")
        self._row = 1

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
            self._sheet.rows.update((self._row + each, dict(row)) for each in range(repeated))
        self._row += repeated

    def _cells(self, element: etree._Element) -> dict[int, Value]:
        row: dict[int, Value] = {}
        column = 1
        for cell in element:
            repeated = max(number_of(attribute(cell, "number-columns-repeated"), 1), 1)
            if local(cell) == "table-cell" and (value := self._value(cell)):
                self._check(column + repeated - 1, _LAST_COLUMN, "column")
                row.update((column + each, value) for each in range(repeated))
                self._span(cell, column)
            if local(cell) == "table-cell":
                self._notes(column)
            column += repeated
        return row

    def _value(self, cell: etree._Element) -> Value | None:
        """The displayed value of a cell; nothing where it is empty."""
        line = InlineBuilder(single_line=True)
        self._text.write(line, cell)
        content = line.finish()
        kind = attribute(cell, "value-type")
        if content.anchors:
            return content
        if not content.text and kind in ("", "string") and (formula := attribute(cell, "formula")):
            return ShownValue(_formula(formula))
        text = content.text or one_line(_stated(cell))
        return (text if kind in ("", "string") else ShownValue(text)) or None

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


def _stated(cell: etree._Element) -> str:
    """The value of a cell that shows none, as its attributes state it."""
    names = ("value", "date-value", "time-value", "boolean-value", "string-value")
    return next(filter(None, (attribute(cell, name) for name in names)), "")


def _formula(text: str) -> str:
    prefix = next((each for each in _FORMULA_PREFIX if text.startswith(each)), "")
    return one_line(text.removeprefix(prefix))


ODS = Reader("OpenDocument spreadsheets", _MEDIA_TYPES, read_ods, packed=True)
