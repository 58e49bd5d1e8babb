"""The edges of a whole revision between its documents, chunks and entities, as arrays.

Membership, links and mentions come from the indexes; only similarity is read from the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.foundation.rdf_terms import text_of
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.strings import Numbers
from sage_ld.graph.store.reading import select
from sage_ld.retrieval.channels.link_hops import LinkLookup
from sage_ld.retrieval.chunks.chunk_table import ChunkTable

EDGE_KINDS_SHOWN: Final = ("part", "link", "similarity", "mention")
"""The kinds of edges that an overview goes by, in the order in which they are kept."""
_SIMILAR: Final = f"SELECT ?chunk ?other {{ ?chunk <{v.SIMILAR_TO}> ?other }}"
"""Its rows come a third faster than the quads."""
_BETWEEN_CHECKS: Final = 1_000  # statements


@dataclass(frozen=True, slots=True)
class OverviewEdges:
    """The e edges of n nodes: first the chunks by row, then the documents, then the entities."""

    chunks: Sequence[str]
    """Their IRIs."""
    documents: Sequence[str]
    entities: Numbers
    """The entities that more than one chunk mentions, by the number of their IRI (`text_number`)."""
    ends: IntArray
    """(e, 2)"""
    weights: DoubleArray
    kinds: IntArray
    """(e,) the place of each edge's kind in `EDGE_KINDS_SHOWN`."""
    complete: bool
    """Whether no edge was left out."""

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.chunks) + len(self.documents) + len(self.entities)

    def kind_of(self, number: int) -> str:
        """The kind of a node: `chunk`, `document` or `entity`."""
        if number < len(self.chunks):
            return "chunk"
        return "document" if number < len(self.chunks) + len(self.documents) else "entity"


def overview_edges(snapshot: Snapshot, most: int, check: Check = unchecked) -> OverviewEdges:
    """The edges of a revision, at most `most`: of mentions, those of the rarest entities stay.

    `check` is called now and then.
    """
    table, count = ChunkTable.of(snapshot), len(snapshot.vectors.iris)
    rows = np.arange(count)
    links = LinkLookup.of(snapshot).of_chunks(rows)
    check()
    entities, mentions, rarity = _mentions(snapshot, count)
    alike = np.array(list(_similar(snapshot, check)), np.int64).reshape(-1, 2)
    by_kind = (
        np.column_stack([rows, count + table.documents]),
        np.column_stack([links.rows, count + links.documents]),
        alike,
        mentions + np.array([0, count + len(table.iris)]),
    )
    weights = [np.ones(len(each)) for each in by_kind[:3]] + [rarity]
    ends = np.concatenate(by_kind)
    kinds = np.repeat(np.arange(len(by_kind)), [len(each) for each in by_kind])
    kept = slice(None, most)
    return OverviewEdges(
        snapshot.vectors.iris,
        table.iris,
        entities,
        ends[kept],
        np.concatenate(weights)[kept],
        kinds[kept],
        complete=len(ends) <= most,
    )


def _mentions(snapshot: Snapshot, count: int) -> tuple[Numbers, IntArray, DoubleArray]:
    """The entities of several chunks; the pairs of chunk and entity, the rarest first; their rarity."""
    numbers, rows = snapshot.mentions.of_rows(snapshot.mention_rows)
    entities, places, frequencies = np.unique(numbers, return_inverse=True, return_counts=True)
    shared = frequencies > 1
    place = np.cumsum(shared) - 1
    kept = shared[places]
    pairs = np.column_stack([rows[kept], place[places[kept]]])
    rarity = np.maximum(1 - np.log(frequencies[places[kept]]) / np.log(max(count, 2)), 0.0)
    order = np.argsort(-rarity, kind="stable")
    return entities[shared], pairs[order], rarity[order]


def _similar(snapshot: Snapshot, check: Check) -> Iterator[tuple[int, int]]:
    """The rows of chunks that are similar, each pair once, in order."""
    rows = {iri: row for row, iri in enumerate(snapshot.vectors.iris)}  # faster for so many than their index
    pairs = set()
    for read, row in enumerate(select(snapshot.store, _SIMILAR)):
        if read % _BETWEEN_CHECKS == 0:
            check()
        ends = rows.get(text_of(row["chunk"])), rows.get(text_of(row["other"]))
        if ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
            pairs.add((min(ends[0], ends[1]), max(ends[0], ends[1])))
    return iter(sorted(pairs))
