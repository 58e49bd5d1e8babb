"""The rows of tables in OpenDocument's texts and presentations, with their spans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lxml import etree

from sage_ld.build.readers.grid import Cell, Row
from sage_ld.build.readers.inline import InlineBuilder
from sage_ld.build.readers.office.odf import TextWriter
from sage_ld.build.readers.office.ooxml import attribute, local, number_of

_WRAPPERS: Final = frozenset({"table-rows", "table-row-group"})
_MOST_COLUMNS: Final = 1_000  # that one cell spans or is repeated in


def framed(table: etree._Element) -> etree._Element | None:
    """The only cell of a table that is but a frame around text."""
    rows = [row for _, row in sheet_rows(table)]
    cells = [each for each in rows[0] if local(each) == "table-cell"] if len(rows) == 1 else []
    return cells[0] if len(cells) == 1 else None


def table_rows(table: etree._Element, text: TextWriter) -> list[Row]:
    """The rows of a table. Its header are the rows that it marks so, else the first of several."""
    rows = [(head, tuple(_cells(row, text))) for head, row in sheet_rows(table)]
    marked = any(head for head, _ in rows) and not all(head for head, _ in rows)
    return [
        Row(cells, in_head=head if marked else number == 0 and len(rows) > 1)
        for number, (head, cells) in enumerate(rows)
    ]


def sheet_rows(table: etree._Element, *, head: bool = False) -> Iterator[tuple[bool, etree._Element]]:
    """The rows of a table, and whether each is marked as its header."""
    for each in table:
        name = local(each)
        if name == "table-row":
            yield head, each
        elif name == "table-header-rows" or name in _WRAPPERS:
            yield from sheet_rows(each, head=head or name == "table-header-rows")


def _cells(row: etree._Element, text: TextWriter) -> Iterator[Cell]:
    for element in row:
        if local(element) != "table-cell":  # a covered one belongs to another that spans it
            continue
        line = InlineBuilder(single_line=True)
        text.write(line, element)
        columns = min(max(number_of(attribute(element, "number-columns-spanned"), 1), 1), _MOST_COLUMNS)
        rows = max(number_of(attribute(element, "number-rows-spanned"), 1), 1)
        content = line.finish()
        repeated = min(max(number_of(attribute(element, "number-columns-repeated"), 1), 1), _MOST_COLUMNS)
        yield from [Cell(content, columns=columns, rows=rows)] * repeated
