"""The weight of `sage:next`: how similar each chunk of a document is to the one that follows it."""

from __future__ import annotations

import numpy as np

from sage_ld.build.edges.signals import Similarity, clipped
from sage_ld.foundation.model import DoubleArray, FloatArray

BLOCK = 256
"""Rows compared at once: only the diagonal of each block is used, so small blocks waste little."""


def next_weights(vectors: FloatArray, similarity: Similarity) -> DoubleArray:
    """(n - 1,) the similarity of rows 0 and 1, 1 and 2 and so on of `vectors` (n, d), in 0..1.

    >>> next_weights(np.eye(2, dtype=np.float32)[[0, 0, 1]], lambda a, b: a @ b.T).tolist()
    [1.0, 0.0]
    """
    left, right = vectors[:-1], vectors[1:]
    parts = [
        np.diagonal(similarity(left[begin : begin + BLOCK], right[begin : begin + BLOCK]))
        for begin in range(0, len(left), BLOCK)
    ]
    return clipped(np.concatenate([np.zeros(0, np.float32), *parts]))
