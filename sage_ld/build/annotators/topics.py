"""The topic of a chunk: a short phrase that says what it is about, made of the document's own words.

The SAGE paper (arXiv:2602.16964, section 3) has a language model write it; here it is the headings above the
chunk and, of a table, its columns: what the author said the passage is about.
"""

from __future__ import annotations

from typing import Final

from sage_ld.build.annotators.field_annotator import FieldAnnotator
from sage_ld.foundation.model import Chunk, ChunkKind, Document, Table

_MAX_COLUMNS = 12  # a wide table's further columns say nothing new about its subject


def topic(document: Document, chunk: Chunk) -> str:
    """The document's title and the section's path; a table's caption and columns; a record's name."""
    parts = [document.title, *_section_path(document, chunk.section)]
    if chunk.kind is ChunkKind.RECORD:
        parts.append(chunk.name)
    if chunk.kind is ChunkKind.TABLE and chunk.table is not None:
        parts.append(_caption(document, chunk.table.table))
        parts.append(", ".join(column for column in chunk.table.columns[:_MAX_COLUMNS] if column))
    kept: list[str] = []
    for part in (" ".join(part.split()) for part in parts):
        if part and part not in kept:
            kept.append(part)
    return ": ".join(kept)


def _section_path(document: Document, section: int | None) -> list[str]:
    names: list[str] = []
    while section is not None:
        names.append(document.sections[section].name)
        section = document.sections[section].parent
    return names[::-1]


def _caption(document: Document, number: int) -> str:
    tables = [block for block in document.blocks if isinstance(block, Table)]
    return tables[number].caption if number < len(tables) else ""


TOPIC: Final = FieldAnnotator(
    gives="topic",
    reads=frozenset(
        (
            *("document.title", "document.sections", "document.blocks"),
            *("chunk.kind", "chunk.name", "chunk.section", "chunk.table"),
        )
    ),
    annotate=lambda document, chunk, settings: topic(document, chunk),
)
