"""The content of a table: its columns with their types, and its rows with the chunk of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from pyoxigraph import Literal, QuerySolution

from sage_ld.agents.tables.rows import TableRow, TableText, numbered, records, table_rows
from sage_ld.agents.tables.stored_tables import StoredTable, catalogue
from sage_ld.build.readers.written_values import plain_values, without_blanks
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
    "TIMESTAMP": lambda value: _is_moment(value) or _is_day(value),
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
    shares: frozenset[str] = frozenset()
    """The names of the columns that show percentages, whose values are shares of one."""


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
    stored: _Stored = {}
    if table.number is None:
        records_read = [row for parts in _parts(snapshot, table, check) for row in records(parts)]
        titles = tuple(dict.fromkeys(title for row in records_read for title in row.cells))
    else:
        titles = _titles(snapshot, table.chunks, check)
        _check_size(table, len(titles) * table.rows, most)
        records_read = [row for parts in _parts(snapshot, table, check) for row in table_rows(titles, parts)]
        stored = _stored_values(snapshot, table.chunks, check)
    _check_size(table, len(titles) * len(records_read), most)
    return _content(table, titles, records_read, stored, check)


_Stored: TypeAlias = Mapping[tuple[int, str], str]
"""The stored values of cells that show something else, by row and title of the column."""


def _content(
    table: StoredTable, titles: Sequence[str], rows: Sequence[TableRow], stored: _Stored, check: Check
) -> TableContent:
    names = numbered(titles, taken=(CHUNK_COLUMN,))
    columns, values, shares = list[Column](), list[tuple[str | None, ...]](), list[str]()
    for name, title in zip(names, titles, strict=True):
        check()
        texts = [row.cells.get(title) for row in rows]
        values.append(_values(title, texts, rows, stored, are_records=table.number is None))
        columns.append(Column(name, title, column_type(values[-1]), _examples(values[-1])))
        if columns[-1].type in ("BIGINT", "DOUBLE") and all(text.endswith("%") for text in texts if text):
            shares.append(name)
    chunks = tuple(row.chunk for row in rows)
    return TableContent(table, tuple(columns), tuple(values), chunks, frozenset(shares))


def _values(
    title: str, texts: Sequence[str | None], rows: Sequence[TableRow], stored: _Stored, *, are_records: bool
) -> tuple[str | None, ...]:
    """The values of a column, None for cells that say so; those of records are read from their texts alone.

    >>> _values("Walks", ["2", "none", "–"], [], {}, are_records=True)
    ('2', None, None)
    >>> _values("Diet", ["fish", "none", "–"], [], {}, are_records=True)
    ('fish', 'none', None)
    """
    if are_records:
        values = plain_values(texts)
    else:
        values = [stored.get((row.number, title), text) for row, text in zip(rows, texts, strict=True)]
    filled = without_blanks(values)
    if column_type(filled) != TEXT:
        return tuple(filled)
    if not any(value and any(map(str.isalnum, value)) for value in filled):
        return tuple(values)  # signs are its values: + and -
    return tuple(without_blanks(values, among_values=False))


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


def _stored_values(snapshot: Snapshot, chunks: Sequence[str], check: Check) -> _Stored:
    values = {}
    for start in range(0, len(chunks), _AT_ONCE):
        check()
        text = queries.bind("table_values", chunk=chunks[start : start + _AT_ONCE])
        for row in queries.select(snapshot.store, text):
            number = integer_of(row["row"])
            if number is not None and isinstance(row["value"], Literal):
                values[number, text_of(row["column"])] = row["value"].value
    return values


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
