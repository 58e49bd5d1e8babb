"""SageDB's graph score, part by part, as functions of arrays; `docs/ranking.md` gives the formulas.

Candidates are numbered from 0 to c - 1; a trail is a shortest way from a seed to a candidate.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from sage_ld.foundation.model import DoubleArray, IntArray


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
