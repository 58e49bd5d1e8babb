"""Top-k selection: the best of many scores, in an order that only scores and keys decide."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray


def top_k(
    scores: FloatArray | DoubleArray,
    keys: Sequence[str] | Sequence[tuple[float, str]],
    limit: int,
    above: float = -np.inf,
) -> IntArray:
    """Positions of the `limit` highest scores over `above`, highest first; equal scores in order of key.

    >>> top_k(np.array([1, 3, 3, 0], np.float32), ["d", "c", "b", "a"], 2).tolist()
    [2, 1]
    """
    if limit <= 0:
        return np.empty(0, np.int64)
    if limit < len(scores):
        cut = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        candidates = np.flatnonzero((scores >= cut) & (scores > above))
    else:
        candidates = np.flatnonzero(scores > above)
    candidates = candidates[np.argsort(-scores[candidates], kind="stable")]
    ordered = scores[candidates]
    bounds = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) + 1
    if len(bounds) < len(candidates):  # some are equal
        for begin, end in pairwise([0, *bounds.tolist()]):
            candidates[begin:end] = sorted(candidates[begin:end].tolist(), key=keys.__getitem__)
    return np.asarray(candidates[:limit], dtype=np.int64)
