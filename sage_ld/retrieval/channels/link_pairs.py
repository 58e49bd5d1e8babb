"""Links from chunks to documents, read from the index of links in both directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.model import IntArray
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.hashed import text_numbers
from sage_ld.graph.indexes.iri_tables import begins_of
from sage_ld.graph.indexes.layout import concatenated_ranges
from sage_ld.graph.indexes.links import Links
from sage_ld.retrieval.chunks.chunk_table import ChunkTable


@dataclass(frozen=True, slots=True)
class LinkPairs:
    """Pairs of a chunk and a document that it links to, as parallel arrays of length p.

    Each has at least one link.
    """

    rows: IntArray
    """The chunk's row in the vector index."""
    documents: IntArray
    """The document's number in the table of chunks."""
    first: IntArray
    """Where the pair's links begin in the arrays of `Links`."""
    counts: IntArray
    """How many links the pair has."""

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def joined(cls, parts: Sequence[LinkPairs]) -> LinkPairs:
        """The pairs of all parts, one part after another."""
        none = np.zeros(0, np.int64)
        return cls(
            *(np.concatenate([none, *(getattr(part, each.name) for part in parts)]) for each in fields(cls))
        )

    def where(self, kept: NDArray[np.bool_] | IntArray) -> LinkPairs:
        """The pairs that `kept` names, as a mask (p,) or by their places."""
        return LinkPairs(*(getattr(self, each.name)[kept] for each in fields(self)))


class LinkLookup:
    """The lookup of pairs in a revision: its segments have them in both orders, so nothing is sorted."""

    def __init__(self, chunk_table: ChunkTable, links: Links, link_rows: IntArray) -> None:
        self._chunk_table = chunk_table
        self._links = links
        self._link_rows = link_rows
        self._row_begins = begins_of([len(each.keys) for each in links.segments])
        linked = np.flatnonzero(link_rows >= 0)
        self._chunks = np.full(self._row_begins[-1], -1, np.int64)
        self._chunks[link_rows[linked]] = linked
        """The row of the chunk of each stored row of links; -1 for one that has been removed."""
        self._gone = [
            int(np.count_nonzero(self._chunks[begin:end] < 0)) for begin, end in pairwise(self._row_begins)
        ]

    @classmethod
    def of(cls, snapshot: Snapshot) -> LinkLookup:
        """The lookup of a revision: kept as long as the revision is open."""
        return snapshot.derived(_read)

    def of_chunks(self, rows: IntArray) -> LinkPairs:
        """The pairs whose chunk is one of `rows`."""
        stored, parts = self._link_rows[rows], []
        for number, own in enumerate(self._links.pairs):
            begin, end = self._row_begins[number : number + 2]
            here = stored[(stored >= begin) & (stored < end)] - begin
            pairs = concatenated_ranges(own.bounds[here], own.bounds[here + 1] - own.bounds[here])
            documents = self._chunk_table.numbered(own.targets[pairs])
            parts.append(self._pairs(number, pairs, documents).where(documents >= 0))
        return LinkPairs.joined(parts)

    def to_documents(self, documents: IntArray, most: int) -> tuple[LinkPairs, IntArray]:
        """The pairs whose document is one of `documents`, and each one's place in these.

        A document to which more than `most` chunks link is left out.
        """
        numbers = text_numbers(self._chunk_table.iris[each] for each in documents.tolist())
        runs = [own.to_targets(numbers) for own in self._links.pairs]
        leading = np.zeros(len(documents), np.int64)
        for (_, counts), gone in zip(runs, self._gone, strict=True):
            leading += np.maximum(counts - gone, 0)
        parts, places = [], [np.zeros(0, np.int64)]
        for number, (begin, counts) in enumerate(runs):
            followed = np.where(leading > most, 0, counts)
            place = np.repeat(np.arange(len(documents)), followed)
            pairs = self._links.pairs[number].by_target[concatenated_ranges(begin, followed)]
            part = self._pairs(number, pairs, documents[place])
            parts.append(part.where(part.rows >= 0))
            places.append(place[part.rows >= 0])
        found, at = LinkPairs.joined(parts), np.concatenate(places)
        kept = np.bincount(at, minlength=len(documents))[at] <= most
        return found.where(kept), at[kept]

    def _pairs(self, number: int, pairs: IntArray, documents: IntArray) -> LinkPairs:
        """Pairs of the segment with this number, given by their numbers in it."""
        own = self._links.pairs[number]
        chunks = self._chunks[self._row_begins[number] + own.rows[pairs]]
        first = self._links.begins.begins[number] + own.first[pairs]
        return LinkPairs(chunks, documents, first, own.counts[pairs])


def _read(snapshot: Snapshot) -> LinkLookup:
    return LinkLookup(ChunkTable.of(snapshot), snapshot.links, snapshot.link_rows)
