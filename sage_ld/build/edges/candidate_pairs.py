"""Candidate pairs: each chunk with its nearest ones, and those that share a rare entity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.edges import approximate, exact
from sage_ld.build.edges.scan import Scan, ScannedPairs
from sage_ld.build.edges.signals import EdgeInput, clipped
from sage_ld.foundation.edge_kinds import EdgeKindRow, EdgeRule
from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.foundation.recipes import Edges


@dataclass(frozen=True, slots=True)
class CandidatePairs:
    """Pairs of chunks, each once, source < target, sorted; and the values of their signals."""

    source: IntArray
    target: IntArray
    signals: Mapping[str, DoubleArray]
    nearest: NDArray[np.bool_]
    """Whether the pair is one chunk and one of its nearest: the percentile is taken over these."""
    shares: NDArray[np.bool_]
    """Whether both name a rare entity."""
    sample: DoubleArray
    """Weighted sums over all pairs of the kind, or an even sample of them; empty if not asked for."""


def candidates(
    chunks: EdgeInput, row: EdgeKindRow, rule: EdgeRule, edges: Edges, sampled: bool
) -> CandidatePairs:
    """The pairs of one kind: each chunk's `edges.candidates` nearest, and those that share a rare entity.

    Nearest is by the weighted sum of the rule's signals; equal sums in order of position. `sampled` asks for
    the weighted sums over all pairs as well.
    """
    left, right = chunks.members(row.left), chunks.members(row.right)
    scanned = list(_search(Scan(chunks, row, rule, edges, right, swapped=False), left, sampled))
    if row.left != row.right:
        scanned += _search(Scan(chunks, row, rule, edges, left, swapped=True), right, False)
    return _unique(scanned, list(rule.signals))


def _search(scan: Scan, near: IntArray, sampled: bool) -> Iterator[ScannedPairs]:
    """Exactly up to `edges.exact_chunks` a side, by the index that the caller gave beyond."""
    total = len(near) * len(scan.far) if sampled else 0
    if scan.chunks.focus is not None:
        near = scan.chunks.focus[np.isin(scan.chunks.focus, near)]
    if not len(near) or not len(scan.far):
        return
    index, many = scan.chunks.nearest, len(near) * len(scan.far) > scan.edges.exact_chunks**2
    if index is None or not many or not scan.compared():
        yield from exact.search(scan, near, total)
    else:
        yield from approximate.search(scan, near, index)
        yield from exact.samples(scan, near, total)


def _unique(scanned: list[ScannedPairs], names: list[str]) -> CandidatePairs:
    """Each pair once, however many of its two chunks found it."""
    left = np.concatenate([np.zeros(0, np.int64), *(each.left for each in scanned)])
    right = np.concatenate([np.zeros(0, np.int64), *(each.right for each in scanned)])
    is_nearest = np.concatenate([np.zeros(0, np.bool_), *(each.nearest for each in scanned)])
    signals = np.concatenate([np.zeros((0, len(names)), np.float32), *(each.signals for each in scanned)])
    sample = np.concatenate([np.zeros(0, np.float32), *(each.sample for each in scanned)])
    source, target = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((~is_nearest, target, source))
    source, target = source[order], target[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = (np.diff(source) != 0) | (np.diff(target) != 0)
    group = np.cumsum(first) - 1
    shares = np.zeros(int(first.sum()), np.bool_)
    shares[group[~is_nearest[order]]] = True
    kept = order[first]
    return CandidatePairs(
        source[first],
        target[first],
        {name: clipped(signals[kept, column]) for column, name in enumerate(names)},
        is_nearest[kept],
        shares,
        clipped(sample),
    )
