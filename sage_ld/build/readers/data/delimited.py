"""CSV and TSV: one table, its first row the names of the columns, or what its metadata says (`csvw`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import decode
from sage_ld.build.readers.companions import CSVW_METADATA
from sage_ld.build.readers.content import content_hash, finished
from sage_ld.build.readers.csvw.description import ColumnDescription, TableDescription
from sage_ld.build.readers.csvw.metadata import table_description
from sage_ld.build.readers.csvw.table import (
    RowStatements,
    add_table,
    annotate,
    matched_columns,
    with_annotations,
)
from sage_ld.build.readers.data.delimited_cells import Cells, LooseCells, cut, guessed_dialect, read_loosely
from sage_ld.build.readers.section_rows import section_rows, sectioned
from sage_ld.build.readers.source import Reader, Source
from sage_ld.build.readers.statements import StatementCollector
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.model import Document, PlaceKind
from sage_ld.foundation.settings import Settings

_MEDIA_TYPES = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".tab": "text/tab-separated-values",
}
_SHOWN: Final = 5


def read_delimited(source: Source, settings: Settings) -> Iterator[Document]:
    """One document with one table; lines before it are text, and short rows are filled up.

    By metadata beside the file, its table and columns have titles, its rows make statements, and a row with
    more or fewer cells than the first is an error.
    """
    data = source.read(settings)
    companion = source.companion(CSVW_METADATA)
    table = None if companion is None else table_description(source, companion, settings)
    builder = DocumentBuilder(source.identifier, settings)
    if table is None:
        text = decode(data, source.identifier)
        dialect = guessed_dialect(text, source.suffix, builder.stated_head)
        loose = read_loosely(text, dialect, source.identifier, builder.check_area, builder.stated_head)
        _add_loose(builder, loose, source.stem)
        document = _built(builder, source, data)
        yield finished(replace(document, warnings=(*document.warnings, *_uneven(loose, source.identifier))))
        return
    cells = _cells(data, source, table)
    columns = matched_columns(table, cells, source.identifier)
    _check_columns(columns, source.identifier, settings)
    add_table(builder, table, columns, cells)
    size = len(data) + sum(len(each.data) for each in source.companions)
    out = StatementCollector(source.identifier, size, settings)
    annotate(source.identifier, table, out)
    RowStatements(source.identifier, table, columns).add(cells.rows, out)
    document = with_annotations(_built(builder, source, data), table)
    yield finished(replace(document, statements=out.statements, reserved=out.reserved))


def _check_columns(columns: Sequence[ColumnDescription], name: str, settings: Settings) -> None:
    """Raises LimitError for more columns, virtual ones included, or longer templates than are followed."""
    if len(columns) > (limit := settings.max_table_columns):
        raise LimitError.of(f"{name}: its metadata", len(columns), limit, "columns", "max_table_columns")
    limit = settings.max_identifier_length
    for column in columns:
        rules = column.rules
        length = max(len(each or "") for each in (rules.about, rules.property, rules.value))
        if length > limit:
            what = f"{name}: a template of the column {column.name[:80]!r}"
            raise LimitError.of(
                what, length, limit, "characters", "max_identifier_length", remedy="shorten it"
            )


def _add_loose(builder: DocumentBuilder, cells: LooseCells, name: str) -> None:
    builder.prose("\n".join(cells.above))
    builder.count_head(cells.last_line)
    builder.at(PlaceKind.ROW, 1, len(cells.rows))
    if cells.is_form:
        builder.record(name, [(row.cells[0], row.cells[1]) for row in cells.rows])
        return
    rows = [each.cells for each in cells.rows]
    names, rows = sectioned(cells.names, rows, section_rows(rows), "")
    builder.table(names, rows, head=cells.head)


def _uneven(cells: LooseCells, name: str) -> Iterator[str]:
    """The warning of rows with more or fewer cells than the first."""
    if lines := cells.uneven:
        shown = ", ".join(map(str, lines[:_SHOWN])) + (", …" if len(lines) > _SHOWN else "")
        yield (
            f"{name}: {len(lines):,} rows have more or fewer cells than the first (lines {shown}); they were "
            "read as they are: check the quotes there, or name the delimiter in a first line such as sep=;"
        )


def _cells(data: bytes, source: Source, table: TableDescription) -> Cells:
    stated = table.dialect
    text = decode(data, source.identifier, "utf-8" if stated is None else stated.encoding)
    return cut(text, stated or guessed_dialect(text, source.suffix), source.identifier)


def _built(builder: DocumentBuilder, source: Source, data: bytes) -> Document:
    return builder.build(
        title=source.stem,
        media_type=_MEDIA_TYPES[source.suffix],
        content_hash=content_hash(data),
        types=(v.SCHEMA + "Dataset",),
    )


DELIMITED = Reader("CSV and TSV", _MEDIA_TYPES, read_delimited, text=True)
