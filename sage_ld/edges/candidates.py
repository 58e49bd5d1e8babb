"""Which pairs are looked at: each chunk with its nearest ones, by exact blocked matrix products."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.edges.entities import Entities
from sage_ld.edges.signals import EdgeInput, Sides, clipped
from sage_ld.model import DoubleArray, FloatArray, IntArray
from sage_ld.recipes import ENTITY, EdgeRule, Edges

BLOCK_VALUES: Final = 12_000_000
"""Similarities held at once, over all signals: about 250 MB with the copies that selecting makes."""
SAMPLE: Final = 4_000_000
"""Pairs of a kind up to which `Population.PAIRS` takes all, and of which it draws as many beyond."""
SEED: Final = 20_260_218


@dataclass(frozen=True, slots=True)
class Candidates:
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


@dataclass(frozen=True, slots=True)
class _Found:
    """What one block of rows gave."""

    left: IntArray
    right: IntArray
    signals: FloatArray
    """(k, s)"""
    nearest: NDArray[np.bool_]
    sample: FloatArray


def candidates(
    chunks: EdgeInput, sides: Sides, rule: EdgeRule, edges: Edges, entities: Entities, sampled: bool
) -> Candidates:
    """The pairs of one kind: each chunk's `edges.candidates` nearest, and those that share a rare entity.

    Nearest is by the weighted sum of the rule's signals; equal sums in order of position.
    """
    left, right = chunks.members(sides.left), chunks.members(sides.right)
    passes = (
        [(left, right, False)] if sides.left == sides.right else [(left, right, False), (right, left, True)]
    )
    total = len(left) * len(right)
    found = [
        each
        for near, far, swapped in passes
        for each in _scan(
            _Scan(chunks, sides, rule, edges, entities, far, swapped),
            near,
            total if sampled and not swapped else 0,
        )
    ]
    return _unique(found, list(rule.signals))


@dataclass(frozen=True, slots=True)
class _Scan:
    """One direction: every chunk of one side against all of the other."""

    chunks: EdgeInput
    sides: Sides
    rule: EdgeRule
    edges: Edges
    entities: Entities
    far: IntArray
    swapped: bool

    def far_vectors(self) -> dict[str, FloatArray]:
        """The other side's vectors of each signal that compares vectors."""
        return {
            signal: self.chunks.aspects[pair[0 if self.swapped else 1]].of(self.far)
            for signal, pair in self.sides.compared.items()
            if signal in self.rule.signals and all(name in self.chunks.aspects for name in pair)
        }

    def values(self, signal: str, near: IntArray, far_vectors: Mapping[str, FloatArray]) -> FloatArray:
        """(a, b) one signal of each of `near` against each of `far`, in 0..1."""
        if signal == ENTITY:
            return self.entities.block(near, self.far)
        if signal not in far_vectors:
            return np.zeros((len(near), len(self.far)), np.float32)
        aspect = self.sides.compared[signal][1 if self.swapped else 0]
        values = self.chunks.similarity(self.chunks.aspects[aspect].of(near), far_vectors[signal])
        return np.clip(values, 0.0, 1.0)

    def excluded(self, near: IntArray) -> NDArray[np.bool_]:
        """(a, b) the pairs that are none: a chunk with itself, and two of one document where so asked."""
        own = np.arange(len(self.chunks.documents)) if self.edges.within_documents else self.chunks.documents
        return np.equal(own[near][:, None], own[self.far][None, :])


def _scan(scan: _Scan, near: IntArray, total: int) -> Iterator[_Found]:
    if scan.chunks.focus is not None:
        near = np.intersect1d(near, scan.chunks.focus)
    if not len(near) or not len(scan.far):
        return
    vectors = scan.far_vectors()
    height = max(1, BLOCK_VALUES // (len(scan.far) * (len(scan.rule.signals) + 2)))
    random = np.random.default_rng(SEED)
    for begin in range(0, len(near), height):
        yield _block(scan, near[begin : begin + height], vectors, total, random)


def _block(
    scan: _Scan, near: IntArray, vectors: Mapping[str, FloatArray], total: int, random: np.random.Generator
) -> _Found:
    values = [scan.values(signal, near, vectors) for signal in scan.rule.signals]
    combined = np.zeros((len(near), len(scan.far)), np.float32)
    for value, weight in zip(values, scan.rule.signals.values(), strict=True):
        combined += np.float32(weight) * value
    np.round(combined, 6, out=combined)
    combined[scan.excluded(near)] = -1
    rows, columns = nearest(combined, scan.edges.candidates)
    is_nearest = np.ones(len(rows), np.bool_)
    if scan.rule.keep_shared_entity:
        more_rows, more_columns = scan.entities.sharing(near, scan.far)
        apart = combined[more_rows, more_columns] >= 0
        rows, columns = np.append(rows, more_rows[apart]), np.append(columns, more_columns[apart])
        is_nearest = np.append(is_nearest, np.zeros(int(apart.sum()), np.bool_))
    signals = np.stack([value[rows, columns] for value in values], axis=1)
    return _Found(near[rows], scan.far[columns], signals, is_nearest, _sample(combined, total, random))


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
        chosen = scores > np.maximum(cut, 0)
        missing = count - chosen.sum(axis=1)
        tied = np.flatnonzero((missing > 0) & (cut[:, 0] > 0))
        equal = scores[tied] == cut[tied]
        chosen[tied] |= equal & (np.cumsum(equal, axis=1, dtype=np.int32) <= missing[tied, None])
    rows, columns = np.nonzero(chosen)
    return rows.astype(np.int64), columns.astype(np.int64)


def _unique(found: list[_Found], names: list[str]) -> Candidates:
    """Each pair once, however many of its two chunks found it."""
    left = np.concatenate([np.zeros(0, np.int64), *(each.left for each in found)])
    right = np.concatenate([np.zeros(0, np.int64), *(each.right for each in found)])
    is_nearest = np.concatenate([np.zeros(0, np.bool_), *(each.nearest for each in found)])
    signals = np.concatenate([np.zeros((0, len(names)), np.float32), *(each.signals for each in found)])
    sample = np.concatenate([np.zeros(0, np.float32), *(each.sample for each in found)])
    source, target = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((~is_nearest, target, source))
    source, target = source[order], target[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = (np.diff(source) != 0) | (np.diff(target) != 0)
    group = np.cumsum(first) - 1
    shares = np.zeros(int(first.sum()), np.bool_)
    shares[group[~is_nearest[order]]] = True
    kept = order[first]
    return Candidates(
        source[first],
        target[first],
        {name: clipped(signals[kept, column]) for column, name in enumerate(names)},
        is_nearest[kept],
        shares,
        clipped(sample),
    )
