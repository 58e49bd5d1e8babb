"""The best of many scores, in an order that nothing but the scores and the keys decides."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

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
    found = found[np.argsort(-scores[found], kind="stable")]
    ordered = scores[found]
    bounds = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) + 1
    if len(bounds) < len(found):  # some are equal
        for begin, end in pairwise([0, *bounds.tolist()]):
            found[begin:end] = sorted(found[begin:end].tolist(), key=keys.__getitem__)
    return np.asarray(found[:limit], dtype=np.int64)


def ranges(begin: IntArray, counts: IntArray) -> IntArray:
    """The integers of several ranges, one range after another: `counts` (m,) of them from `begin` (m,) on.

    >>> ranges(np.array([7, 3]), np.array([2, 3])).tolist()
    [7, 8, 3, 4, 5]
    """
    return np.repeat(begin - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))
