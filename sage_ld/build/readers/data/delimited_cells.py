"""The text of a CSV file cut into cells, by a dialect."""

from __future__ import annotations

import csv
import io
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from sage_ld.build.readers.csvw.description import Dialect
from sage_ld.build.readers.heads import (
    LOOKED_AT,
    CellLook,
    HeadRow,
    StatedHead,
    head_count,
    head_names,
    is_form,
    look_of,
    named_by,
)
from sage_ld.foundation.errors import InputError

_DELIMITERS: Final = "\t|;,"
"""The comma last, as it stands in numbers and sentences, too."""
_SEPARATOR: Final = re.compile(r'"?sep=([^\w\s"]|\t)"?[ ]*\n', re.IGNORECASE)
"""The first line by which spreadsheets know the delimiter."""


@dataclass(frozen=True, slots=True)
class DelimitedRow:
    """A row of data, its cells in the order of the file."""

    number: int
    """Counted from 1 over the rows of data."""
    source: int
    """Counted from 1 over all rows of the file, the header's too."""
    cells: list[str]


@dataclass(frozen=True)
class Cells:
    """A file cut into cells, each row as wide as the first."""

    header: tuple[tuple[str, ...], ...]
    """The rows of the header."""
    rows: list[DelimitedRow]

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.header[0]) if self.header else len(self.rows[0].cells) if self.rows else 0

    @property
    def names(self) -> list[str]:
        """The name of each column in the file; an empty one where there is no header."""
        if not self.header:
            return [""] * self.width
        return [" ".join(dict.fromkeys(each)).strip() for each in zip(*self.header, strict=True)]


@dataclass(frozen=True)
class LooseCells(Cells):
    """A file cut into cells as far as it goes, short rows filled up."""

    above: list[str]
    """The lines before the table."""
    uneven: list[int]
    """The lines of rows with more or fewer cells than the first."""
    is_form: bool
    """Whether it is labels and their values, beside each other."""
    head: str
    """Which lines name the columns."""
    last_line: int
    """The line with which the last row begins; 0 without rows."""

    @property
    def names(self) -> list[str]:
        """The name of each column, from the rows of the header; an empty one where there is none."""
        return head_names(self.header, self.width)


def guessed_dialect(text: str, suffix: str, stated: StatedHead | None = None) -> Dialect:
    """The dialect of a file without metadata: its delimiter.

    The one that its first line names (`sep=;`), or else the one that cuts most of the first rows into as many
    cells, more than one; of several such, the one whose cells are numbers and dates, then that of most cells.
    Rows above the `stated` head do not count. `csv.Sniffer` guesses from frequencies and takes letters for
    delimiters.
    """
    if (separator := _SEPARATOR.match(text)) is not None:
        return Dialect(separator[1], skip_rows=1)
    if suffix != ".csv":
        return Dialect("\t")
    if stated is not None and not stated.is_none:
        text = "".join(islice(io.StringIO(text), stated.first - 1, None)) or text
    return Dialect(max(_DELIMITERS, key=lambda each: _evenness(text, each)))


