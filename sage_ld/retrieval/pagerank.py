"""Personalised PageRank over the graph's edges: a walk that starts anew at the seeds.

    p = (1 − damping) · r + damping · Tᵀ p

r spreads 1 over the seeds in proportion to a power of their fused scores; T has a row a chunk, the weights of
its edges divided by their sum (Haveliwala 2002). The edges of a revision are read from its store once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
from pyoxigraph import QuerySolution
from scipy.sparse import coo_matrix, csr_matrix, diags

from sage_ld.channels import CHANNELS, STRUCTURE_WEIGHT, Channel, WalkTargets
from sage_ld.deadline import Check, unchecked
from sage_ld.graph import Snapshot
from sage_ld.model import DoubleArray, IntArray, PathStep
from sage_ld.rdf_values import number_of, share_of, text_of
from sage_ld.recipes import Retrieval
from sage_ld.retrieval.chunk_table import ChunkTable
from sage_ld.retrieval.expansion import bind, can_follow, expand
from sage_ld.retrieval.inquiry import Inquiry
from sage_ld.store.reading import select

Edges: TypeAlias = Iterator[tuple[int, int, float]]
"""(row, row, weight), each direction by itself."""

TOLERANCE: Final = 1e-6
"""The sum of all changes in a step at which the walk has settled."""
STEPS: Final = 200
LONGEST_PATH: Final = 4
"""Edges of a path that is shown."""
NODE_SHARE: Final = 0.1
"""The weight of an entity, relative to a sure link; the chunks that it leads to share it."""


def walk(
    transitions: csr_matrix, restarts: DoubleArray, damping: float, check: Check = unchecked
) -> DoubleArray:
    """(n,) how often a walk over `transitions` (n, n) is at each row; `restarts` (n,) sum to 1.

    From a chunk without edges the walk starts anew. `check` is called before each of its steps.

    >>> chain = csr_matrix([[0.0, 1.0], [1.0, 0.0]])
    >>> walk(chain, np.array([1.0, 0.0]), 0.5).round(3).tolist()
    [0.667, 0.333]
    """
    back = transitions.T.tocsr()
    found = restarts.copy()
    for _ in range(STEPS):
        check()
        moved = damping * (back @ found)
        after = moved + (1 - moved.sum()) * restarts
        settled = np.abs(after - found).sum() < TOLERANCE
        found = after
        if settled:
            break
    return found


def restarts(hybrid: DoubleArray, seeds: IntArray, power: float) -> DoubleArray:
    """(n,) the share of each seed (rows): its fused score to the given power, over their sum."""
    found = np.zeros(len(hybrid))
    found[seeds] = hybrid[seeds] ** power
    if not found.any():
        found[seeds] = 1.0
    return np.asarray(found / found.sum())


def transitions(snapshot: Snapshot, channels: Sequence[str], given: Retrieval) -> csr_matrix:
    """(n, n) the edges of the channels, each row's weights summing to 1 or, without edges, to 0."""
    key = ("transitions", *sorted(channels), given.hubs, given.link_hub)
    return snapshot.derived(lambda snapshot: _read(snapshot, channels, given), key)


def paths(
    inquiry: Inquiry, matrix: csr_matrix, found: DoubleArray, seeds: IntArray, rows: Sequence[int]
) -> dict[int, tuple[PathStep, ...]]:
    """For each of `rows` the way from a seed on which most of its score came; empty if there is none."""
    back, starts = matrix.T.tocsr(), frozenset(seeds.tolist())
    ways = {row: _way(back, found, starts, row) for row in rows}
    snapshot, given = inquiry.snapshot, inquiry.parameters
    iris = snapshot.vectors.iris
    pairs = {(iris[a], iris[b]) for way in ways.values() for a, b in pairwise(way)}
    strongest: dict[tuple[str, str], PathStep] = {}
    chunks = ChunkTable.of(snapshot).rows
    before = sorted({a for a, _ in pairs})
    for step in expand(snapshot.store, before, inquiry.channels, chunks, given.hubs, inquiry.check):
        pair = (step.seed, step.chunk)
        if pair in pairs and (pair not in strongest or step.weight > strongest[pair].weight):
            strongest[pair] = step
    return {row: tuple(strongest[iris[a], iris[b]] for a, b in pairwise(way)) for row, way in ways.items()}


