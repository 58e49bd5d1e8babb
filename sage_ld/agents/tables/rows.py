"""The rows of tables and records, from the texts of their chunks.

A row, or a record, that was too long for one chunk is put together again. The blank at which it was cut is
not stored, so it is one space here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from sage_ld.build.readers.tables import cells

_APART = 2
"""Characters between two records; between two parts of one there is one at most."""


class TableText(NamedTuple):
    """One chunk of a table, or of a document's records."""

    chunk: str
    """The chunk's IRI."""
    begin: int
    end: int
    """Offsets in the document's text."""
    first_row: int
    """The row that it begins with, or goes on with."""
    text: str


class TableRow(NamedTuple):
    """One row: the values of its cells by column, without empty ones."""

    chunk: str
    """The IRI of the chunk that it begins in."""
    cells: dict[str, str]


def table_rows(columns: Sequence[str], parts: Iterable[TableText]) -> Iterator[TableRow]:
    r"""The rows of a table whose chunks are `parts`, in their order; those without a cell are left out.

    >>> first, second = "Year: 1969; Title: The", "Sun\nYear: 1970"
    >>> parts = [TableText("urn:a", 0, 22, 0, first), TableText("urn:b", 23, 37, 0, second)]
    >>> [row.cells for row in table_rows(("Year", "Title"), parts)]
    [{'Year': '1969', 'Title': 'The Sun'}, {'Year': '1970'}]
    """
    names = tuple(columns)
    for chunk, line in _lines(parts):
        if row := {name: line[begin:end] for name, begin, end in cells(names, line)}:
            yield TableRow(chunk, row)


def _lines(parts: Iterable[TableText]) -> Iterator[tuple[str, str]]:
    """Each row's line, with the chunk that it begins in."""
    chunk, line, row, end = "", "", -1, 0
    for part in parts:
        for number, each in enumerate(part.text.split("\n"), part.first_row):
            if number == row:  # the part goes on with the row that the one before was cut in
                line += (" " if part.begin > end else "") + each
                continue
            if line:
                yield chunk, line
            chunk, line, row = part.chunk, each, number
        end = part.end
    if line:
        yield chunk, line


def records(parts: Iterable[TableText]) -> Iterator[TableRow]:
    r"""The records whose chunks are `parts`, in their order; the values of a field of several are joined.

    >>> first = [TableText("urn:a", 0, 12, 0, "a: 1\nb: long"), TableText("urn:b", 13, 17, 0, "text")]
    >>> parts = [*first, TableText("urn:c", 19, 23, 0, "a: 2")]
    >>> [row.cells for row in records(parts)]
    [{'a': '1', 'b': 'long text'}, {'a': '2'}]
    """
    for together in _together(parts):
        record: dict[str, list[str]] = {}
        name = ""
        for part in together:
            for number, line in enumerate(part.text.split("\n")):
                field, colon, value = line.partition(": ")
                goes_on = number == 0 and part is not together[0] and (not colon or field not in record)
                if goes_on and name:
                    record[name][-1] += " " + line
                elif colon:
                    name = field
                    record.setdefault(name, []).append(value)
        if record:
            yield TableRow(together[0].chunk, {field: "; ".join(values) for field, values in record.items()})


def _together(parts: Iterable[TableText]) -> Iterator[list[TableText]]:
    """The parts of each record."""
    together: list[TableText] = []
    for part in parts:
        if together and part.begin - together[-1].end >= _APART:
            yield together
            together = []
        together.append(part)
    if together:
        yield together


def record_count(spans: Sequence[tuple[int, int]]) -> int:
    """The number of records in chunks with these begins and ends, in their order."""
    return bool(spans) + sum(begin - end >= _APART for (_, end), (begin, _) in pairwise(spans))
