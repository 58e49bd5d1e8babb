"""Exact nearest chunks by matrix products, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from sage_ld.build.edges.scan import Scan, ScannedPairs
from sage_ld.foundation.model import FloatArray, IntArray

BLOCK_VALUES: Final = 12_000_000
"""Similarities held at once, over all signals: about 250 MB with the copies that selecting makes."""
FOCUS_VALUES: Final = 3_000_000
"""The same where some chunks alone are compared with all, which a web process may do beside searches."""
SAMPLE: Final = 4_000_000
"""Pairs of a kind up to which `Population.PAIRS` takes all, and of which it draws as many beyond."""
SEED: Final = 20_260_218


def search(scan: Scan, near: IntArray, total: int) -> Iterator[ScannedPairs]:
    """The nearest of each of `near`, and all (or an even sample) of the sums over `total` pairs."""
    random = np.random.default_rng(SEED)
    for part, rows in scan.without_largest_document(near):
        vectors = part.far_vectors() if part.chunks.focus is None else {}
        most = BLOCK_VALUES if part.chunks.focus is None else FOCUS_VALUES
        height = max(1, most // (len(part.far) * (len(part.rule.signals) + 2)))
        for begin in range(0, len(rows), height):
            yield _block(part, rows[begin : begin + height], vectors, total, random)


def _block(
    scan: Scan, near: IntArray, vectors: Mapping[str, FloatArray], total: int, random: np.random.Generator
) -> ScannedPairs:
    values = [scan.values(signal, near, vectors) for signal in scan.rule.signals]
    combined = _weighted(values, list(scan.rule.signals.values()))
    combined[scan.excluded(near)] = -1
    rows, columns = nearest(combined, scan.edges.candidates)
    is_nearest = np.ones(len(rows), np.bool_)
    if scan.rule.keep_shared_entity:
        more_rows, more_columns = scan.chunks.shared.sharing(near, scan.far)
        apart = combined[more_rows, more_columns] >= 0
        rows, columns = np.append(rows, more_rows[apart]), np.append(columns, more_columns[apart])
        is_nearest = np.append(is_nearest, np.zeros(int(apart.sum()), np.bool_))
    signals = np.stack([value[rows, columns] for value in values], axis=1)
    return ScannedPairs(near[rows], scan.far[columns], signals, is_nearest, _sample(combined, total, random))


def _weighted(values: Sequence[FloatArray], weights: Sequence[float]) -> FloatArray:
    """(a, b) the sum of signals, each times its weight."""
    combined = np.asarray(values[0] * np.float32(weights[0]), np.float32)
    for value, weight in zip(values[1:], weights[1:], strict=True):
        combined += value * np.float32(weight)
    return np.round(combined, 6, out=combined)


def samples(scan: Scan, near: IntArray, total: int) -> Iterator[ScannedPairs]:
    """Only the sums, over as many rows, drawn with a fixed seed, as hold `SAMPLE` pairs."""
    if not total:
        return
    random = np.random.default_rng(SEED)
    count = min(len(near), -(-SAMPLE // len(scan.far)))
    rows = np.sort(random.choice(near, size=count, replace=False))
    for each in search(scan, rows, count * len(scan.far)):
        yield each.without_pairs()


def _sample(combined: FloatArray, total: int, random: np.random.Generator) -> FloatArray:
    """All pairs of the block, or its share of an even sample of `SAMPLE` of the `total`."""
    if not total:
        return np.zeros(0, np.float32)
    flat = combined.ravel()
    if total > SAMPLE:
        flat = flat[random.integers(0, flat.size, size=-(-flat.size * SAMPLE // total))]
    return flat[flat >= 0]


def nearest(scores: FloatArray, count: int) -> tuple[IntArray, IntArray]:
    """The `count` highest scores over 0 of each row, as row and column; equal ones by column.

    >>> nearest(np.array([[1, 3, 3, 3], [0, 2, 0, -1]], np.float32), 2)[1].tolist()
    [1, 2, 1]
    """
    width = scores.shape[1]
    if count >= width:
        chosen = scores > 0
    else:
        cut = np.partition(scores, width - count, axis=1)[:, width - count, None]
        chosen = scores >= np.maximum(cut, np.finfo(scores.dtype).tiny)
        spare = chosen.sum(axis=1) - count
        for row in np.flatnonzero(spare > 0).tolist():
            equal = np.flatnonzero(scores[row] == cut[row])
            chosen[row, equal[-spare[row] :]] = False
    rows, columns = np.divmod(np.flatnonzero(chosen), width)
    return rows.astype(np.int64), columns.astype(np.int64)