def _way(back: csr_matrix, found: DoubleArray, starts: frozenset[int], row: int) -> list[int]:
    """The rows from another start to `row`; `row` alone where none is near enough."""
    way = [row]
    while len(way) <= LONGEST_PATH:
        here = slice(back.indptr[way[0]], back.indptr[way[0] + 1])
        before = back.indices[here]
        flow = np.where(np.isin(before, way), 0.0, back.data[here] * found[before])
        if not flow.any():
            break
        way.insert(0, int(before[int(flow.argmax())]))
        if way[0] in starts:
            return way
    return [row]


def _read(snapshot: Snapshot, channels: Sequence[str], given: Retrieval) -> csr_matrix:
    chunk_table = ChunkTable.of(snapshot)
    found = [edge for name in channels for edge in _edges(snapshot, chunk_table, CHANNELS[name], given)]
    size = len(snapshot.vectors.iris)
    columns = np.array(found, np.float64).reshape(-1, 3)
    ends = columns[:, 0].astype(np.int64), columns[:, 1].astype(np.int64)
    matrix = coo_matrix((columns[:, 2], ends), shape=(size, size)).tocsr()
    sums = np.asarray(matrix.sum(axis=1)).ravel()
    return (diags(1 / np.where(sums > 0, sums, 1.0)) @ matrix).tocsr()


def _edges(snapshot: Snapshot, chunk_table: ChunkTable, channel: Channel, given: Retrieval) -> Edges:
    if not can_follow(snapshot.store, channel):
        return iter(())
    rows = select(snapshot.store, bind(channel.walk_query, None, given.hubs))
    return _WALKS[channel.walk_targets](rows, chunk_table, given)


def _to_documents(rows: Iterator[QuerySolution], chunk_table: ChunkTable, given: Retrieval) -> Edges:
    """From a chunk to those of the document that it links to; back, the less the more links lead there."""
    links = []
    for found in rows:
        ends = (
            chunk_table.rows.get(text_of(found["source"])),
            chunk_table.numbers.get(text_of(found["target"])),
        )
        weight = share_of(found["weight"])
        if ends[0] is not None and ends[1] is not None and weight is not None:
            links.append((ends[0], ends[1], weight))
    counts = np.bincount([number for _, number, _ in links], minlength=len(chunk_table.iris))
    for source, number, weight in links:
        for row in chunk_table.chunks(number).tolist():
            if row != source:
                yield source, row, weight
                if counts[number] <= given.link_hub:
                    yield row, source, weight / math.log1p(counts[number])


def _to_chunks(rows: Iterator[QuerySolution], chunk_table: ChunkTable, given: Retrieval) -> Edges:
    """Both ways between two chunks."""
    for row in rows:
        source, target = (chunk_table.rows.get(text_of(row[end])) for end in ("source", "target"))
        weight = STRUCTURE_WEIGHT if row["weight"] is None else share_of(row["weight"])
        if source is not None and target is not None and weight is not None:
            yield source, target, weight
            yield target, source, weight


def _over_nodes(rows: Iterator[QuerySolution], chunk_table: ChunkTable, given: Retrieval) -> Edges:
    """Between chunks that share a node: a part of its inverse document frequency to each other."""
    size = max(len(chunk_table.rows), 2)
    sharing: dict[str, tuple[float, set[int]]] = {}
    for row in rows:
        source, frequency = chunk_table.rows.get(text_of(row["source"])), number_of(row["frequency"])
        if source is not None and frequency is not None and frequency > 1:
            rarity = max(math.log(size / frequency), 0.0)
            weight = NODE_SHARE * rarity / math.log(size) / (frequency - 1)
            sharing.setdefault(str(row["target"]), (weight, set()))[1].add(source)
    for weight, chunks in sharing.values():
        for one in sorted(chunks):
            yield from ((one, other, weight) for other in sorted(chunks) if other != one)


def _ahead(rows: Iterator[QuerySolution], chunk_table: ChunkTable, given: Retrieval) -> Edges:
    """One way from a chunk to another, the less the more ways there are."""
    for row in rows:
        source, target = (chunk_table.rows.get(text_of(row[end])) for end in ("seed", "chunk"))
        ways = number_of(row["ways"])
        if source is not None and target is not None and ways is not None and ways >= 1:
            yield source, target, 1 / ways


_WALKS: Final[Mapping[WalkTargets, Callable[[Iterator[QuerySolution], ChunkTable, Retrieval], Edges]]] = {
    WalkTargets.CHUNKS: _to_chunks,
    WalkTargets.DOCUMENTS: _to_documents,
    WalkTargets.SHARED_NODES: _over_nodes,
    WalkTargets.WAYS: _ahead,
}
