"""The rows of a Word document's tables, with their spans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lxml import etree

from sage_ld.build.readers.grid import Cell, Row
from sage_ld.build.readers.inline import Inline, InlineBuilder
from sage_ld.build.readers.office.docx_text import RunWriter
from sage_ld.build.readers.office.ooxml import attribute, child, descend, is_on, local, number_of

_WRAPPERS: Final = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo"})
_MOST_COLUMNS: Final = 1_000  # that one cell spans; Word allows 63 in a table
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
    """The rows of a table. Its header are the rows that repeat on each page, else the first."""
    rows = list(_parts(table, "tr"))
    above: dict[int, _Open] = {}
    cells: list[list[_Open]] = []
    for row in rows:
        line, above = _row(row, above, runs)
        cells.append(line)
    heads = _heads(table, rows)
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
    line = [_Open(Inline(""), 1) for _ in range(min(column, _MOST_COLUMNS))]
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
    return min(max(1 if span is None else number_of(attribute(span, "val"), 1), 1), _MOST_COLUMNS)


def _heads(table: etree._Element, rows: list[etree._Element]) -> int:
    """The number of first rows that name the columns."""
    count = 0
    while count < len(rows) and is_on(descend(rows[count], "trPr", "tblHeader")):
        count += 1
    if count:
        return count if count < len(rows) else 0
    look = descend(table, "tblPr", "tblLook")
    return 1 if len(rows) > 1 and (look is None or _has_first_row(look)) else 0


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
        elif local(each) in _WRAPPERS:
            yield from _parts(each, name)
