"""The ranking `pagerank`: chunks by their own score and a random walk from the seeds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix, diags

from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.lab.rankings import pagerank
from sage_ld.lab.rankings.channel_edges import edge_matrices
from sage_ld.retrieval.rankings.features import DECIMALS
from sage_ld.retrieval.rankings.method import Inquiry, Order, Paths, Ranked, Reach, parts
from sage_ld.retrieval.scoring.scores import Scores
from sage_ld.retrieval.scoring.section_tree import SectionPart


def order(inquiry: Inquiry, k: int, neighbours: int) -> Order:
    """The `k + neighbours` best by their own scores and a walk from the `pool` first of the flat ranking.

    A seed is what is among the first `k` of the flat ranking, what the walk mostly starts at, not arrives at,
    or what it does not reach. Its part `graph` is the walk's share in the score, over the highest. Of the
    score, `global_share` is the chunk's PageRank whatever is asked.
    """
    snapshot, given, question = inquiry.snapshot, inquiry.parameters, inquiry.scores()
    iris, count = snapshot.vectors.iris, k + neighbours
    first = question.best(question.hybrid, iris, max(given.pool, k))
    starts = first[: given.pool]
    matrix, shares, visits = _walk(inquiry, question, starts)
    own = question.hybrid / max(float(question.hybrid[first[0]]), 1e-9)
    arrived = visits / max(float(visits.max()), 1e-9)
    scores = (1 - given.walk_share) * own + given.walk_share * arrived
    if given.global_share:
        importance = pagerank.global_rank(snapshot, inquiry.channels, given, inquiry.relations)
        scores = (1 - given.global_share) * scores + given.global_share * importance
    sections = SectionPart.of(inquiry)
    scores = sections.blended(scores)
    rows = question.best(scores, iris, count).tolist()
    started = np.flatnonzero(2 * (1 - given.damping) * shares > visits)
    seeds = frozenset([*first[:k].tolist(), *started.tolist()])
    results = []
    for row in rows:
        score_parts = parts(question, row) | sections.said(row)
        if arrived[row] > 0:
            score_parts["graph"] = round(float(arrived[row]), DECIMALS)
        results.append(Ranked(iris[row], float(scores[row]), score_parts))

    def paths(shown: Sequence[str]) -> Paths:
        reached = [row for row in snapshot.vectors.rows(shown).tolist() if row not in seeds]
        ways = pagerank.paths(inquiry, matrix, visits, starts, reached)
        return {iris[row]: path for row, path in ways.items()}

    return Order(results, paths)


def reach(inquiry: Inquiry, _k: int) -> Reach:
    """The rows that `order` starts from, whatever `k` is, and all rows that the walk may reach."""
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
        kept = diags(question.allowed.astype(np.float64))
        matrix = (kept @ matrix @ kept).tocsr()
    shares = pagerank.restarts(question.hybrid, starts, given.restart_power)
    return matrix, shares, pagerank.walk(matrix, shares, given.damping, inquiry.check)
