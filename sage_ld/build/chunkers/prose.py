"""Runs of prose: the neighbouring paragraphs of one section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sage_ld.build.chunkers.runs import Run, joined, section_path
from sage_ld.build.chunkers.spans import Span, trim
from sage_ld.foundation.model import ChunkKind, Document, Prose


def prose_runs(document: Document, blocks: Sequence[Prose]) -> Iterator[Run]:
    """One run for the paragraphs of a section that nothing but blanks separates (no table, no heading)."""
    pieces: list[Span] = []
    section: int | None = None
    for block in sorted(blocks, key=lambda each: each.begin):
        span = trim(document.text, block.begin, block.end)
        if span is None:
            continue
        if pieces and (block.section != section or trim(document.text, pieces[-1][1], span[0])):
            yield _run(document, pieces, section)
            pieces = []
        pieces.append(span)
        section = block.section
    if pieces:
        yield _run(document, pieces, section)


def _run(document: Document, pieces: list[Span], section: int | None) -> Run:
    path = section_path(document, section)
    return Run(
        kind=ChunkKind.TEXT,
        name=joined(document.title, *path[-1:]) or document.identifier,
        heading=joined(document.title, *path),
        pieces=tuple(pieces),
        section=section,
    )
