"""Rich Text Format (`.rtf`), by striprtf: its paragraphs and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import content_hash, finished
from sage_ld.build.readers.grid import Cell, Row, add_grid
from sage_ld.build.readers.inline import Inline
from sage_ld.build.readers.office.rtf_looks import CELL_END, ROW_BEGIN, ROW_END, without_looks
from sage_ld.build.readers.plain import paragraphs
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import extras
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

MEDIA_TYPE: Final = "application/rtf"
_BEGIN: Final = b"{\\rtf"
_PARTS: Final = re.compile(f"({ROW_BEGIN}[^{ROW_BEGIN}{ROW_END}]*{ROW_END})")


def read_rtf(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is the file's name. Raises InputError for a file of another kind."""
    library = extras.load("striprtf.striprtf", extras.OFFICE)
    data = source.read(settings)
    if not data.lstrip().startswith(_BEGIN):
        raise InputError(f"{source.identifier}: no rich text, which begins with {{\\rtf; check its format")
    builder = DocumentBuilder(source.identifier, settings)
    text = without_looks(data.decode("latin-1"), builder)
    _add_blocks(builder, library.rtf_to_text(text, errors="replace"))
    yield finished(
        builder.build(
            title=source.stem,
            media_type=MEDIA_TYPE,
            content_hash=content_hash(data),
            types=(v.SCHEMA + "TextDigitalDocument",),
        )
    )


def _add_blocks(builder: DocumentBuilder, text: str) -> None:
    """Adds paragraphs, and tables, whose rows stand between their signs."""
    rows: list[Row] = []
    for part in _PARTS.split(text):
        if part.startswith(ROW_BEGIN):
            rows.append(_row(part.strip(ROW_BEGIN + ROW_END)))
        elif part.strip():
            rows = _ended(builder, rows)
            for _, paragraph in paragraphs(part):
                builder.prose(paragraph)
    _ended(builder, rows)


def _row(text: str) -> Row:
    cells = text.split(CELL_END)
    return Row(tuple(Cell(Inline(one_line(each))) for each in cells[: len(cells) - (not cells[-1].strip())]))


def _ended(builder: DocumentBuilder, rows: list[Row]) -> list[Row]:
    """Adds the table of the rows so far; the rows of the next one."""
    if rows:
        add_grid(builder, rows)
    return []


RTF = Reader("Rich Text Format", {".rtf": MEDIA_TYPE}, read_rtf)
