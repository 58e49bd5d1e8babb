"""Personalised PageRank over the graph's edges: a walk that restarts at the seeds.

    p = (1 − damping) · r + damping · Tᵀ p

r spreads 1 over the seeds in proportion to a power of their fused scores; T has a row a chunk, the weights of
its edges divided by their sum (Haveliwala 2002). The edges of a revision are read from its store once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import DoubleArray, IntArray, PathStep
from sage_ld.foundation.recipes import Retrieval
from sage_ld.graph import Snapshot
from sage_ld.lab.rankings.channel_edges import edge_matrices
from sage_ld.retrieval.channels.expansion import expand
from sage_ld.retrieval.channels.relations import NO_RELATIONS, FollowedRelations, kept
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.retrieval.rankings.features import DECIMALS
from sage_ld.retrieval.rankings.method import Inquiry, Order, Paths, Ranked, Reach, parts
from sage_ld.retrieval.scoring.scores import Scores, relative
from sage_ld.retrieval.scoring.section_tree import SectionPart

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

TOLERANCE: Final = 1e-6
"""The sum of all changes in a step at which the walk has settled."""
STEPS: Final = 200
LONGEST_PATH: Final = 4
"""Edges of a path that is shown."""


def walk(
    transitions: csr_matrix, restarts: DoubleArray, damping: float, check: Check = unchecked
) -> DoubleArray:
    """(n,) how often a walk over `transitions` (n, n) is at each row; `restarts` (n,) sum to 1.

    From a chunk without edges the walk restarts. `check` is called before each of its steps.

    >>> from scipy.sparse import csr_matrix
    >>> chain = csr_matrix([[0.0, 1.0], [1.0, 0.0]])
    >>> walk(chain, np.array([1.0, 0.0]), 0.5).round(3).tolist()
    [0.667, 0.333]
    """
    back = transitions.T.tocsr()
    visits = restarts.copy()
    for _ in range(STEPS):
        check()
        moved = damping * (back @ visits)
        after = moved + (1 - moved.sum()) * restarts
        settled = np.abs(after - visits).sum() < TOLERANCE
        visits = after
        if settled:
            break
    return visits


def restarts(hybrid: DoubleArray, seeds: IntArray, power: float) -> DoubleArray:
    """(n,) the share of each seed (rows): its fused score to the given power, over their sum."""
    shares = np.zeros(len(hybrid))
    shares[seeds] = hybrid[seeds] ** power
    if not shares.any():
        shares[seeds] = 1.0
    return np.asarray(shares / shares.sum())


def global_rank(
    snapshot: Snapshot,
    channels: Sequence[str],
    given: Retrieval,
    relations: FollowedRelations = NO_RELATIONS,
) -> DoubleArray:
    """(n,) the PageRank of each chunk over the edges of the channels, whatever is asked; the highest is 1.

    It is computed, with `given.centrality_damping`, once for each of the few choices that are kept.
    """
    damping = given.centrality_damping
    key = ("global rank", *sorted(channels), given.hubs, given.link_hub, damping)

    def make(snapshot: Snapshot) -> DoubleArray:
        matrix = edge_matrices(snapshot, channels, given, relations).transitions
        return relative(walk(matrix, np.full(matrix.shape[0], 1 / matrix.shape[0]), damping))

    return kept(snapshot, make, key, relations)


def paths(
    inquiry: Inquiry, matrix: csr_matrix, visits: DoubleArray, seeds: IntArray, rows: Sequence[int]
) -> dict[int, tuple[PathStep, ...]]:
    """For each of `rows` the way from a seed on which most of its score came; empty if there is none."""
    back, starts = matrix.T.tocsr(), frozenset(seeds.tolist())
    ways = {row: _way(back, visits, starts, row) for row in rows}
    steps = strongest_steps(inquiry, {pair for way in ways.values() for pair in pairwise(way)})
    return {row: tuple(steps[pair] for pair in pairwise(way)) for row, way in ways.items()}


def strongest_steps(inquiry: Inquiry, pairs: Collection[tuple[int, int]]) -> dict[tuple[int, int], PathStep]:
    """The strongest hop between the two rows of each pair, of those pairs that have one."""
    snapshot, channels, hubs = inquiry.snapshot, inquiry.channels, inquiry.parameters.hubs
    iris, chunks = snapshot.vectors.iris, ChunkTable.of(snapshot).rows
    strongest: dict[tuple[int, int], PathStep] = {}
    before = sorted({iris[source] for source, _ in pairs})
    relations = inquiry.relations
    for step in expand(snapshot.store, before, channels, chunks, hubs, inquiry.check, relations):
        pair = chunks[step.seed], chunks[step.chunk]
        if pair in pairs and (pair not in strongest or step.weight > strongest[pair].weight):
            strongest[pair] = step
    return strongest


def _way(back: csr_matrix, visits: DoubleArray, starts: frozenset[int], row: int) -> list[int]:
    """The rows from another start to `row`; `row` alone where none is near enough."""
    way = [row]
    while len(way) <= LONGEST_PATH:
        here = slice(back.indptr[way[0]], back.indptr[way[0] + 1])
        before = back.indices[here]
        flow = np.where(np.isin(before, way), 0.0, back.data[here] * visits[before])
        if not flow.any():
            break
        way.insert(0, int(before[int(flow.argmax())]))
        if way[0] in starts:
            return way
    return [row]


def order(inquiry: Inquiry, seed_count: int, neighbours: int) -> Order:
    """The best by their own scores and a walk from the `pool` first of the flat ranking.

    A seed is what is among the first of the flat ranking, what the walk mostly starts at, not arrives at,
    or what it does not reach. Its part `graph` is the walk's share in the score, over the highest. Of the
    score, `global_share` is the chunk's PageRank whatever is asked.
    """
    snapshot, given, question = inquiry.snapshot, inquiry.parameters, inquiry.scores()
    iris, count = snapshot.vectors.iris, seed_count + neighbours
    first = question.best(question.hybrid, iris, max(given.pool, seed_count))
    starts = first[: given.pool]
    matrix, shares, visits = _walk(inquiry, question, starts)
    own = question.hybrid / max(float(question.hybrid[first[0]]), 1e-9)
    arrived = visits / max(float(visits.max()), 1e-9)
    scores = (1 - given.walk_share) * own + given.walk_share * arrived
    if given.global_share:
        importance = global_rank(snapshot, inquiry.channels, given, inquiry.relations)
        scores = (1 - given.global_share) * scores + given.global_share * importance
    sections = SectionPart.of(inquiry)
    scores = sections.blended(scores)
    rows = question.best(scores, iris, count).tolist()
    started = np.flatnonzero(2 * (1 - given.damping) * shares > visits)
    seeds = frozenset([*first[:seed_count].tolist(), *started.tolist()])
    results = []
    for row in rows:
        score_parts = parts(question, row) | sections.said(row)
        if arrived[row] > 0:
            score_parts["graph"] = round(float(arrived[row]), DECIMALS)
        results.append(Ranked(iris[row], float(scores[row]), score_parts))

    def shown_paths(shown: Sequence[str]) -> Paths:
        reached = [row for row in snapshot.vectors.rows(shown).tolist() if row not in seeds]
        ways = paths(inquiry, matrix, visits, starts, reached)
        return {iris[row]: path for row, path in ways.items()}

    return Order(results, shown_paths)


def reach(inquiry: Inquiry, _seed_count: int) -> Reach:
    """The rows that `order` starts from, whatever `seed_count` is, and all rows that the walk may reach."""
    question, iris = inquiry.scores(), inquiry.snapshot.vectors.iris
    starts = question.best(question.hybrid, iris, inquiry.parameters.pool)
    *_, visits = _walk(inquiry, question, starts)
    return Reach(starts, np.setdiff1d(np.flatnonzero(visits), starts))


def _walk(
    inquiry: Inquiry, question: Scores, starts: IntArray
) -> tuple[csr_matrix, DoubleArray, DoubleArray]:
    """The edges between chunks that may be ranked; (n,) how often a walk starts at each, and is there."""
    given = inquiry.parameters
    matrix = edge_matrices(inquiry.snapshot, inquiry.channels, given, inquiry.relations).transitions
    if question.allowed is not None:
        from scipy.sparse import diags

        ranked = diags(question.allowed.astype(np.float64))
        matrix = (ranked @ matrix @ ranked).tocsr()
    shares = restarts(question.hybrid, starts, given.restart_power)
    return matrix, shares, walk(matrix, shares, given.damping, inquiry.check)
