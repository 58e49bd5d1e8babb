"""Hops over links from and to some chunks, as arrays: what a learned ranking follows and weighs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sage_ld.channels import BACKWARD, FORWARD, LINK
from sage_ld.deadline import Check, each_checked, unchecked
from sage_ld.graph import Snapshot
from sage_ld.indexes.layout import concatenated_ranges
from sage_ld.indexes.positions import TokenRanges
from sage_ld.model import DoubleArray, IntArray, PathStep
from sage_ld.rdf_values import iri_of, share_of, text_of
from sage_ld.retrieval.chunk_table import ChunkTable
from sage_ld.store import queries
from sage_ld.store.reading import select

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
    whose hops have the highest `hop_priority`. `check` is called before what they link to is read, and
    meanwhile.
    """
    at: dict[int, list[int]] = {}
    for row in seeds.tolist():
        at.setdefault(int(chunk_table.documents[row]), []).append(row)
    pairs, hubs = _pairs(snapshot, chunk_table, seeds.tolist(), list(at), hub, check)
    back = {number: rows for number, rows in at.items() if number not in hubs}
    of, seed, candidate, forward = _ends(chunk_table, pairs, seeds, back)
    if not len(of):
        return NO_HOPS
    best = np.full(len(pairs), -np.inf)
    np.maximum.at(best, of, hop_priority(seed, candidate))
    kept = np.sort(np.argsort(-best, kind="stable")[:most])
    rows, numbers = np.array([pairs[number] for number in kept.tolist()], np.int64).T
    links = snapshot.links.between(
        snapshot.link_rows[rows], [chunk_table.iris[each] for each in numbers.tolist()]
    )
    counts = np.zeros(len(pairs), np.int64)
    counts[kept] = links.counts
    first = np.cumsum(counts) - counts
    ends, each = np.repeat(np.arange(len(of)), counts[of]), concatenated_ranges(first[of], counts[of])
    return LinkHops(seed[ends], candidate[ends], forward[ends], links.confidence[each], links.begin[each])


def _ends(
    chunk_table: ChunkTable,
    pairs: Sequence[tuple[int, int]],
    seeds: IntArray,
    back: Mapping[int, Sequence[int]],
) -> tuple[IntArray, IntArray, IntArray, NDArray[np.bool_]]:
    """All hops over pairs of a chunk and a document, whatever the links.

    Shapes (e,): the pair's number, the seed, the candidate, and whether the seed is what links.

    `back` are the seeds in the documents from which links are followed back. Sorted by pair, forward first.
    """
    chosen = frozenset(seeds.tolist())
    ahead = [(pair, *ends) for pair, ends in enumerate(pairs) if ends[0] in chosen]
    behind = [(pair, seed, row) for pair, (row, number) in enumerate(pairs) for seed in back.get(number, ())]
    pair, source, target = np.array(ahead, np.int64).reshape(-1, 3).T
    of, seed, candidate = np.array(behind, np.int64).reshape(-1, 3).T
    reached, counts = chunk_table.chunks_of(target)
    of = np.concatenate([np.repeat(pair, counts), of])
    seed = np.concatenate([np.repeat(source, counts), seed])
    candidate = np.concatenate([reached, candidate])
    order = np.argsort(of, kind="stable")
    order = order[seed[order] != candidate[order]]
    return of[order], seed[order], candidate[order], order < len(reached)


def _pairs(
    snapshot: Snapshot,
    chunk_table: ChunkTable,
    rows: Sequence[int],
    numbers: Sequence[int],
    hub: int,
    check: Check,
) -> tuple[list[tuple[int, int]], set[int]]:
    """The links from some chunks and to some documents, as sorted pairs of row and number.

    And those of the documents that more than `hub` links lead to, of which the latter is not told.
    """
    targets, sources = (
        chunk_table.targets.known(rows),
        chunk_table.sources.known((each, hub) for each in numbers),
    )
    new_rows = {row: list[int]() for row in rows if row not in targets}
    new_numbers = {number: list[int]() for number in numbers if (number, hub) not in sources}
    if new_rows or new_numbers:
        leading: Counter[str] = Counter()
        iris = snapshot.vectors.iris
        text = queries.bind(
            "link_pairs",
            source=(iris[row] for row in new_rows),
            target=(chunk_table.iris[number] for number in new_numbers),
            most=hub + 1,
        )
        check()
        for found in each_checked(select(snapshot.store, text), check):
            row = chunk_table.rows.get(text_of(found["source"]))
            number = chunk_table.numbers.get(target := text_of(found["target"]))
            leading[target] += 1
            if row is None or number is None:  # an update may say it of anything
                continue
            if row in new_rows:
                new_rows[row].append(number)
            if number in new_numbers:
                new_numbers[number].append(row)
        fresh: dict[tuple[int, int], Sequence[int] | None] = {
            (number, hub): None if leading[chunk_table.iris[number]] > hub else ends
            for number, ends in new_numbers.items()
        }
        chunk_table.targets.keep(new_rows)
        chunk_table.sources.keep(fresh)
        targets, sources = targets | new_rows, sources | fresh
    forward = {(row, number) for row, ends in targets.items() for number in ends}
    back = {(row, number) for (number, _), ends in sources.items() for row in ends or ()}
    return sorted(forward | back), {number for (number, _), ends in sources.items() if ends is None}


_NONE: Final = np.zeros(0, np.int64)
NO_HOPS: Final = LinkHops(_NONE, _NONE, np.zeros(0, np.bool_), np.zeros(0), _NONE)
