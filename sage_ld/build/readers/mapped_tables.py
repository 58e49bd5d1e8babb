"""A mapping file and the tables beside it that it names, to the statements that it makes of them."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from urllib.parse import quote

from sage_ld.build.readers.characters import decode
from sage_ld.build.readers.companions import combined_hash, read_companion
from sage_ld.build.readers.data.delimited_cells import cut, guessed_dialect
from sage_ld.build.readers.r2rml import DataRow, candidates, map_rows, tables_of
from sage_ld.build.readers.source import Companion, Source
from sage_ld.build.readers.statements import Statement, StatementCollector
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings

_ENDING = ".r2rml"
_TABLE = "table of a mapping"


def is_mapping(source: Source, statements: list[Statement]) -> bool:
    """Whether an RDF file is carried out as a mapping: its name says so, or a table of it lies beside it.

    One for a database elsewhere is RDF like any other, and so is one inside another file.
    """
    if source.data is not None or not (tables := tables_of(statements)):
        return False
    named = source.stem.lower().endswith(_ENDING)
    return named or any(table and _file(source, table) is not None for table in tables.values())


def mapped(
    source: Source, statements: list[Statement], digest: str, settings: Settings
) -> tuple[StatementCollector, str]:
    """The statements that the mapping makes of its tables, and the hash of the mapping and all of them.

    Raises InputError for a table that is not there, or what the mapping may not say, LimitError.
    """
    companions = _companions(source, statements, settings)
    rows: dict[str, list[DataRow]] = {}

    def table(name: str) -> list[DataRow]:
        if name not in rows:
            rows[name] = _rows(source, companions[name])
        return rows[name]

    files = {each.name: each for each in companions.values()}
    size = source.path.stat().st_size + sum(len(each.data) for each in files.values())
    out = StatementCollector(source.identifier, size, settings)
    folder = PurePosixPath(source.identifier).parent.as_posix().removeprefix(".")
    base = "file:///" + quote(f"{folder}/" if folder else "")
    map_rows(source.identifier, statements, table, base, out)
    return out, combined_hash(digest, tuple(files[name] for name in sorted(files)))


def _companions(source: Source, statements: list[Statement], settings: Settings) -> dict[str, Companion]:
    """The files of the mapping's tables, by the names that the mapping gives the tables."""
    companions: dict[str, Companion] = {}
    for table in tables_of(statements).values():
        if table is None or table in companions:
            continue
        name = _file(source, table)
        if name is None:
            raise InputError(
                f"{source.identifier}: the table {table[:60]!r} has no file beside it; put "
                f"{candidates(table)[0][:60]!r} into its folder"
            )
        companions[table] = read_companion(source, _TABLE, name, settings)
    return companions


def _file(source: Source, table: str) -> str | None:
    """The name of a table's file beside the mapping; files of other folders are not looked for."""
    for name in candidates(table):
        if name == PurePosixPath(name).name and os.path.lexists(source.path.with_name(name)):
            return name
    return None


def _rows(source: Source, companion: Companion) -> list[DataRow]:
    beside = source.beside(companion.name)
    text = decode(companion.data, beside.identifier)
    cells = cut(text, guessed_dialect(text, beside.suffix), beside.identifier)
    return [dict(zip(cells.names, row.cells, strict=True)) for row in cells.rows]
