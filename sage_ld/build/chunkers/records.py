"""Runs of records: one for each object."""

from __future__ import annotations

from sage_ld.build.chunkers.runs import Run, joined, section_path
from sage_ld.build.chunkers.spans import trim
from sage_ld.foundation.model import ChunkKind, Document, Record


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
