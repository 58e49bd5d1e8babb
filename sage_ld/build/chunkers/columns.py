"""The columns that the parts of a table show, where its rows are too long for one chunk."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

from sage_ld.build.chunkers.spans import Span
from sage_ld.build.readers.tables import cells


def shown_columns(
    text: str, columns: tuple[str, ...], rows: Sequence[Span], spans: Sequence[Span]
) -> Iterator[tuple[str, ...]]:
    """For each span of a table's text, all columns if it holds a whole row, else those of its cells.

    A part of a long cell has the column of that cell. `rows` and `spans` stand in their order; each row is
    read once, so the work grows with the text and not with rows times columns.

    >>> list(shown_columns("Year: 1969; Title: Sun", ("Year", "Title"), [(0, 22)], [(0, 10), (12, 22)]))
    [('Year',), ('Title',)]
    """
    begins = [begin for begin, _ in rows]

    @lru_cache(maxsize=2)
    def cells_of(row: int) -> tuple[list[int], list[str]]:
        begin, end = rows[row]
        row_cells = cells(columns, text[begin:end])
        return [begin + value - len(name) - 2 for name, value, _ in row_cells], [
            name for name, _, _ in row_cells
        ]

    def within(row: int, span: Span) -> list[str]:
        starts, names = cells_of(row)
        return names[max(0, bisect_right(starts, span[0]) - 1) : bisect_left(starts, span[1])]

    for span in spans:
        first, after = bisect_left(begins, span[0]), bisect_left(begins, span[1])
        if first < after and rows[first][1] <= span[1]:
            yield columns
        else:
            parts = range(bisect_right(begins, span[0]) - 1, after)  # the end of a row, the begin of the next
            shown = {name for row in parts for name in within(row, span)}
            yield tuple(name for name in columns if name in shown)
