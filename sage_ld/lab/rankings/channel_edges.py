"""The edges of channels over a whole revision, as sparse matrices between its chunks.

They are read from the store once for each revision and choice of channels, of which a few are kept: what a
random walk goes over, and the evidence of each edge, by which paths are measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from pyoxigraph import QuerySolution

from sage_ld.foundation.channels import CHANNELS, STRUCTURE_WEIGHT, Channel, WalkTargets
from sage_ld.foundation.model import DoubleArray
from sage_ld.foundation.rdf_values import number_of, share_of, text_of
from sage_ld.foundation.recipes import Retrieval
from sage_ld.graph import Snapshot
from sage_ld.graph.store.queries import select
from sage_ld.retrieval.channels.expansion import bind, can_follow
from sage_ld.retrieval.channels.relations import NO_RELATIONS, FollowedRelations, kept
from sage_ld.retrieval.chunks.chunk_table import ChunkTable

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

NODE_SHARE: Final = 0.1
"""The weight of an entity in a walk, relative to a sure link; the chunks that it leads to share it."""


Edges: TypeAlias = Iterator[tuple[int, int, float, float]]
"""Edges from one chunk to another, each direction by itself: the rows of both, the walk weight (what a random
walk goes by: the less, the more ways lead on) and the evidence (the weight of a step over it, in 0..1)."""


@dataclass(frozen=True, slots=True)
class EdgeMatrices:
    """The edges of some channels between the n chunks of a revision; rows and columns are chunks."""

    transitions: csr_matrix
    """(n, n) the walk weights, each row's summing to 1 or, without edges, to 0."""
    evidence: csr_matrix
    """(n, n) the strongest evidence of each pair, above 0 and at most 1; none from a chunk to itself."""


def edge_matrices(
    snapshot: Snapshot,
    channels: Sequence[str],
    given: Retrieval,
    relations: FollowedRelations = NO_RELATIONS,
) -> EdgeMatrices:
    """The edges of the channels in a revision: read once, as long as they are among the few that are kept."""
    key = ("edge matrices", *sorted(channels), given.hubs, given.link_hub)
    return kept(snapshot, lambda snapshot: _read(snapshot, channels, given, relations), key, relations)


def _read(
    snapshot: Snapshot, channels: Sequence[str], given: Retrieval, relations: FollowedRelations
) -> EdgeMatrices:
    chunk_table = ChunkTable.of(snapshot)
    followed = [CHANNELS[name] for name in channels]
    edges = [edge for each in followed for edge in _edges(snapshot, chunk_table, each, given, relations)]
    columns = np.array(edges, np.float64).reshape(-1, 4)
    return matrices(columns, len(snapshot.vectors.iris))


def matrices(columns: DoubleArray, size: int) -> EdgeMatrices:
    """The matrices of e edges, (e, 4) as `Edges` has them, between `size` chunks.

    >>> twice = matrices(np.array([[0, 1, 0.5, 0.5], [0, 1, 1.5, 0.9]]), 2)
    >>> float(twice.transitions[0, 1]), float(twice.evidence[0, 1])
    (1.0, 0.9)
    """
    from scipy.sparse import coo_matrix, csr_matrix, diags  # which no ranking by default needs

    ends = columns[:, :2].astype(np.int64)
    weights = coo_matrix((columns[:, 2], (ends[:, 0], ends[:, 1])), shape=(size, size)).tocsr()
    sums = np.asarray(weights.sum(axis=1)).ravel()
    transitions = (diags(1 / np.where(sums > 0, sums, 1.0)) @ weights).tocsr()
    strongest = np.lexsort((-columns[:, 3], ends[:, 1], ends[:, 0]))
    strongest = strongest[(columns[strongest, 3] > 0) & (ends[strongest, 0] != ends[strongest, 1])]
    pairs = ends[strongest]
    first = np.append(True, (pairs[1:] != pairs[:-1]).any(axis=1))[: len(pairs)]
    evidence = columns[strongest[first], 3]
    return EdgeMatrices(
        transitions, csr_matrix((evidence, (pairs[first, 0], pairs[first, 1])), shape=(size, size))
    )


