"""A table while its events come in."""

from __future__ import annotations

from lxml import etree

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.grid import Cell, Row, add_grid
from sage_ld.build.readers.inline import InlineBuilder

_CELLS = ("td", "th")
_CONTAINERS = (*_CELLS, "caption")
_MOST_ROWS = 65_534  # HTML, §4.9.11: the most that rowspan takes


class TableBuilder:
    """Collects caption, rows and cells of one table; what is inside a cell is text, inner tables too."""

    def __init__(self, most_columns: int) -> None:
        self._most_columns = most_columns
        self._depth = 0
        self._rows: list[Row] = []
        self._cells: list[Cell] = []
        self._in_head = False
        self._caption = ""
        self.text = InlineBuilder(single_line=True)
        """Where the text goes that comes now. What comes between cells is in none of them, and is dropped."""

    def start(self, tag: str) -> None:
        """A tag of the table, or of one inside it, opens."""
        if tag == "table":
            self._depth += 1
        if self._depth > 1:
            self.text.newline()
        elif tag in ("thead", "tbody", "tfoot"):
            self._end_row()
            self._in_head = tag == "thead"
        elif tag == "tr":
            self._end_row()
        elif tag in _CONTAINERS:
            self.text = InlineBuilder(single_line=True)

    def end(self, tag: str, element: etree._Element) -> bool:
        """A tag closes; whether the table is complete."""
        if self._depth > 1:
            self.text.newline()
        elif tag in _CELLS:
            self._cells.append(self._cell(tag, element))
        elif tag == "caption":
            self._caption = self.text.finish().text
        elif tag in ("tr", "thead", "table"):
            self._end_row()
            self._in_head = False if tag == "thead" else self._in_head
        self._depth -= tag == "table"
        return not self._depth

    def add_to(self, builder: DocumentBuilder) -> None:
        """Adds the table. Raises LimitError if spans and short rows add more cells than `max_span_cells`."""
        add_grid(builder, self._rows, self._caption)

    def _cell(self, tag: str, element: etree._Element) -> Cell:
        columns = min(max(_number(element.get("colspan")), 1), self._most_columns)
        rows = min(_number(element.get("rowspan")), _MOST_ROWS)
        return Cell(self.text.finish(), tag == "th", columns, rows)

    def _end_row(self) -> None:
        if self._cells:
            self._rows.append(Row(tuple(self._cells), self._in_head))
            self._cells = []


def _number(value: str | None) -> int:
    if value is None:
        return 1
    digits = value.strip()
    return int(digits[:9]) if digits.isascii() and digits.isdigit() else 1
