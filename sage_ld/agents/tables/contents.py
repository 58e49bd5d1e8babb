"""The content of a table: its columns with their types, and its rows with the chunk of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import Final, NamedTuple

from pyoxigraph import QuerySolution

from sage_ld.agents.tables.rows import TableRow, TableText, numbered, records, table_rows
from sage_ld.agents.tables.stored_tables import StoredTable, catalogue
from sage_ld.foundation.caches import BoundedCache
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.rdf_values import integer_of, iri_of, text_of
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.store import queries

TEXT: Final = "VARCHAR"
_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,2})?")
_MOMENT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_BOOLEANS: Final = frozenset({"true", "false"})


def _is_day(value: str) -> bool:
    return bool(_DAY.fullmatch(value)) and _holds(date.fromisoformat, value)


def _is_moment(value: str) -> bool:
    return bool(_MOMENT.fullmatch(value)) and _holds(datetime.fromisoformat, value)


def _holds(parse: Callable[[str], object], value: str) -> bool:
    try:
        parse(value)
    except ValueError:
        return False
    return True


TYPES: Final[dict[str, Callable[[str], bool]]] = {
    "BOOLEAN": lambda value: value.lower() in _BOOLEANS,
    "BIGINT": lambda value: bool(_INTEGER.fullmatch(value)),
    "DOUBLE": lambda value: bool(_DECIMAL.fullmatch(value)),
    "DATE": _is_day,
    "TIMESTAMP": _is_moment,
}
"""DuckDB's types other than text, with what a value has to be; the first that holds for all is taken."""


def column_type(values: Iterable[str | None]) -> str:
    """The type of a column with these values, None where a row has none.

    >>> column_type(["1", None, "-20"]), column_type(["1", "2.5"]), column_type(["1987-02-30"])
    ('BIGINT', 'DOUBLE', 'VARCHAR')
    >>> column_type(["007"]), column_type(["1,200"]), column_type([None])
    ('VARCHAR', 'VARCHAR', 'VARCHAR')
    """
    possible = tuple(TYPES.items())
    empty = True
    for value in values:
        if value is not None:
            empty = False
            possible = tuple(each for each in possible if each[1](value))
            if not possible:
                return TEXT
    return TEXT if empty else possible[0][0]


def plain_numbers(values: Sequence[str | None]) -> tuple[str | None, ...]:
    """The values of a column, as plain numbers if all of them are numbers as people write them.

    They may share a unit or the sign of a currency, and have thousands apart and a decimal comma. A number
    with one comma or point before three digits may be read in two ways: what others of the column say
    decides, and where none does, the column stays as it is.

    >>> plain_numbers(["3,5", None, "12", "1,200"]), plain_numbers(["€ 9.50", "€ 1,200.00"])
    (('3.5', None, '12', '1.200'), ('9.50', '1200.00'))
    >>> plain_numbers(["9,500", "71,000", "105,000"]), plain_numbers(["83 kg", "105 kg"])
    (('9500', '71000', '105000'), ('83', '105'))
    >>> plain_numbers(["1,200", "3"]), plain_numbers(["83 kg", "11 kW"])
    (('1,200', '3'), ('83 kg', '11 kW'))
    """
    filled = [value for value in values if value is not None]
    parts = [_MEASURED.fullmatch(value) for value in filled]
    if not parts or any(each is None for each in parts):
        return tuple(values)
    signs = {(each["before"], each["unit"]) for each in parts if each is not None}
    numbers = [each["sign"] + each["number"] for each in parts if each is not None]
    if len(signs) > 1 or (signs == {("", "")} and all(map(_DECIMAL.fullmatch, numbers))):
        return tuple(values)
    read = next((way for way in _WAYS if _reads(way, numbers)), None)
    if read is None:
        return tuple(values)
    plain = iter(read.plain(number) for number in numbers)
    return tuple(None if value is None else next(plain) for value in values)


_MEASURED: Final = re.compile(
    r"(?P<sign>[-−]?)(?P<before>[€$£¥]|[A-Z]{3} )?\s?(?P<number>[0-9][0-9.,'’ \u00a0\u202f]*(?<=[0-9]))"
    r"(?P<unit>\s?(?:%|‰|°[CF]?|[€$£¥]|[A-Za-zµμ]{1,4}[²³]?(?:/[A-Za-z]{1,3}[²³]?)?))?"
)


