"""The rankings of SageDB: vector seeds, what the graph leads to from them, and a score of cosine and graph.

`sagedb` is its hybrid search, `sagedb-graph` goes by the graph alone, `sagedb-vector` by the cosine alone;
`sagedb-legacy` brings the vector seeds into another order, as its first version did.

Candidates are numbered from 0 to c - 1; a trail is a shortest way from a seed to a candidate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sage_ld.foundation.arrays import top_k
from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.foundation.recipes import Centrality
from sage_ld.lab.rankings import pagerank
from sage_ld.lab.rankings.channel_edges import EdgeMatrices, edge_matrices
from sage_ld.lab.rankings.pagerank import strongest_steps
from sage_ld.lab.rankings.trails import Trails, trails
from sage_ld.retrieval.channels.relations import kept
from sage_ld.retrieval.rankings.features import DECIMALS
from sage_ld.retrieval.rankings.method import Inquiry, Order, Paths, Ranked, Reach, flat, parts
from sage_ld.retrieval.scoring.scores import Scores, min_max, relative
from sage_ld.retrieval.scoring.section_tree import SectionPart

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def connectivity(
    candidate: IntArray, distance: DoubleArray, seed_score: DoubleArray, count: int
) -> DoubleArray:
    """(c,) how near each candidate is to the seeds: exp(−mean distance), the mean weighted by their scores.

    Each of the t trails has a candidate, a distance and the score of its seed. A candidate that no trail
    leads to has 0. Of a candidate all of whose seeds have the score 0, each seed counts alike.

    >>> connectivity(np.zeros(3, int), np.array([1.0, 1.1, 1.05]), np.ones(3), 1).round(2).tolist()
    [0.35]
    """
    weight = np.maximum(seed_score, 0.0)
    total = np.bincount(candidate, weight, count)
    weight = np.where(total[candidate] > 0, weight, 1.0)
    total = np.bincount(candidate, weight, count)
    mean = np.bincount(candidate, weight * distance, count) / np.where(total > 0, total, 1.0)
    return np.asarray(np.where(total > 0, np.exp(-mean), 0.0))


def nearness(candidate: IntArray, distance: DoubleArray, count: int) -> DoubleArray:
    """(c,) how near each candidate is to its nearest seed: exp(−distance); 0 where no trail leads to it.

    >>> nearness(np.array([0, 0, 1]), np.array([2.0, 1.0, 3.0]), 3).round(3).tolist()
    [0.368, 0.05, 0.0]
    """
    least = np.full(count, np.inf)
    np.minimum.at(least, candidate, distance)
    return np.asarray(np.exp(-least))


def degree_centrality(edges: csr_matrix) -> DoubleArray:
    """(n,) the edges of each of n nodes, in and out, over the most that one has.

    >>> from scipy.sparse import csr_matrix
    >>> degree_centrality(csr_matrix(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]))).tolist()
    [1.0, 0.5, 0.5]
    """
    degrees = np.diff(edges.indptr) + np.bincount(edges.indices, minlength=edges.shape[0])
    return np.asarray(degrees / max(int(degrees.max(initial=0)), 1))


def relationship(edges: csr_matrix, candidates: IntArray, seeds: IntArray) -> DoubleArray:
    """(c,) the weight of the strongest edge between each candidate (row) and any seed (row); 0 for none."""
    there = edges[candidates][:, seeds].max(axis=1).toarray().ravel()
    back = edges[seeds][:, candidates].max(axis=0).toarray().ravel()
    return np.asarray(np.maximum(there, back), np.float64)


def weighted(
    vector: DoubleArray, graph: DoubleArray, vector_weight: float, graph_weight: float
) -> DoubleArray:
    """(c,) both scores as one: their weights need not sum to 1.

    >>> weighted(np.array([1.0, 0.74]), np.array([0.65, 0.57]), 0.7, 0.3).round(3).tolist()
    [0.895, 0.689]
    """
    total = vector_weight + graph_weight
    return np.asarray((vector_weight * vector + graph_weight * graph) / (total or 1.0))


@dataclass(frozen=True, slots=True)
class SageDBCandidates:
    """The c candidates of a question, with the parts of their scores; arrays are (c,) where not said else."""

    question: Scores
    rows: IntArray
    trails: Trails
    scores: Mapping[str, DoubleArray]
    """`vector` (the cosine, brought to 0..1 over the candidates), `graph`, and what that is made of."""
    first: IntArray
    """(k,) the rows of the first seeds."""


def order(inquiry: Inquiry, seed_count: int, neighbours: int) -> Order:
    """The `seed_count + neighbours` best candidates by cosine and graph score; there may be fewer candidates.

    A seed is what is among the first `seed_count` by cosine, or what no edge leads to.
    """
    candidates, given = _expanded(inquiry, seed_count), inquiry.parameters
    weights = given.vector_weight, given.graph_weight
    score = weighted(candidates.scores["vector"], candidates.scores["graph"], *weights)
    return _ordered(inquiry, candidates, score, seed_count + neighbours)


def order_by_graph(inquiry: Inquiry, seed_count: int, neighbours: int) -> Order:
    """The `seed_count + neighbours` best candidates of `order` by their graph scores alone."""
    candidates = _expanded(inquiry, seed_count)
    return _ordered(inquiry, candidates, candidates.scores["graph"], seed_count + neighbours)


def order_legacy(inquiry: Inquiry, seed_count: int, neighbours: int) -> Order:
    """The `seed_count + neighbours` best of the vector seeds by cosine and an older graph score.

    That takes the distance to the nearest other seed, not the mean over all of them.
    """
    question, given = inquiry.scores(), inquiry.parameters
    rows, _ = _seeds(inquiry, question, seed_count)
    matrices = edge_matrices(inquiry.snapshot, inquiry.channels, given, inquiry.relations)
    trail = trails(matrices.evidence, rows, given.expansion_depth, question.allowed, inquiry.check)
    place = _places(trail.row, rows)
    others = trail.shortest[(place >= 0)[trail.shortest] & (trail.seed != place)[trail.shortest]]
    near = nearness(place[others], trail.distance[others], len(rows))
    central = _centrality(inquiry, question, matrices, rows)[rows]
    share = given.legacy_connectivity
    scores = {
        "vector": min_max(question.dense[rows]),
        "graph": share * near + (1 - share) * central,
        "connectivity": near,
        "centrality": central,
    }
    candidates = SageDBCandidates(question, rows, trail, scores, rows[:seed_count])
    weights = given.vector_weight, given.graph_weight
    score = weighted(scores["vector"], scores["graph"], *weights)
    return _ordered(inquiry, candidates, score, seed_count + neighbours)


def order_by_vector(inquiry: Inquiry, seed_count: int, neighbours: int) -> Order:
    """The first `seed_count + neighbours` chunks by cosine."""
    question = inquiry.scores()
    return Order(flat(question, question.dense, inquiry.snapshot.vectors.iris, seed_count + neighbours))


def reach(inquiry: Inquiry, seed_count: int) -> Reach:
    """The vector seeds, and the other candidates, to which the graph leads from the first of them."""
    question, given = inquiry.scores(), inquiry.parameters
    rows, expanded = _seeds(inquiry, question, seed_count)
    matrices = edge_matrices(inquiry.snapshot, inquiry.channels, given, inquiry.relations)
    trail = trails(matrices.evidence, expanded, given.expansion_depth, question.allowed, inquiry.check)
    return Reach(rows, np.setdiff1d(trail.row, rows))


def reach_seeds(inquiry: Inquiry, seed_count: int) -> Reach:
    """The vector seeds, beyond which the graph leads nowhere."""
    rows, _ = _seeds(inquiry, inquiry.scores(), seed_count)
    return Reach(rows, np.zeros(0, np.int64))


def _seeds(inquiry: Inquiry, question: Scores, seed_count: int) -> tuple[IntArray, IntArray]:
    """The rows of the vector seeds, and of those from which the graph is followed; best first."""
    given = inquiry.parameters
    rows = question.best(question.dense, inquiry.snapshot.vectors.iris, max(given.vector_seeds, seed_count))
    if question.allowed is not None:
        rows = rows[question.allowed[rows]]
    return rows, rows[: given.expanded_seeds]


def _expanded(inquiry: Inquiry, seed_count: int) -> SageDBCandidates:
    """The vector seeds and what the graph leads to from the first of them, with all their scores."""
    question, given = inquiry.scores(), inquiry.parameters
    seeds, expanded = _seeds(inquiry, question, seed_count)
    matrices = edge_matrices(inquiry.snapshot, inquiry.channels, given, inquiry.relations)
    trail = trails(matrices.evidence, expanded, given.expansion_depth, question.allowed, inquiry.check)
    rows = np.unique(np.concatenate([seeds, trail.row]))
    best = trail.shortest
    near = connectivity(
        np.searchsorted(rows, trail.row[best]),
        trail.distance[best],
        question.dense[expanded].astype(np.float64)[trail.seed[best]],
        len(rows),
    )
    inquiry.check()
    central = _centrality(inquiry, question, matrices, expanded)[rows]
    direct = relationship(matrices.evidence, rows, expanded)
    inquiry.check()
    scores = {
        "vector": min_max(question.dense[rows]),
        "graph": given.connectivity_weight * near
        + given.centrality_weight * central
        + given.relationship_weight * direct,
        "connectivity": near,
        "centrality": central,
        "relationship": direct,
    }
    return SageDBCandidates(question, rows, trail, scores, seeds[:seed_count])


def _centrality(inquiry: Inquiry, question: Scores, matrices: EdgeMatrices, seeds: IntArray) -> DoubleArray:
    """(n,) the importance of every chunk; the highest is 1."""
    given, snapshot = inquiry.parameters, inquiry.snapshot
    if given.centrality is Centrality.PAGERANK:
        return pagerank.global_rank(snapshot, inquiry.channels, given, inquiry.relations)
    if given.centrality is Centrality.DEGREE:
        key = ("degrees", *sorted(inquiry.channels), given.hubs, given.link_hub)
        degrees = partial(degree_centrality, matrices.evidence)
        return kept(snapshot, lambda _: degrees(), key, inquiry.relations)
    shares = pagerank.restarts(np.maximum(question.dense, 0).astype(np.float64), seeds, 1.0)
    walked = pagerank.walk(matrices.transitions, shares, given.centrality_damping, inquiry.check)
    return relative(walked)


def _ordered(inquiry: Inquiry, candidates: SageDBCandidates, score: DoubleArray, count: int) -> Order:
    """The `count` best candidates by `score`."""
    iris, sections = inquiry.snapshot.vectors.iris, SectionPart.of(inquiry)
    score = sections.blended(score, candidates.rows)
    best = top_k(score, [iris[row] for row in candidates.rows.tolist()], count).tolist()
    results = []
    for place in best:
        row = int(candidates.rows[place])
        score_parts = {
            name: round(float(values[place]), DECIMALS) for name, values in candidates.scores.items()
        }
        told = parts(candidates.question, row) | score_parts | sections.said(row)
        results.append(Ranked(iris[row], float(score[place]), told))
    return Order(results, partial(_paths, inquiry, candidates))


def _paths(inquiry: Inquiry, candidates: SageDBCandidates, iris: Sequence[str]) -> Paths:
    """For each of some chunks that is no first seed the shortest way from another, if there is one."""
    ways, vectors = candidates.trails, inquiry.snapshot.vectors
    wanted = np.setdiff1d(vectors.rows(iris), candidates.first)
    leading = ways.shortest[(ways.previous >= 0)[ways.shortest] & np.isin(ways.row, wanted)[ways.shortest]]
    nearest: dict[int, list[int]] = {}
    for number in leading[np.argsort(ways.distance[leading], kind="stable")].tolist():
        if (row := int(ways.row[number])) not in nearest:
            nearest[row] = ways.rows_of(number)
    pairs = {row: list(pairwise(way)) for row, way in nearest.items()}
    steps = strongest_steps(inquiry, {pair for way in pairs.values() for pair in way})
    return {
        vectors.iris[row]: tuple(steps[pair] for pair in way)
        for row, way in pairs.items()
        if all(pair in steps for pair in way)
    }


def _places(rows: IntArray, among: IntArray) -> IntArray:
    """(t,) the place of each row among others, each there once; -1 for one that is not there."""
    order = np.argsort(among)
    at = np.minimum(np.searchsorted(among[order], rows), len(among) - 1)
    return np.where(among[order][at] == rows, order[at], -1)
