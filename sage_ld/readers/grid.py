"""The rows of an HTML table as a grid: spans filled in, headers joined to one name a column."""

from __future__ import annotations

from dataclasses import dataclass

from sage_ld.readers.inline import Inline

_EMPTY = Inline("")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as the file has it."""

    content: Inline
    header: bool = False
    columns: int = 1
    """How many columns it spans."""
    rows: int = 1
    """How many rows it spans; 0 is all that follow."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row as the file has it."""

    cells: tuple[Cell, ...]
    in_head: bool = False

    @property
    def is_header(self) -> bool:
        """Whether all of its cells are headers."""
        return bool(self.cells) and all(cell.header for cell in self.cells)


def grid(rows: list[Row]) -> tuple[list[str], list[list[Inline]]]:
    """Column names (empty where there is no header) and body cells, each row as long as the names.

    A value that spans rows stands in each of them; one that spans columns in the first, a header in all.

    >>> head = Row((Cell(Inline("Year"), header=True), Cell(Inline("Role"), header=True)))
    >>> first, second = Row((Cell(Inline("1999"), rows=2), Cell(Inline("A")))), Row((Cell(Inline("B")),))
    >>> names, body = grid([head, first, second])
    >>> names, [[cell.text for cell in row] for row in body]
    (['Year', 'Role'], [['1999', 'A'], ['1999', 'B']])
    """
    rows = [row for row in rows if row.cells]
    headers = _header_count(rows)
    lines = _expand(rows)
    width = max((len(line) for line in lines), default=0)
    padded = [line + [_EMPTY] * (width - len(line)) for line in lines]
    names = [" ".join(dict.fromkeys(line[n].text for line in padded[:headers])).strip() for n in range(width)]
    return names, padded[headers:]


def _header_count(rows: list[Row]) -> int:
    """How many rows are headers: those in the head, else those at the top with nothing but headers."""
    marked = [row.in_head or row.is_header for row in rows]
    count = marked.index(False) if False in marked else len(rows)
    if any(row.in_head for row in rows):
        count = sum(row.in_head for row in rows[:count])
    return count if count < len(rows) else 0


def _expand(rows: list[Row]) -> list[list[Inline]]:
    """The rows with each cell at its column."""
    lines: list[list[Inline]] = []
    pending: dict[int, tuple[int, Inline]] = {}  # column: how many rows are still to fill, and what with
    for row in rows:
        line: list[Inline] = []
        following = {column: (left - 1, content) for column, (left, content) in pending.items() if left > 1}
        for cell in row.cells:
            _fill(line, pending)
            for number in range(cell.columns):
                content = cell.content if number == 0 or row.in_head or row.is_header else _EMPTY
                if cell.rows != 1:
                    following[len(line)] = ((cell.rows or len(rows)) - 1, content)
                line.append(content)
        _fill(line, pending)
        pending = following
        lines.append(line)
    return lines


def _fill(line: list[Inline], pending: dict[int, tuple[int, Inline]]) -> None:
    """Puts what comes down from the rows above into the columns that `line` has reached."""
    while len(line) in pending:
        line.append(pending[len(line)][1])
