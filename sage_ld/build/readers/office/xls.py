"""Excel workbooks from before 2007 (`.xls`, BIFF), by xlrd: the values of their cells."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import content_hash, finished
from sage_ld.build.readers.office.sheets import (
    CellCount,
    MergedCells,
    Sheet,
    ShownValue,
    Value,
    add_sheet,
    plain_number,
)
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import extras
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, SageError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

MEDIA_TYPE: Final = "application/vnd.ms-excel"
_NUMBER, _DATE, _BOOLEAN = 2, 3, 4
"""The kinds of cells (`xlrd.XL_CELL_…`) that are no text."""


def read_xls(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is the file's name. Cells have the values that are stored, dates in ISO 8601.

    Raises InputError for a file that is no workbook, or has a password, LimitError over `max_sheet_cells`.
    """
    library = extras.load("xlrd", extras.OFFICE)
    data = source.read(settings)
    builder = DocumentBuilder(source.identifier, settings)
    count = CellCount(source.identifier, settings.max_sheet_cells)
    try:
        book = library.open_workbook(file_contents=data, logfile=io.StringIO(), on_demand=True)
        for each in book.sheets():
            add_sheet(builder, _sheet(each, book.datemode, library, count), count)
    except SageError:
        raise
    except Exception as error:  # the library trusts the offsets in a file
        reason = one_line(str(error))[:200] or type(error).__name__
        raise InputError(
            f"{source.identifier}: not readable as a workbook ({reason}); save it as .xlsx"
        ) from None
    yield finished(
        builder.build(
            title=source.stem,
            media_type=MEDIA_TYPE,
            content_hash=content_hash(data),
            types=(v.SCHEMA + "SpreadsheetDigitalDocument",),
        )
    )


def _sheet(cells: Any, mode: int, library: Any, count: CellCount) -> Sheet:
    sheet = Sheet(one_line(cells.name))
    for number in range(cells.nrows):
        values = {
            column: value
            for column, cell in enumerate(cells.row(number), 1)
            if (value := _value(cell, mode, library)) is not None
        }
        if values:
            count.add(len(values))
            sheet.rows[number + 1] = values
    sheet.spans = [
        MergedCells(first + 1, left + 1, last, right) for first, last, left, right in cells.merged_cells
    ]
    return sheet


def _value(cell: Any, mode: int, library: Any) -> Value | None:
    if cell.ctype == _NUMBER:
        return ShownValue(plain_number(cell.value))
    if cell.ctype == _BOOLEAN:
        return ShownValue("TRUE" if cell.value else "FALSE")
    if cell.ctype == _DATE:
        moment = library.xldate_as_datetime(cell.value, mode)
        is_day = not cell.value % 1
        return ShownValue(str(moment.date()) if is_day else moment.isoformat(" ", "seconds"))
    return one_line(str(cell.value)) or None


XLS = Reader("Excel workbooks from before 2007", {".xls": MEDIA_TYPE}, read_xls)
