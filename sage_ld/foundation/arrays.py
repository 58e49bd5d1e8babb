"""Small functions on arrays of vectors and scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray


def unit_rows(vectors: FloatArray) -> FloatArray:
    """Rows of an array (n, d) divided by their length, so that a matrix product is the cosine.

    A row of zeros stays as it is.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def cosine(left: FloatArray, right: FloatArray) -> FloatArray:
    """Cosines (a, b) of unit rows (a, d) and (b, d), kept within -1..1 against rounding."""
    product: FloatArray = left @ right.T
    return np.clip(product, -1.0, 1.0, out=product)


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
