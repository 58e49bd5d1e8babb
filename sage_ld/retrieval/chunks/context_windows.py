"""Context windows: the chunks before and after a chunk, along `sage:next`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import ChunkView
from sage_ld.foundation.rdf_values import iri_of, text_of
from sage_ld.graph.store import queries
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.queries import select
from sage_ld.retrieval.chunks.chunk_table import chunk_views

_BATCH: Final = 200
"""Chunks whose neighbours are read at once."""


class ContextWindow(NamedTuple):
    """The chunks around a chunk, both in the order of the document."""

    before: tuple[ChunkView, ...] = ()
    after: tuple[ChunkView, ...] = ()


def context_windows(
    store: Store, chunks: Sequence[str], size: int, check: Check = unchecked
) -> dict[str, ContextWindow]:
    """For each of the chunks (IRIs) the `size` chunks before it and after it; fewer at a document's ends.

    Where an update made a chunk be followed by several, the first of them by IRI counts. `check` is called
    before some chunks are read.
    """
    ahead, back = (_ways(store, chunks, size, forward, check) for forward in (True, False))
    around = sorted({iri for ways in (ahead, back) for way in ways.values() for iri in way})
    views = chunk_views(store, around, check)
    return {
        chunk: ContextWindow(
            tuple(views[iri] for iri in reversed(back[chunk]) if iri in views),
            tuple(views[iri] for iri in ahead[chunk] if iri in views),
        )
        for chunk in chunks
    }


def _ways(
    store: Store, chunks: Sequence[str], size: int, forward: bool, check: Check
) -> Mapping[str, list[str]]:
    """The chunks that follow each chunk one after another, or those that it follows; none twice."""
    ways: dict[str, list[str]] = {chunk: [] for chunk in chunks}
    ends = dict(zip(chunks, chunks, strict=True))
    for _ in range(size):
        adjacent = _adjacent(store, sorted(set(ends.values())), forward, check)
        after = {chunk: adjacent[end] for chunk, end in ends.items() if end in adjacent}
        ends = {chunk: iri for chunk, iri in after.items() if iri != chunk and iri not in ways[chunk]}
        for chunk, iri in ends.items():
            ways[chunk].append(iri)
    return ways


def _adjacent(store: Store, chunks: Sequence[str], forward: bool, check: Check) -> dict[str, str]:
    """The chunk after each chunk, or the one before it, of those that have one."""
    adjacent: dict[str, str] = {}
    for begin in range(0, len(chunks), _BATCH):
        check()
        for row in select(store, queries.bind("adjacent", chunk=chunks[begin : begin + _BATCH])):
            chunk, other = row["chunk"].value, iri_of(row["other"])
            if other is not None and (text_of(row["ahead"]) == "true") == forward:
                adjacent[chunk] = min(other, adjacent.get(chunk, other))
    return adjacent