def _edges(
    snapshot: Snapshot,
    chunk_table: ChunkTable,
    channel: Channel,
    given: Retrieval,
    relations: FollowedRelations,
) -> Edges:
    if not can_follow(snapshot.store, channel, relations):
        return iter(())
    rows = select(snapshot.store, bind(channel.walk_query, None, given.hubs, relations))
    return _WALKS[channel.walk_targets](rows, chunk_table, given)


def _to_documents(rows: Iterator[QuerySolution], chunk_table: ChunkTable, given: Retrieval) -> Edges:
    """From a chunk to those of the document that it links to; back, the less the more links lead there."""
    links = []
    for documents in rows:
        ends = (
            chunk_table.rows.get(text_of(documents["source"])),
            chunk_table.numbers.get(text_of(documents["target"])),
        )
        weight = share_of(documents["weight"])
        if ends[0] is not None and ends[1] is not None and weight is not None:
            links.append((ends[0], ends[1], weight))
    counts = np.bincount([number for _, number, _ in links], minlength=len(chunk_table.iris))
    for source, number, weight in links:
        for row in chunk_table.chunks(number).tolist():
            if row != source:
                yield source, row, weight, weight
                if counts[number] <= given.link_hub:
                    yield row, source, weight / math.log1p(counts[number]), weight


def _to_chunks(rows: Iterator[QuerySolution], chunk_table: ChunkTable, given: Retrieval) -> Edges:
    """Both ways between two chunks."""
    for row in rows:
        source, target = (chunk_table.rows.get(text_of(row[end])) for end in ("source", "target"))
        weight = STRUCTURE_WEIGHT if row["weight"] is None else share_of(row["weight"])
        if source is not None and target is not None and weight is not None:
            yield source, target, weight, weight
            yield target, source, weight, weight


def _over_nodes(rows: Iterator[QuerySolution], chunk_table: ChunkTable, given: Retrieval) -> Edges:
    """Between chunks that share a node: a part of its inverse document frequency to each other."""
    size = max(len(chunk_table.rows), 2)
    sharing: dict[str, tuple[float, float, set[int]]] = {}
    for row in rows:
        source, frequency = chunk_table.rows.get(text_of(row["source"])), number_of(row["frequency"])
        if source is not None and frequency is not None and frequency > 1:
            rarity = max(math.log(size / frequency), 0.0)
            weight = NODE_SHARE * rarity / math.log(size) / (frequency - 1)
            told = (weight, rarity / math.log(size), set[int]())
            sharing.setdefault(str(row["target"]), told)[2].add(source)
    for weight, evidence, chunks in sharing.values():
        for one in sorted(chunks):
            others = (other for other in sorted(chunks) if other != one)
            yield from ((one, other, weight, evidence) for other in others)


def _ahead(rows: Iterator[QuerySolution], chunk_table: ChunkTable, given: Retrieval) -> Edges:
    """One way from a chunk to another, the less the more ways there are."""
    spread = math.log(max(len(chunk_table.rows), 2))
    for row in rows:
        source, target = (chunk_table.rows.get(text_of(row[end])) for end in ("seed", "chunk"))
        ways = number_of(row["ways"])
        if source is not None and target is not None and ways is not None and ways >= 1:
            yield source, target, 1 / ways, max(1 - math.log(ways) / spread, 0.0)


def _related(rows: Iterator[QuerySolution], chunk_table: ChunkTable, given: Retrieval) -> Edges:
    """One way from a chunk to another; the rows have the way back, too."""
    for row in rows:
        source, target = (chunk_table.rows.get(text_of(row[end])) for end in ("seed", "chunk"))
        weight, strength = share_of(row["weight"]), share_of(row["strength"])
        if source is not None and target is not None and weight and strength:
            yield source, target, weight * strength, weight * strength


_WALKS: Final[Mapping[WalkTargets, Callable[[Iterator[QuerySolution], ChunkTable, Retrieval], Edges]]] = {
    WalkTargets.CHUNKS: _to_chunks,
    WalkTargets.DOCUMENTS: _to_documents,
    WalkTargets.SHARED_NODES: _over_nodes,
    WalkTargets.WAYS: _ahead,
    WalkTargets.RELATED: _related,
}
