"""The rows of a table with spans as a grid: spans filled in, headers joined to one name a column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.inline import Inline

_EMPTY = Inline("")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as the file has it."""

    content: Inline
    header: bool = False
    columns: int = 1
    """The number of columns that it spans."""
    rows: int = 1
    """The number of rows that it spans; 0 for all that follow."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row as the file has it."""

    cells: tuple[Cell, ...]
    in_head: bool = False

    @property
    def is_header(self) -> bool:
        """Whether all of its cells are headers."""
        return bool(self.cells) and all(cell.header for cell in self.cells)


def add_grid(builder: DocumentBuilder, rows: list[Row], caption: str = "") -> None:
    """Adds a table, without columns that are empty throughout; one without a header gets numbers.

    Raises LimitError if spans and short rows add more cells than `max_span_cells`.
    """
    written = sum(len(row.cells) for row in rows)
    names, body = grid(rows, lambda width, height: builder.check_area(width * height - written))
    builder.add_area(len(names) * len(body) - written)
    used = [n for n, name in enumerate(names) if name or any(row[n].text or row[n].anchors for row in body)]
    builder.table([names[n] for n in used], [[row[n] for n in used] for row in body], caption)


def grid(rows: list[Row], check: Callable[[int, int], None]) -> tuple[list[str], list[list[Inline]]]:
    """Column names (empty if there is no header) and body cells, each row as long as the names.

    A value that spans rows stands in each of them; one that spans columns in the first, a header in all.
    While the grid grows, `check` is called with its width and height so far, and stops it by raising.

    >>> head = Row((Cell(Inline("Year"), header=True), Cell(Inline("Role"), header=True)))
    >>> first, second = Row((Cell(Inline("1999"), rows=2), Cell(Inline("A")))), Row((Cell(Inline("B")),))
    >>> names, body = grid([head, first, second], lambda width, height: None)
    >>> names, [[cell.text for cell in row] for row in body]
    (['Year', 'Role'], [['1999', 'A'], ['1999', 'B']])
    """
    rows = [row for row in rows if row.cells]
    headers = _header_count(rows)
    lines = _expand(rows, check)
    width = max((len(line) for line in lines), default=0)
    padded = [line + [_EMPTY] * (width - len(line)) for line in lines]
    names = [" ".join(dict.fromkeys(line[n].text for line in padded[:headers])).strip() for n in range(width)]
    return names, padded[headers:]


def _header_count(rows: list[Row]) -> int:
    """The number of header rows: those in the head, else those at the top with nothing but headers."""
    marked = [row.in_head or row.is_header for row in rows]
    count = marked.index(False) if False in marked else len(rows)
    if any(row.in_head for row in rows):
        count = sum(row.in_head for row in rows[:count])
    return count if count < len(rows) else 0


_Pending: TypeAlias = dict[int, tuple[int, Inline]]
"""For a column: how many rows are still to fill, and what with."""


def _expand(rows: list[Row], check: Callable[[int, int], None]) -> list[list[Inline]]:
    """The rows with each cell at its column; empty columns that end a row are left out."""
    lines: list[list[Inline]] = []
    pending: _Pending = {}
    width = 0
    for row in rows:
        line: list[Inline] = []
        following = {column: (left - 1, content) for column, (left, content) in pending.items() if left > 1}
        repeats = row.in_head or row.is_header
        gap = 0  # empty columns that the last cell spans
        for cell in row.cells:
            line += [_EMPTY] * gap
            _fill(line, pending)
            gap = 0 if repeats else cell.columns - 1
            contents = [cell.content] * (cell.columns - gap)
            if cell.rows != 1:
                _span_rows(cell, len(rows), [*contents, *[_EMPTY] * gap], len(line), following)
            width = max(width, len(line) + (len(contents) if cell.rows == 1 else cell.columns))
            check(width, len(lines) + 1)
            line += contents
        if len(line) + gap in pending:
            line += [_EMPTY] * gap
            _fill(line, pending)
        pending = following
        lines.append(line)
    return lines


def _span_rows(cell: Cell, height: int, contents: list[Inline], column: int, following: _Pending) -> None:
    """Has the rows that follow take what a cell that spans them puts into its columns."""
    left = (cell.rows or height) - 1
    following.update((number, (left, content)) for number, content in enumerate(contents, column))


def _fill(line: list[Inline], pending: _Pending) -> None:
    """Puts what comes down from the rows above into the columns that `line` has reached."""
    while len(line) in pending:
        line.append(pending[len(line)][1])
