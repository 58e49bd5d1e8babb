"""The rows of tables and records, from the texts of their chunks.

A row, or a record, that was too long for one chunk is put together again. The blank at which it was cut is
not stored, so it is one space here.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from sage_ld.build.readers.tables import cells

LONGEST: Final = 60
"""Characters of an identifier; of a longer name the end is kept, which says more than a folder."""
_RESERVED: Final = (
    "all analyse analyze and any array as asc asymmetric both case cast check collate column "
    "constraint create default deferrable desc describe distinct do else end except false fetch for "
    "foreign from group having in initially intersect into lambda lateral leading limit not null "
    "offset on only or order pivot pivot_longer pivot_wider placing primary qualify references "
    "returning select show some summarize symmetric table then to trailing true union unique unpivot "
    "using variadic when where window with"
)
RESERVED: Final = frozenset(_RESERVED.split())
"""The reserved words of DuckDB (`duckdb_keywords()`)."""
_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9]{1,8}$")
_OTHER: Final = re.compile(r"\W+")
_DIGITS: Final = 6  # hexadecimal, of the hash that tells two documents of one name apart


def identifier(name: str) -> str:
    """A name as an SQL identifier: lower case, `_` for each run of other characters than letters and digits.

    >>> identifier("Box office ($)"), identifier("Group"), identifier("1987"), identifier("…")
    ('box_office', 'group_', '_1987', '_')
    """
    plain = _OTHER.sub("_", unicodedata.normalize("NFKC", name).casefold()).strip("_")
    if len(plain) > LONGEST:
        cut = plain[-LONGEST:]
        plain = cut.partition("_")[2] or cut
    if not plain or plain[0].isdigit():
        return f"_{plain}"
    return f"{plain}_" if plain in RESERVED else plain


def of_document(name: str) -> str:
    """The identifier of a document's table, from the path of the document without the suffix of a file.

    >>> of_document("data/admissions.csv"), of_document("Abbey Road")
    ('data_admissions', 'abbey_road')
    """
    return identifier(_SUFFIX.sub("", name) or name)


def distinct(names: Mapping[str, str]) -> dict[str, str]:
    """The identifier of each key: those that several keys have get a part of the hash of their key.

    So which identifier a key has depends on others only where they clash.

    >>> distinct({"a": "data", "b": "films"})
    {'a': 'data', 'b': 'films'}
    >>> distinct({"a.csv": "data", "a.json": "data"})
    {'a.csv': 'data_32f29f', 'a.json': 'data_6025a1'}
    """
    keys: dict[str, list[str]] = {}
    for key, name in names.items():
        keys.setdefault(name, []).append(key)
    return {key: name if len(keys[name]) == 1 else f"{name}_{_hash(key)}" for key, name in names.items()}


def numbered(names: Sequence[str], taken: Sequence[str] = ()) -> tuple[str, ...]:
    """Identifiers for the columns of one table, each once, in order.

    >>> numbered(["Year", "year ", "Title"])
    ('year', 'year_2', 'title')
    """
    used, identifiers, counts = set(taken), list[str](), dict[str, int]()
    for name in map(identifier, names):
        unique, count = name, counts.get(name, 1)
        while unique in used:
            count += 1
            unique = f"{name}_{count}"
        used.add(unique)
        counts[name] = count
        identifiers.append(unique)
    return tuple(identifiers)


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:_DIGITS]


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
    number: int = 0
    """Of a row of a table: counted from 0 over the whole table."""


def table_rows(columns: Sequence[str], parts: Iterable[TableText]) -> Iterator[TableRow]:
    r"""The rows of a table whose chunks are `parts`, in their order; those without a cell are left out.

    >>> first, second = "Year: 1969; Title: The", "Sun\nYear: 1970"
    >>> parts = [TableText("urn:a", 0, 22, 0, first), TableText("urn:b", 23, 37, 0, second)]
    >>> [row.cells for row in table_rows(("Year", "Title"), parts)]
    [{'Year': '1969', 'Title': 'The Sun'}, {'Year': '1970'}]
    """
    names = tuple(columns)
    for chunk, line, number in _lines(parts):
        if row := {name: line[begin:end] for name, begin, end in cells(names, line)}:
            yield TableRow(chunk, row, number)


def _lines(parts: Iterable[TableText]) -> Iterator[tuple[str, str, int]]:
    """Each row's line, with the chunk that it begins in and its number."""
    chunk, line, row, end = "", "", -1, 0
    for part in parts:
        for number, each in enumerate(part.text.split("\n"), part.first_row):
            if number == row:  # the part goes on with the row that the one before was cut in
                line += (" " if part.begin > end else "") + each
                continue
            if line:
                yield chunk, line, row
            chunk, line, row = part.chunk, each, number
        end = part.end
    if line:
        yield chunk, line, row


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
