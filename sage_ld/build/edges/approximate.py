"""Approximate nearest chunks by an index, for kinds of so many chunks that exact products cost more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

import numpy as np

from sage_ld.build.edges.scan import Scan, ScannedPairs
from sage_ld.build.edges.signals import Nearest
from sage_ld.foundation.edge_kinds import ENTITY
from sage_ld.foundation.model import FloatArray, IntArray

ROWS: Final = 10_000
"""Chunks whose pairs are compared at once."""
SPARE: Final = 16
"""Neighbours asked for beyond the candidates: the chunk itself and others of its document drop out."""


def search(scan: Scan, near: IntArray, index: Nearest) -> Iterator[ScannedPairs]:
    """As `exact.search`, but for what the index misses: the signals of the pairs it finds are exact.

    The index holds for each chunk the vectors of all signals one after another, so that one inner product
    is the weighted sum; `entitySimilarity`, which compares no vectors, has no say in who is near, and
    a negative cosine counts as it is.
    """
    far = scan.far_vectors()
    columns = index(_stacked(scan, near), np.hstack(list(far.values())), scan.edges.candidates + SPARE)
    for begin in range(0, len(near), ROWS):
        yield _found(scan, near[begin : begin + ROWS], columns[begin : begin + ROWS], far)


def _stacked(scan: Scan, near: IntArray) -> FloatArray:
    """(a, sum of d) the near side's vectors, each times its signal's share."""
    parts = [
        np.float32(scan.rule.signals[signal]) * scan.near_vectors(signal, near) for signal in scan.compared()
    ]
    return np.hstack(parts)


def _found(scan: Scan, near: IntArray, columns: IntArray, far: Mapping[str, FloatArray]) -> ScannedPairs:
    rows = np.repeat(np.arange(len(near)), columns.shape[1])
    cells, is_nearest = columns.ravel(), np.ones(columns.size, np.bool_)
    if scan.rule.keep_shared_entity:
        more_rows, more_cells = scan.chunks.shared.sharing(near, scan.far)
        rows, cells = np.append(rows, more_rows), np.append(cells, more_cells)
        is_nearest = np.append(is_nearest, np.zeros(len(more_rows), np.bool_))
    own = scan.owners()
    kept = np.flatnonzero((cells >= 0) & (own[near[rows]] != own[scan.far[cells]]))
    kept = kept[np.argsort(rows[kept], kind="stable")]
    rows, cells, is_nearest = rows[kept], cells[kept], is_nearest[kept]
    signals = np.stack(
        [_values(scan, signal, near, rows, cells, far) for signal in scan.rule.signals], axis=1
    )
    sums = np.round(signals @ np.array(list(scan.rule.signals.values()), np.float32), 6)
    chosen = ~is_nearest | _among_best(rows, cells, np.where(is_nearest, sums, 0), scan.edges.candidates)
    return ScannedPairs(
        near[rows][chosen],
        scan.far[cells][chosen],
        signals[chosen],
        is_nearest[chosen],
        np.zeros(0, np.float32),
    )


def _values(
    scan: Scan, signal: str, near: IntArray, rows: IntArray, cells: IntArray, far: Mapping[str, FloatArray]
) -> FloatArray:
    """(k,) one signal of each pair, `rows` ascending: one product for each row with all its pairs."""
    if signal == ENTITY:
        return scan.chunks.shared.pairs(near[rows], scan.far[cells]).astype(np.float32)
    values = np.zeros(len(rows), np.float32)
    if signal in far:
        vectors = scan.near_vectors(signal, near)
        begins = np.searchsorted(rows, np.arange(len(near) + 1))
        for row, (begin, end) in enumerate(pairwise(begins.tolist())):
            here = far[signal][cells[begin:end]]
            values[begin:end] = scan.chunks.similarity(vectors[row : row + 1], here)[0]
    return np.clip(values, 0.0, 1.0)


def _among_best(
    rows: IntArray, cells: IntArray, sums: FloatArray, count: int
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether a pair's sum is over 0 and among the `count` highest of its row; equal ones by column."""
    order = np.lexsort((cells, -sums, rows))
    rank = np.empty(len(rows), np.int64)
    rank[order] = np.arange(len(rows)) - np.searchsorted(rows, rows)[order]
    return (rank < count) & (sums > 0)
