"""CSV and TSV: one table, its first row the names of the columns, or what its metadata says (`csvw`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import decode
from sage_ld.build.readers.companions import CSVW_METADATA
from sage_ld.build.readers.content import content_hash, finished
from sage_ld.build.readers.csvw.description import TableDescription
from sage_ld.build.readers.csvw.metadata import table_description
from sage_ld.build.readers.csvw.table import (
    RowStatements,
    add_table,
    annotate,
    matched_columns,
    with_annotations,
)
from sage_ld.build.readers.data.delimited_cells import Cells, cut, guessed_dialect
from sage_ld.build.readers.source import Reader, Source
from sage_ld.build.readers.statements import StatementCollector
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import Document, PlaceKind
from sage_ld.foundation.settings import Settings

_MEDIA_TYPES = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".tab": "text/tab-separated-values",
}


def read_delimited(source: Source, settings: Settings) -> Iterator[Document]:
    """One document with one table; a row with more or fewer cells than the first is an error.

    By metadata beside the file, its table and columns have titles, and its rows make statements.
    """
    data = source.read(settings)
    companion = source.companion(CSVW_METADATA)
    table = None if companion is None else table_description(source, companion, settings)
    cells = _cells(data, source, table)
    builder = DocumentBuilder(source.identifier, settings)
    if table is None:
        builder.at(PlaceKind.ROW, 1, len(cells.rows))
        builder.table(cells.names, [each.cells for each in cells.rows])
        yield finished(_built(builder, source, data))
        return
    columns = matched_columns(table, cells, source.identifier)
    add_table(builder, table, columns, cells)
    size = len(data) + sum(len(each.data) for each in source.companions)
    out = StatementCollector(source.identifier, size, settings)
    annotate(source.identifier, table, out)
    RowStatements(source.identifier, table, columns).add(cells.rows, out)
    document = with_annotations(_built(builder, source, data), table)
    yield finished(replace(document, statements=out.statements, reserved=out.reserved))


def _cells(data: bytes, source: Source, table: TableDescription | None) -> Cells:
    stated = None if table is None else table.dialect
    text = decode(data, source.identifier, "utf-8" if stated is None else stated.encoding)
    return cut(text, stated or guessed_dialect(text, source.suffix), source.identifier)


def _built(builder: DocumentBuilder, source: Source, data: bytes) -> Document:
    return builder.build(
        title=source.stem,
        media_type=_MEDIA_TYPES[source.suffix],
        content_hash=content_hash(data),
        types=(v.SCHEMA + "Dataset",),
    )


DELIMITED = Reader("CSV and TSV", _MEDIA_TYPES, read_delimited)
