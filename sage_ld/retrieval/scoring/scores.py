"""Scores of all chunks for a question, as functions of arrays; shapes (n,), one value a chunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.arrays import top_k
from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray
from sage_ld.foundation.recipes import Fusion

RRF_K = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""
_HIGHEST_OF_OTHERS: Final = 0.999
"""The score that no chunk exceeds where another has exactly what the question identifies."""


@dataclass(frozen=True, slots=True)
class Scores:
    """All chunks' scores for a question, shapes (n,), in the row order of the vector index."""

    bm25: FloatArray
    dense: FloatArray
    hybrid: DoubleArray
    allowed: NDArray[np.bool_] | None
    """(n,) which chunks may be ranked; None: all."""
    identified: NDArray[np.bool_] | None
    """(n,) which chunks hold the identifiers of the question; None where it names none."""

    def best(self, scores: FloatArray | DoubleArray, iris: Sequence[str], count: int) -> IntArray:
        """The rows of the `count` highest of `scores` (n,) that may be ranked, highest first."""
        return best_rows(scores, self.allowed, iris, count)


def with_identified_first(scores: DoubleArray, identified: NDArray[np.bool_] | None) -> DoubleArray:
    """`scores` (n,) in 0..1, of which the best that holds what the question identifies is the highest.

    >>> with_identified_first(np.array([1.0, 0.2, 0.4]), np.array([False, True, True])).tolist()
    [0.999, 0.2, 1.0]
    """
    if identified is None or not identified.any():
        return scores
    lifted = np.minimum(scores, _HIGHEST_OF_OTHERS)
    lifted[np.argmax(np.where(identified, scores, -np.inf))] = 1.0
    return lifted


def best_rows(
    scores: FloatArray | DoubleArray, allowed: NDArray[np.bool_] | None, iris: Sequence[str], count: int
) -> IntArray:
    """The rows of the `count` highest of `scores` (n,) where `allowed` (n,), None for all; highest first."""
    return top_k(scores if allowed is None else np.where(allowed, scores, -np.inf), iris, count)


def min_max(scores: FloatArray) -> DoubleArray:
    """`scores` moved and scaled to 0..1; zeros if all are equal.

    >>> min_max(np.array([1, 2, 3], np.float32)).tolist()
    [0.0, 0.5, 1.0]
    """
    values = scores.astype(np.float64)
    if not len(values) or (spread := values.max() - values.min()) <= 0:
        return np.zeros(len(values))
    return np.asarray((values - values.min()) / spread)


def relative(values: DoubleArray) -> DoubleArray:
    """(n,) `values`, none below 0, divided by the highest of them.

    >>> relative(np.array([1.0, 4.0])).tolist()
    [0.25, 1.0]
    """
    return np.asarray(values / max(float(values.max(initial=0.0)), 1e-12))


def by_level(scores: DoubleArray, hybrid: DoubleArray) -> DoubleArray:
    """Numbers in the order of `scores`, and among equal ones in that of `hybrid`, which is in 0..1.

    >>> by_level(np.array([0.5, 0.5, 0.9]), np.array([0.2, 1.0, 0.0])).tolist()
    [0.1, 0.5, 1.0]
    """
    _, levels = np.unique(scores, return_inverse=True)
    return np.asarray(levels + hybrid / 2)


def convex(bm25: FloatArray, dense: FloatArray, bm25_weight: float) -> DoubleArray:
    """The convex sum of both scores after min-max normalisation (Bruch, Gai and Ingber 2022)."""
    return bm25_weight * min_max(bm25) + (1 - bm25_weight) * min_max(dense)


def reciprocal_rank(bm25: FloatArray, dense: FloatArray, bm25_weight: float) -> DoubleArray:
    """Reciprocal rank fusion of both rankings, scaled so that a chunk that is first in both has 1.

    Chunks of one score share the best of their ranks; one that holds no term is in no place of BM25's.

    >>> some, none = np.array([2, 2, 0], np.float32), np.zeros(3, np.float32)
    >>> reciprocal_rank(some, none, 1.0).tolist()
    [1.0, 1.0, 0.0]
    """
    lexical = np.where(bm25 > 0, _reciprocal(bm25), 0.0)
    return np.asarray((bm25_weight * lexical + (1 - bm25_weight) * _reciprocal(dense)) * (RRF_K + 1))


def _reciprocal(scores: FloatArray) -> DoubleArray:
    ranks = np.searchsorted(np.sort(-scores), -scores) + 1
    return np.asarray(1 / (RRF_K + ranks))


FUSIONS = {Fusion.CONVEX: convex, Fusion.RRF: reciprocal_rank}
