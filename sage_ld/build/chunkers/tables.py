"""Runs of tables and of records: ten rows each, with the columns in the text of each row.

The SAGE paper cuts tables every 10 rows and joins a last part of fewer than 5 rows to the one before.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from sage_ld.build.chunkers.runs import Run, joined, section_path, trim
from sage_ld.foundation.model import ChunkKind, Document, Record, Table, TablePart
from sage_ld.foundation.recipes import Chunking


def table_runs(document: Document, table: Table, number: int, recipe: Chunking) -> Iterator[Run]:
    """The runs of the document's table `number`; rows without a cell are in none."""
    starts = row_groups(len(table.row_spans), recipe.rows, recipe.least_rows)
    edges = _row_edges(table)
    path = section_path(document, table.section)
    name = table.caption or (path[-1] if path else "") or document.title or document.identifier
    heading = joined(document.title, *path, table.caption)
    for first, after in pairwise(starts):
        rows = (trim(document.text, *pair) for pair in pairwise(edges[first : after + 1]))
        if pieces := tuple(row for row in rows if row):
            yield Run(
                kind=ChunkKind.TABLE,
                name=joined(name),
                heading=heading,
                pieces=pieces,
                section=table.section,
                table=TablePart(number, table.columns, first, after - 1),
                row_ends=tuple(edges[first + 1 : after + 1]),
            )


def row_groups(count: int, rows: int, least: int) -> list[int]:
    """The first row of each group, and the number of rows at the end.

    >>> row_groups(24, 10, 5), row_groups(25, 10, 5), row_groups(3, 10, 5)
    ([0, 10, 24], [0, 10, 20, 25], [0, 3])
    """
    starts = list(range(0, count, rows))
    if len(starts) > 1 and count - starts[-1] < least:
        starts.pop()
    return [*starts, count]


def _row_edges(table: Table) -> list[int]:
    """The begin of each row, and the end of the last: text between two rows belongs to the second."""
    if not table.row_spans:
        return [table.begin]
    inner = [end for _, end in table.row_spans[:-1]]
    return [table.begin, *inner, table.end]


def record_run(document: Document, record: Record) -> Run | None:
    """The run of a record; None if it has no text."""
    span = trim(document.text, record.begin, record.end)
    if span is None:
        return None
    path = section_path(document, record.section)
    return Run(
        kind=ChunkKind.RECORD,
        name=joined(record.name) or document.title or document.identifier,
        heading=joined(document.title, *path, record.name),
        pieces=(span,),
        section=record.section,
        subject=record.subject,
    )
