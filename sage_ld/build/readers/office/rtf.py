"""Rich Text Format (`.rtf`), by striprtf: its headings, paragraphs and tables."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import file_document
from sage_ld.build.readers.grid import Cell, Row, add_grid
from sage_ld.build.readers.inline import Inline
from sage_ld.build.readers.office.rtf_looks import (
    CELL_END,
    EDGES,
    HEADING_END,
    ROW_BEGIN,
    ROW_END,
    with_fractions,
    without_looks,
)
from sage_ld.build.readers.plain import paragraphs
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import extras
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

MEDIA_TYPE: Final = "application/rtf"
_BEGIN: Final = b"{\\rtf"
_NEAR: Final = 40
"""Twips between edges that are taken for one, two points."""
_PARTS: Final = re.compile(f"({ROW_BEGIN}[^{ROW_BEGIN}{ROW_END}]*{ROW_END})")
_HEADING: Final = re.compile(
    rf"(?:^|(?<={HEADING_END}[1-9]))([^\n{HEADING_END}]*){HEADING_END}([1-9])", re.MULTILINE
)


class _TableRow(NamedTuple):
    """A row of a table: the texts of its cells, and their right edges in twips."""

    texts: list[str]
    edges: list[int]


def read_rtf(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is the file's name. Raises InputError for a file of another kind."""
    library = extras.load("striprtf.striprtf", extras.OFFICE)
    data = source.read(settings)
    if not data.lstrip().startswith(_BEGIN):
        raise InputError(f"{source.identifier}: no rich text, which begins with {{\\rtf; check its format")
    builder = DocumentBuilder(source.identifier, settings)
    text = without_looks(data.decode("latin-1"), builder)
    _add_blocks(builder, with_fractions(library.rtf_to_text(text, errors="replace")))
    yield file_document(builder, data, source.stem, MEDIA_TYPE, v.SCHEMA + "TextDigitalDocument")


def _add_blocks(builder: DocumentBuilder, text: str) -> None:
    """Adds paragraphs, and tables, whose rows stand between their signs."""
    rows: list[_TableRow] = []
    for part in _PARTS.split(text):
        if part.startswith(ROW_BEGIN):
            rows.append(_row(part.strip(ROW_BEGIN + ROW_END)))
        elif part.strip():
            rows = _ended(builder, rows)
            _add_prose(builder, part)
    _ended(builder, rows)


def _add_prose(builder: DocumentBuilder, text: str) -> None:
    """Adds headings, and the paragraphs between them."""
    before, *headed = _HEADING.split(text)
    for _, paragraph in paragraphs(before):
        builder.prose(paragraph)
    for heading, level, body in zip(headed[::3], headed[1::3], headed[2::3], strict=True):
        builder.heading(one_line(heading), int(level))
        for _, paragraph in paragraphs(body):
            builder.prose(paragraph)


def _row(text: str) -> _TableRow:
    texts, _, edges = text.partition(EDGES)
    *cells, rest = map(one_line, texts.split(CELL_END))
    return _TableRow([*cells, rest] if rest else cells, [int(each) for each in edges.split()])


def _ended(builder: DocumentBuilder, rows: list[_TableRow]) -> list[_TableRow]:
    """Adds the table of the rows so far; the rows of the next one."""
    if rows:
        columns = sorted({_rounded(edge) for row in rows for edge in row.edges})
        add_grid(builder, [Row(tuple(_cells(row, columns))) for row in rows])
    return []


def _rounded(edge: int) -> int:
    return round(edge / _NEAR)


def _cells(row: _TableRow, columns: Sequence[int]) -> Iterator[Cell]:
    """The cells of a row, each with the number of the table's columns between its edges."""
    if len(row.edges) != len(row.texts) or row.edges != sorted(row.edges):
        yield from (Cell(Inline(text)) for text in row.texts)
        return
    before = 0
    for text, edge in zip(row.texts, row.edges, strict=True):
        after = bisect_right(columns, _rounded(edge))
        yield Cell(Inline(text), columns=max(after - before, 1))
        before = after


RTF = Reader("Rich Text Format", {".rtf": MEDIA_TYPE}, read_rtf)
