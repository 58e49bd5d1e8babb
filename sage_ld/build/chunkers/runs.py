"""The stretches ("runs") of prose, tables or records of a document that are cut into chunks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import TypeAlias

from sage_ld.build.readers.tables import cells
from sage_ld.foundation.model import Chunk, ChunkKind, Document, TablePart

Span: TypeAlias = tuple[int, int]

SENTENCE = re.compile(r"(?<=[.?!])\s+")
"""Where a sentence ends, as in the SAGE authors' code."""
SENTENCE_OR_PARAGRAPH = re.compile(r"(?<=[.?!])\s+|\n\s*\n|(?<=[。！？])")
LINE = re.compile(r"\n+")
CELL = re.compile(r"(?<=;)\s+")
"""Where a cell of a table's row ends (or a part of a cell's value, which is as good a place)."""
WORD = re.compile(r"\s+|(?<=[，、；：])")


def trim(text: str, begin: int, end: int) -> Span | None:
    """The span without blanks at its ends; None if nothing else is in it.

    >>> trim("a  bc  d", 1, 6)
    (3, 5)
    """
    content = text[begin:end]
    left = len(content) - len(content.lstrip())
    if left == len(content):
        return None
    return begin + left, begin + len(content.rstrip())


def cut(text: str, span: Span, separator: re.Pattern[str]) -> list[Span]:
    """The span's parts between the matches of `separator`, which match blanks or nothing.

    >>> cut("It ran. It fell.", (0, 16), SENTENCE)
    [(0, 7), (8, 16)]
    """
    begin, end = span
    edges = [begin, *(edge for found in separator.finditer(text, begin, end) for edge in found.span()), end]
    parts = (trim(text, *part) for part in zip(edges[::2], edges[1::2], strict=True))
    return [part for part in parts if part]


def slices(span: Span, width: int) -> list[Span]:
    """The span in pieces of `width` characters, the last one shorter.

    >>> slices((3, 10), 4)
    [(3, 7), (7, 10)]
    """
    begin, end = span
    return [(at, min(at + width, end)) for at in range(begin, end, width)]


def shown_columns(
    text: str, columns: tuple[str, ...], rows: Sequence[Span], spans: Sequence[Span]
) -> Iterator[tuple[str, ...]]:
    """For each span of a table's text, all columns if it holds a whole row, else those of its cells.

    A part of a long cell has the column of that cell. `rows` and `spans` stand in their order; each row is
    read once, so the work grows with the text and not with rows times columns.

    >>> list(shown_columns("Year: 1969; Title: Sun", ("Year", "Title"), [(0, 22)], [(0, 10), (12, 22)]))
    [('Year',), ('Title',)]
    >>> list(shown_columns("Year: 1969; Title: Sun", ("Year", "Title"), [(0, 22)], [(10, 22)]))
    [('Title',)]
    """
    begins = [begin for begin, _ in rows]

    @lru_cache(maxsize=2)
    def cells_of(row: int) -> tuple[list[str], list[int], list[int]]:
        begin, end = rows[row]
        row_cells = cells(columns, text[begin:end])
        names = [name for name, _, _ in row_cells]
        starts = [begin + value - len(name) - 2 for name, value, _ in row_cells]
        return names, starts, [begin + after for _, _, after in row_cells]

    def within(row: int, span: Span) -> list[str]:
        names, starts, ends = cells_of(row)
        return names[bisect_right(ends, span[0]) : bisect_left(starts, span[1])]

    for span in spans:
        first, after = bisect_left(begins, span[0]), bisect_left(begins, span[1])
        if first < after and rows[first][1] <= span[1]:
            yield columns
        else:
            parts = range(bisect_right(begins, span[0]) - 1, after)  # the end of a row, the begin of the next
            shown = {name for row in parts for name in within(row, span)}
            yield tuple(name for name in columns if name in shown)


SEPARATOR = " — "
"""Between the parts of a heading."""


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of a document that becomes one chunk, or several where it is too long for one."""

    kind: ChunkKind
    name: str
    heading: str
    pieces: tuple[Span, ...]
    """Where it is cut first: its paragraphs, sentences or rows, in order; at least one, none blank."""
    section: int | None = None
    subject: str | None = None
    table: TablePart | None = None
    row_ends: tuple[int, ...] = ()
    """Where each row of `table` ends."""

    @property
    def span(self) -> Span:
        """From the first piece to the last."""
        return self.pieces[0][0], self.pieces[-1][1]

    def chunks(self, document: Document, spans: Sequence[Span], heading: str) -> Iterator[Chunk]:
        """The chunks over `spans`, at position 0, without links."""
        columns: Iterable[tuple[str, ...]] = repeat(())
        if self.table is not None:
            columns = shown_columns(document.text, self.table.columns, self.pieces, spans)
        for span, shown in zip(spans, columns, strict=False):
            yield self._chunk(document, span, heading, shown)

    def _chunk(self, document: Document, span: Span, heading: str, columns: tuple[str, ...]) -> Chunk:
        begin, end = span
        return Chunk(
            document=document.identifier,
            kind=self.kind,
            position=0,
            name=self.name,
            heading=heading,
            text=document.text[begin:end],
            begin=begin,
            end=end,
            section=self.section,
            table=self._rows(span, columns),
            subject=self.subject,
        )

    def _rows(self, span: Span, columns: tuple[str, ...]) -> TablePart | None:
        if self.table is None:
            return None
        first = bisect_right(self.row_ends, span[0])
        last = min(bisect_left(self.row_ends, span[1]), len(self.row_ends) - 1)
        start = self.table.first_row
        return TablePart(self.table.table, columns, start + min(first, last), start + last)


def section_path(document: Document, section: int | None) -> list[str]:
    """The names of the sections around a place, outermost first."""

    def upwards() -> Iterator[str]:
        index = section
        while index is not None:
            yield document.sections[index].name
            index = document.sections[index].parent

    return [*upwards()][::-1]


def joined(*parts: str) -> str:
    """The parts with SEPARATOR between them, without empty ones and those that repeat one before.

    >>> joined("Abbey Road", "Abbey Road", "", "Side one")
    'Abbey Road — Side one'
    """
    plain = (" ".join(part.split()) for part in parts)
    return SEPARATOR.join({part.casefold(): part for part in plain if part}.values())