class _NumberFormat(NamedTuple):
    """A way to write numbers."""

    thousands: str
    decimal: str

    @property
    def pattern(self) -> str:
        """The pattern of its numbers."""
        apart, point = f"[{re.escape(self.thousands)}]", re.escape(self.decimal)
        whole = rf"[1-9][0-9]{{0,2}}(?:{apart}[0-9]{{3}})+|0|[1-9][0-9]{{0,17}}"
        return rf"[-−]?(?:{whole})(?:{point}[0-9]{{1,30}})?"

    def plain(self, number: str) -> str:
        """A number without signs for thousands, and with a decimal point."""
        for sign in self.thousands:
            number = number.replace(sign, "")
        return number.replace(self.decimal, ".").replace("−", "-")


_WAYS: Final = (
    _NumberFormat(",", "."),
    _NumberFormat(".", ","),
    _NumberFormat(" \u00a0\u202f'’", ","),
    _NumberFormat(" \u00a0\u202f'’", "."),
)


def _reads(way: _NumberFormat, numbers: Sequence[str]) -> bool:
    """Whether all numbers can be written in this way, and some in no other that gives another value."""
    if not all(re.fullmatch(way.pattern, number) for number in numbers):
        return False
    others = [each for each in _WAYS if all(re.fullmatch(each.pattern, number) for number in numbers)]
    rival = [each for each in others if [*map(each.plain, numbers)] != [*map(way.plain, numbers)]]
    if not rival:
        return True
    # each number has one sign before three digits: thousands, where the digits before it vary in number
    lengths = {len(re.split("[.,]", number.lstrip("-−"))[0]) for number in numbers}
    return (
        way.thousands in (",", ".")
        and len(lengths) > 1
        and all(map(_WITH_SIGN.fullmatch, numbers))
        and (any(sign in number for number in numbers for sign in way.thousands))
    )


_WITH_SIGN: Final = re.compile(r"[-−]?[1-9][0-9]{0,2}[.,][0-9]{3}")
CHUNK_COLUMN: Final = "_chunk"
"""The column of each table with the IRI of the chunk that a row begins in."""
_AT_ONCE: Final = 500
"""Chunks that are read by one query."""
_EXAMPLES: Final = 3
_LONGEST_EXAMPLE: Final = 40
_KEPT: Final = 1_000
"""Descriptions that are kept for a revision."""


class Column(NamedTuple):
    """A column of a table."""

    name: str
    """The name in SQL."""
    title: str
    """The name in the document."""
    type: str
    """A type of DuckDB."""
    examples: tuple[str, ...]
    """Some of its values, each once; long ones are cut."""


@dataclass(frozen=True, slots=True)
class TableContent:
    """All of a table."""

    table: StoredTable
    columns: tuple[Column, ...]
    values: tuple[tuple[str | None, ...], ...]
    """The values of each column, one for each row; None for an empty cell. Decimals have a point."""
    chunks: tuple[str, ...]
    """The IRI of the chunk that each row begins in."""


@dataclass(frozen=True, slots=True)
class ListedTable:
    """A table as a reader of a list sees it."""

    table: StoredTable
    columns: tuple[Column, ...]
    """Empty for a table that is larger than the setting max_table_cells."""


def list_tables(
    snapshot: Snapshot,
    *,
    matching: str = "",
    offset: int = 0,
    limit: int | None = None,
    most_cells: int = Settings().max_table_cells,
    check: Check = unchecked,
) -> tuple[ListedTable, ...]:
    """The tables of a revision by name, or those whose name or document contains a text, in any case.

    To know the types of columns, the cells of the tables that are given are read; those of a table with more
    than `most_cells` (setting max_table_cells) are not. `check` is called between the parts of a table.
    """
    wanted = matching.casefold()
    tables = (
        each
        for each in catalogue(snapshot).values()
        if wanted in each.name or wanted in each.source.casefold()
    )
    chosen = islice(tables, offset, None if limit is None else offset + limit)
    return tuple(describe(snapshot, table, most_cells, check) for table in chosen)