def _evenness(text: str, delimiter: str) -> tuple[float, float, int]:
    """The evenness of the first rows as a delimiter cuts them: even parts, numbers or dates, the width."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        rows = [row for row in islice(reader, LOOKED_AT) if row]
    except csv.Error:
        return 0.0, 0.0, 0
    width = statistics.mode(map(len, rows)) if rows else 0
    if width < 2:
        return 0.0, 0.0, 0
    even = [row for row in rows if len(row) == width]
    looks = [look_of(cell) not in (CellLook.TEXT, CellLook.EMPTY) for row in even for cell in row]
    return round(len(even) / len(rows), 1), round(sum(looks) / len(looks), 1), width


def read_loosely(
    text: str, dialect: Dialect, name: str, check: Callable[[int], None], stated: StatedHead | None = None
) -> LooseCells:
    """The cells of a file without metadata, whose rows may differ in length.

    Rows before the first that is as wide as most, or before the `stated` head, are lines of text. Before
    short rows are filled up, `check` is called with how many cells that adds. Raises InputError for broken
    quotes, and what `check` raises.
    """
    rows = [each for each in _lines(text, dialect, name) if any(map(str.strip, each.cells))]
    widths = [len(_without_end(each.cells)) for each in rows]
    common = statistics.mode(widths) if widths else 0
    first = next((number for number, width in enumerate(widths) if width >= common), 0)
    heads = _heads_among(rows, stated)
    guessed = heads is None
    if heads and stated is not None:
        first = next(number for number, each in enumerate(rows) if each.end >= stated.first)
    elif guessed and first and _head_count([each.cells for each in rows[first - 1 :]]) > 1:
        first -= 1  # a head of two rows, the first of which has no text over the last columns
    above = [dialect.delimiter.join(filter(None, each.cells)) for each in rows[:first]]
    width = max(widths[first:], default=0)
    check(sum(max(width - len(each.cells), 0) for each in rows[first:]))
    uneven = [each.begin for each in rows[first:] if len(each.cells) != len(rows[first].cells)]
    even = [[*each.cells[:width], *[""] * (width - len(each.cells))] for each in rows[first:]]
    seen = [HeadRow(row) for row in even[:LOOKED_AT]]
    if heads is None:
        alone = len(seen) == 1 and all(look_of(cell) is CellLook.TEXT for cell in even[0])
        heads = head_count(seen) or int(alone)
    header = tuple(tuple(row) for row in even[:heads])
    body = [
        DelimitedRow(number, rows[first + number - 1 + len(header)].number, row)
        for number, row in enumerate(even[len(header) :], 1)
    ]
    head = named_by("line", rows[first].begin if rows else 1, len(header))
    form = guessed and not header and is_form(seen)
    return LooseCells(header, body, above, uneven, form, head, rows[-1].begin if rows else 0)


def _head_count(rows: Sequence[list[str]]) -> int:
    """The number of rows that name the columns, of rows that differ in length."""
    width = max(map(len, rows[:LOOKED_AT]))
    return head_count([HeadRow([*row, *[""] * (width - len(row))]) for row in rows[:LOOKED_AT]])


def _heads_among(rows: Sequence[_Line], stated: StatedHead | None) -> int | None:
    """The number of rows of the head that is stated; None where that leaves no row below, or is not said."""
    if stated is None or stated.is_none:
        return None if stated is None else 0
    count = sum(each.begin <= stated.last and stated.first <= each.end for each in rows)
    return count if count and stated.last < rows[-1].begin else None


def _without_end(cells: list[str]) -> list[str]:
    """Cells without empty ones at their end."""
    last = next((number for number in range(len(cells), 0, -1) if cells[number - 1].strip()), 0)
    return cells[:last]


def cut(text: str, dialect: Dialect, name: str) -> Cells:
    """The cells of a file. Raises InputError, which names the line, for a row of another width."""
    header: list[tuple[str, ...]] = []
    rows: list[DelimitedRow] = []
    width = 0
    for source, line, _, cells in _lines(text, dialect, name):
        width = width or len(cells)
        if len(cells) == width > 0:
            if len(header) < dialect.header_rows:
                header.append(tuple(cells))
            else:
                rows.append(DelimitedRow(len(rows) + 1, source, cells))
        elif cells:
            raise InputError(
                f"{name}: line {line} has {len(cells)} cells, the first row has {width}; "
                "give every row as many cells as the first"
            )
    return Cells(tuple(header), rows)


class _Line(NamedTuple):
    """A row that holds cells: its number, its first and its last line in the file, and the cells."""

    number: int
    begin: int
    end: int
    cells: list[str]


def _lines(text: str, dialect: Dialect, name: str) -> Iterator[_Line]:
    """The rows of a file. Raises InputError for broken quotes."""
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=dialect.delimiter,
        quotechar=dialect.quote,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        doublequote=dialect.double_quote,
        escapechar=None if dialect.double_quote else "\\",
        skipinitialspace=dialect.skip_initial_space,
        strict=True,
    )
    begin = 1
    try:
        for number, row in enumerate(reader, 1):
            comment = dialect.comment and row and row[0].startswith(dialect.comment)
            if number > dialect.skip_rows and not comment:
                cells = [_trimmed(each, dialect) for each in row[dialect.skip_columns :]]
                yield _Line(number, begin, reader.line_num, cells)
            begin = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{name}: line {reader.line_num}: {error}; check the quotes there") from None


def _trimmed(cell: str, dialect: Dialect) -> str:
    if dialect.trim == "true":
        return cell.strip()
    if dialect.trim == "start":
        return cell.lstrip()
    return cell.rstrip() if dialect.trim == "end" else cell
