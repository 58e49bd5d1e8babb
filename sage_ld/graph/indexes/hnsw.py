"""Nearest vectors by an HNSW graph (Malkov and Yashunin 2018), for more vectors than exact products serve."""

from __future__ import annotations

from typing import Final

import numpy as np

from sage_ld.foundation.model import FloatArray, IntArray

CONNECTIVITY: Final = 32
EXPANSION: Final = 128


def nearest(queries: FloatArray, vectors: FloatArray, count: int) -> IntArray:
    """(a, count) for each of `queries` (a, d) rows of `vectors` (b, d) with about the highest inner products.

    -1 where there are fewer. Vectors are added by one thread, in order: more threads would make the graph,
    and so the result, depend on their timing.

    >>> nearest(np.eye(3, dtype=np.float32), np.eye(3, dtype=np.float32), 1).ravel().tolist()
    [0, 1, 2]
    """
    from usearch.index import Index, Matches

    index = Index(
        ndim=vectors.shape[1],
        metric="ip",
        dtype="f32",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION,
        expansion_search=max(EXPANSION, 2 * count),
    )
    index.add(np.arange(len(vectors)), vectors, threads=1)
    found = index.search(queries, min(count, len(vectors)))
    several = [found] if isinstance(found, Matches) else list(found)
    result = np.full((len(queries), count), -1, dtype=np.int64)
    for row, matches in enumerate(several):
        result[row, : len(matches)] = matches.keys
    return result