def describe(snapshot: Snapshot, table: StoredTable, most: int, check: Check = unchecked) -> ListedTable:
    """The description of a table of a revision; `most` is the setting max_table_cells."""
    kept = snapshot.derived(_descriptions)
    if (known := kept.get(table.name)) is None:
        known = ListedTable(table, _columns(snapshot, table, most, check))
        kept.keep({table.name: known})
    return known


def _descriptions(_: Snapshot) -> BoundedCache[str, ListedTable]:
    return BoundedCache(_KEPT)


def _columns(snapshot: Snapshot, table: StoredTable, most: int, check: Check) -> tuple[Column, ...]:
    try:
        return read(snapshot, table, most, check).columns
    except LimitError:
        return ()


def read(snapshot: Snapshot, table: StoredTable, most: int, check: Check = unchecked) -> TableContent:
    """The content of a table. Raises LimitError for more than `most` cells (setting max_table_cells)."""
    _check_size(table, table.rows, most)
    if table.number is None:
        records_read = [row for parts in _parts(snapshot, table, check) for row in records(parts)]
        titles = tuple(dict.fromkeys(title for row in records_read for title in row.cells))
    else:
        titles = _titles(snapshot, table.chunks, check)
        _check_size(table, len(titles) * table.rows, most)
        records_read = [row for parts in _parts(snapshot, table, check) for row in table_rows(titles, parts)]
    _check_size(table, len(titles) * len(records_read), most)
    return _content(table, titles, records_read, check)


def _content(
    table: StoredTable, titles: Sequence[str], rows: Sequence[TableRow], check: Check
) -> TableContent:
    names = numbered(titles, taken=(CHUNK_COLUMN,))
    columns, values = list[Column](), list[tuple[str | None, ...]]()
    for name, title in zip(names, titles, strict=True):
        check()
        values.append(plain_numbers([row.cells.get(title) for row in rows]))
        columns.append(Column(name, title, column_type(values[-1]), _examples(values[-1])))
    return TableContent(table, tuple(columns), tuple(values), tuple(row.chunk for row in rows))


def _examples(values: Sequence[str | None]) -> tuple[str, ...]:
    examples: dict[str, None] = {}
    for value in values:
        if value is not None:
            examples[value if len(value) <= _LONGEST_EXAMPLE else value[: _LONGEST_EXAMPLE - 1] + "…"] = None
            if len(examples) == _EXAMPLES:
                break
    return tuple(examples)


def _titles(snapshot: Snapshot, chunks: Sequence[str], check: Check) -> tuple[str, ...]:
    """The columns of a table as its document writes them, in their order."""
    titles = {}
    for start in range(0, len(chunks), _AT_ONCE):
        check()
        text = queries.bind("table_columns", chunk=chunks[start : start + _AT_ONCE])
        for row in queries.select(snapshot.store, text):
            if (number := integer_of(row["number"])) is not None:
                titles[number] = text_of(row["name"])
    return tuple(titles[number] for number in sorted(titles))


def _parts(snapshot: Snapshot, table: StoredTable, check: Check) -> Iterator[list[TableText]]:
    """The chunks of a table, document by document, in their order."""
    for chunks in table.parts.values():
        parts: list[TableText] = []
        for start in range(0, len(chunks), _AT_ONCE):
            check()
            text = queries.bind("table_parts", chunk=chunks[start : start + _AT_ONCE])
            parts += filter(None, map(_part, queries.select(snapshot.store, text)))
        yield sorted(parts, key=lambda part: (part.begin, part.end))


def _part(row: QuerySolution) -> TableText | None:
    chunk, begin, end = iri_of(row["chunk"]), integer_of(row["begin"]), integer_of(row["end"])
    if chunk is None or begin is None or end is None:
        return None
    return TableText(chunk, begin, end, integer_of(row["first"]) or 0, text_of(row["text"]))


def _check_size(table: StoredTable, cells: int, most: int) -> None:
    if cells > most:
        raise LimitError(
            f"the table {table.name}: {cells:,} cells or more, the limit is {most:,}; ask others, or raise "
            "the setting max_table_cells"
        )
