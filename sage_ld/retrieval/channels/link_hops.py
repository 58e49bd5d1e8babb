"""Hops over the channel `link`, as arrays: what a learned ranking follows and weighs.

`link.rq` is the query of the channel, which every other ranking asks. A learned ranking weighs hundreds of
links of a question, each with its confidence and its place: from a store on disk that takes two thirds as
long as the whole search (docs/figures.md). So it reads the index of links, which holds the results of
`chunk_links.rq` for all chunks; both lead over the same links, as a test says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.channels import BACKWARD, FORWARD, LINK
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import DoubleArray, IntArray, PathStep
from sage_ld.foundation.rdf_values import iri_of, share_of
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.layout import concatenated_ranges
from sage_ld.graph.indexes.links import LinkIndex, Links
from sage_ld.graph.indexes.positions import TokenRanges
from sage_ld.graph.indexes.strings import begins_of, text_numbers
from sage_ld.graph.store import queries
from sage_ld.graph.store.queries import select
from sage_ld.retrieval.chunks.chunk_table import ChunkTable

HopPriority: TypeAlias = Callable[[IntArray, IntArray], DoubleArray]
"""The order in which hops are looked at: seeds and candidates, rows of shape (e,), to priorities (e,)."""


@dataclass(frozen=True, slots=True)
class LinkHops:
    """Hops over links, as parallel arrays of length e, in an order that only the graph decides."""

    seed: IntArray
    """The row that the hop starts from."""
    candidate: IntArray
    """The row that it leads to."""
    forward: NDArray[np.bool_]
    """Whether the seed has the link; else the candidate has it."""
    confidence: DoubleArray
    begin: IntArray
    """The offset of the link in its source's document."""

    @classmethod
    def joined(cls, parts: Sequence[LinkHops]) -> LinkHops:
        """The hops of all parts, one part after another."""
        return cls(*(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(cls)))

    def where(self, kept: NDArray[np.bool_]) -> LinkHops:
        """The hops that `kept` (e,) names."""
        return LinkHops(*(getattr(self, each.name)[kept] for each in fields(self)))

    @property
    def source(self) -> IntArray:
        """The row that has the link."""
        return np.where(self.forward, self.seed, self.candidate)

    def surroundings(self, snapshot: Snapshot) -> tuple[TokenRanges, TokenRanges, TokenRanges]:
        """The surroundings of each link, as ranges of tokens: its unit, its window, its chunk's heading."""
        rows = snapshot.position_rows[self.source]
        unit, window = snapshot.positions.units(rows, self.begin)
        return unit, window, snapshot.positions.headings(rows)

    def steps(
        self, snapshot: Snapshot, chunk_table: ChunkTable, chosen: Collection[int]
    ) -> dict[int, PathStep]:
        """Some of the hops, by their numbers, as parts of paths: each with the IRI of its link."""
        iris, source = snapshot.vectors.iris, self.source
        target = chunk_table.documents[np.where(self.forward, self.candidate, self.seed)]
        named = (
            (hop, iris[source[hop]], chunk_table.iris[target[hop]], int(self.begin[hop])) for hop in chosen
        )
        edges: dict[int, str] = {}
        if chosen:
            for row in select(snapshot.store, queries.bind("link_edges", pair_source_target_begin=named)):
                hop, edge = int(row["pair"].value), iri_of(row["edge"])
                if edge is not None and share_of(row["confidence"]) == self.confidence[hop]:
                    edges[hop] = min(edge, edges.get(hop, edge))
        return {
            hop: PathStep(
                iris[self.seed[hop]],
                iris[self.candidate[hop]],
                LINK,
                FORWARD if self.forward[hop] else BACKWARD,
                float(self.confidence[hop]),
                (edges[hop],) if hop in edges else (),
                index=LinkIndex.kind,
            )
            for hop in chosen
        }


def follow(
    snapshot: Snapshot,
    chunk_table: ChunkTable,
    seeds: IntArray,
    hub: int,
    hop_priority: HopPriority,
    most: int,
    check: Check = unchecked,
) -> LinkHops:
    """The hops from the seeds (rows) over links, in either direction, never from a chunk to itself.

    A link leads to every chunk of its document. Of documents that more than `hub` links lead to, the links
    are not followed back. Of the pairs of a chunk and a document that it links to, those `most` are followed
    whose hops have the highest `hop_priority`. `check` is called before.
    """
    check()
    ends, links = _ends(chunk_table, LinkLookup.of(snapshot), seeds, hub), snapshot.links
    if not len(ends.pairs):
        return NO_HOPS
    numbers, of = np.unique(ends.number, return_inverse=True)
    best = np.full(len(numbers), -np.inf)
    np.maximum.at(best, of, hop_priority(ends.seed, ends.candidate))
    kept = np.zeros(len(numbers), np.bool_)
    kept[np.argsort(-best, kind="stable")[:most]] = True
    chosen = np.flatnonzero(kept[of])
    counts = ends.pairs.counts[chosen]
    hop, at = np.repeat(chosen, counts), concatenated_ranges(ends.pairs.first[chosen], counts)
    return LinkHops(
        ends.seed[hop],
        ends.candidate[hop],
        ends.forward[hop],
        links.confidences[at],
        links.begins[at].astype(np.int64),
    )


class _Ends(NamedTuple):
    """The ends of hops over pairs of a chunk and a document, as arrays of shape (e,)."""

    pairs: LinkPairs
    number: IntArray
    """Another one for each pair, ascending."""
    seed: IntArray
    candidate: IntArray
    forward: NDArray[np.bool_]
    """Whether the seed is what links."""


def _ends(chunk_table: ChunkTable, linked: LinkLookup, seeds: IntArray, hub: int) -> _Ends:
    """All hops from the seeds over pairs, whatever the links; sorted by pair, forward first."""
    ahead = linked.of_chunks(seeds)
    reached, counts = chunk_table.chunks_of(ahead.documents)
    ahead = ahead.where(np.repeat(np.arange(len(ahead)), counts))
    back, place = linked.to_documents(chunk_table.documents[seeds], hub)
    pairs = LinkPairs.joined([ahead, back])
    seed = np.concatenate([ahead.rows, seeds[place]])
    candidate = np.concatenate([reached, back.rows])
    number = pairs.rows * len(chunk_table.iris) + pairs.documents
    order = np.argsort(number, kind="stable")
    order = order[seed[order] != candidate[order]]
    return _Ends(pairs.where(order), number[order], seed[order], candidate[order], order < len(reached))


_NONE: Final = np.zeros(0, np.int64)
NO_HOPS: Final = LinkHops(_NONE, _NONE, np.zeros(0, np.bool_), np.zeros(0), _NONE)


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
        return snapshot.derived(_lookup)

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


def _lookup(snapshot: Snapshot) -> LinkLookup:
    return LinkLookup(ChunkTable.of(snapshot), snapshot.links, snapshot.link_rows)
