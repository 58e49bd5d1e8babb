"""The best of many scores, in an order that nothing but the scores and the keys decides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sage_ld.model import DoubleArray, FloatArray, IntArray


def best(
    scores: FloatArray | DoubleArray, keys: Sequence[str], limit: int, above: float = -np.inf
) -> IntArray:
    """Positions of the `limit` highest scores over `above`, highest first; equal scores in order of key.

    >>> best(np.array([1, 3, 3, 0], np.float32), ["d", "c", "b", "a"], 2).tolist()
    [2, 1]
    """
    if limit <= 0:
        return np.empty(0, np.int64)
    if limit < len(scores):
        cut = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        found = np.flatnonzero((scores >= cut) & (scores > above))
    else:
        found = np.flatnonzero(scores > above)
    order = sorted(found.tolist(), key=lambda row: (-scores[row], keys[row]))
    return np.array(order[:limit], dtype=np.int64)
