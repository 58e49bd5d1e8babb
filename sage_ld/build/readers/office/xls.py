"""Excel workbooks from before 2007 (`.xls`, BIFF), by xlrd: what their cells show."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import file_document
from sage_ld.build.readers.inline import InlineBuilder
from sage_ld.build.readers.office.cell_formats import NO_FORMAT, CellFormat, cell_format, shown_cell
from sage_ld.build.readers.office.sheets import (
    CellCount,
    MergedCells,
    Sheet,
    Value,
    add_sheet,
)
from sage_ld.build.readers.positions import Position
from sage_ld.build.readers.shown import HIDDEN, STRUCK_OUT
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import extras
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, SageError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

MEDIA_TYPE: Final = "application/vnd.ms-excel"
_NUMBER, _DATE, _BOOLEAN, _ERROR = 2, 3, 4, 5
"""The kinds of cells (`xlrd.XL_CELL_…`) that are no text."""
_ERRORS: Final = {
    0: "#NULL!",
    7: "#DIV/0!",
    15: "#VALUE!",
    23: "#REF!",
    29: "#NAME?",
    36: "#NUM!",
    42: "#N/A",
}
"""The errors that cells show, by their codes ([MS-XLS] §2.5.198.2)."""
_ESCAPEMENTS: Final = {1: Position.RAISED, 2: Position.LOWERED}
"""The positions by the escapement of a font."""


def read_xls(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is the file's name. Cells have the text that they show.

    Raises InputError for a file that is no workbook, or has a password, LimitError over `max_sheet_cells`.
    """
    library = extras.load("xlrd", extras.OFFICE)
    data = source.read(settings)
    builder = DocumentBuilder(source.identifier, settings)
    count = CellCount(source.identifier, settings.max_sheet_cells)
    try:
        book = library.open_workbook(
            file_contents=data, logfile=io.StringIO(), on_demand=True, formatting_info=True
        )
        for each in book.sheets():
            sheet = _SheetReader(builder, book, each).read(count)
            add_sheet(builder, sheet, count, is_shown=not each.visibility)
    except SageError:
        raise
    except Exception as error:  # the library trusts the offsets in a file
        reason = one_line(str(error))[:200] or type(error).__name__
        raise InputError(
            f"{source.identifier}: not readable as a workbook ({reason}); save it as .xlsx"
        ) from None
    yield file_document(builder, data, source.stem, MEDIA_TYPE, v.SCHEMA + "SpreadsheetDigitalDocument")


class _SheetReader:
    """The cells of one sheet, with the looks that change what they say."""

    def __init__(self, builder: DocumentBuilder, book: Any, cells: Any) -> None:
        self._builder = builder
        self._book = book
        self._cells = cells
        self._formats: dict[int, CellFormat] = {}

    def read(self, count: CellCount) -> Sheet:
        """The sheet, its cells counted."""
        sheet = Sheet(one_line(self._cells.name))
        for number in range(self._cells.nrows):
            values = {
                column: value
                for column, cell in enumerate(self._cells.row(number), 1)
                if (value := self._value(cell, number, column - 1)) is not None
            }
            if values:
                count.add(len(values))
                sheet.rows[number + 1] = values
        sheet.spans = [
            MergedCells(first + 1, left + 1, last, right)
            for first, last, left, right in self._cells.merged_cells
        ]
        return sheet

    def _value(self, cell: Any, row: int, column: int) -> Value | None:
        if self._is_struck(cell) and str(cell.value).strip():
            self._builder.pass_over(STRUCK_OUT)
            return None
        if cell.ctype in (_NUMBER, _DATE):
            shown = shown_cell(cell.value, self._format(cell), since_1904=bool(self._book.datemode))
            return shown if shown.text else self._hidden()
        if cell.ctype == _BOOLEAN:
            return "TRUE" if cell.value else "FALSE"
        if cell.ctype == _ERROR:
            return _ERRORS.get(cell.value, "#ERROR!")
        text = one_line(self._text(str(cell.value), row, column))
        return self._hidden() if text and self._format(cell).hides_texts else text or None

    def _hidden(self) -> Value | None:
        """No value, for a cell whose format shows nothing; it is counted."""
        self._builder.pass_over(HIDDEN, place=one_line(self._cells.name))
        return None

    def _is_struck(self, cell: Any) -> bool:
        """Whether the font of a whole cell is struck out."""
        if cell.xf_index is None or cell.xf_index >= len(self._book.xf_list):
            return False
        number = self._book.xf_list[cell.xf_index].font_index
        return number < len(self._book.font_list) and bool(self._book.font_list[number].struck_out)

    def _format(self, cell: Any) -> CellFormat:
        """The number format of a cell; none where the file names one that it does not have."""
        if cell.xf_index is None or cell.xf_index >= len(self._book.xf_list):
            return NO_FORMAT
        key = self._book.xf_list[cell.xf_index].format_key
        if key not in self._formats:
            found = self._book.format_map.get(key)
            self._formats[key] = cell_format(key, str(found.format_str) if found is not None else "")
        return self._formats[key]

    def _text(self, text: str, row: int, column: int) -> str:
        """The text of a cell, without what is struck out in it, and with its raised numbers apart."""
        runs = self._cells.rich_text_runlist_map.get((row, column))
        if not runs:
            return text
        line = InlineBuilder(single_line=True)
        line.write(text[: runs[0][0]])
        ends = [begin for begin, _ in runs[1:]]
        for (begin, number), end in zip(runs, [*ends, len(text)], strict=True):
            font = self._book.font_list[number] if number < len(self._book.font_list) else None
            if font is not None and font.struck_out:
                self._builder.pass_over(STRUCK_OUT)
                continue
            with line.placed(None if font is None else _ESCAPEMENTS.get(font.escapement)):
                line.write(text[begin:end])
        return line.finish().text


XLS = Reader("Excel workbooks from before 2007", {".xls": MEDIA_TYPE}, read_xls)
