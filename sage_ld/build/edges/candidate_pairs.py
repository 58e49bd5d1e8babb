"""Candidate pairs: each chunk with its nearest ones, and those that share a rare entity.

The nearest ones are found by exact products or, of many chunks, by an index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.edges.signals import Aspect, EdgeInput, Nearest, clipped
from sage_ld.foundation.edge_kinds import ENTITY, EdgeKindRow, EdgeRule
from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray
from sage_ld.foundation.recipes import Edges


@dataclass(frozen=True, slots=True)
class ScannedPairs:
    """The pairs that one block of rows gave."""

    left: IntArray
    right: IntArray
    signals: FloatArray
    """(k, s)"""
    nearest: NDArray[np.bool_]
    sample: FloatArray
    """Weighted sums of signals over pairs of the kind, if they were asked for."""

    def without_pairs(self) -> ScannedPairs:
        """Only the sample."""
        none = slice(0, 0)
        return ScannedPairs(
            self.left[none], self.right[none], self.signals[none], self.nearest[none], self.sample
        )


@dataclass(frozen=True, slots=True)
class Scan:
    """One direction: every chunk of one side against all of the other."""

    chunks: EdgeInput
    row: EdgeKindRow
    rule: EdgeRule
    edges: Edges
    far: IntArray
    swapped: bool

    def compared(self) -> list[str]:
        """The rule's signals that compare vectors which the caller gave."""
        return [
            signal
            for signal in self.rule.signals
            if signal in self.row.compared
            and all(name in self.chunks.aspects for name in self.row.compared[signal])
        ]

    def near_vectors(self, signal: str, near: IntArray) -> FloatArray:
        """(a, d) what the signal compares of `near`."""
        return self.chunks.aspects[self.row.compared[signal][1 if self.swapped else 0]].of(near)

    def far_aspect(self, signal: str) -> Aspect:
        """The aspect of the other side that the signal compares."""
        return self.chunks.aspects[self.row.compared[signal][0 if self.swapped else 1]]

    def far_vectors(self) -> dict[str, FloatArray]:
        """The vectors of the other side that each signal compares, (b, d)."""
        return {signal: self.far_aspect(signal).of(self.far) for signal in self.compared()}

    def values(self, signal: str, near: IntArray, far_vectors: Mapping[str, FloatArray]) -> FloatArray:
        """(a, b) one signal of each of `near` against each of `far`, in 0..1.

        Without `far_vectors`, those of the other side are compared where they lie.
        """
        if signal == ENTITY:
            return self.chunks.shared.block(near, self.far)
        if signal not in self.compared():
            return np.zeros((len(near), len(self.far)), np.float32)
        vectors, similarity = self.near_vectors(signal, near), self.chunks.similarity
        if signal in far_vectors:
            values = similarity(vectors, far_vectors[signal])
        else:
            values = self.far_aspect(signal).similar_to(vectors, self.far, similarity)
        return np.clip(values, 0.0, 1.0, out=values)

    def excluded(self, near: IntArray) -> NDArray[np.bool_]:
        """(a, b) the excluded pairs: a chunk with itself, and two of one document where so asked."""
        own = self.owners()
        same: NDArray[np.bool_] = np.equal(own[near][:, None], own[self.far][None, :])
        return same

    def without_largest_document(self, near: IntArray) -> Iterator[tuple[Scan, IntArray]]:
        """The scan with `near`; or two, where one document has half of the other side or more.

        Its own chunks are then compared with those of others alone: comparing a book of a million words with
        itself, for excluded pairs, would take most of the time. Neither side of a scan is empty.
        """
        own = self.owners()
        documents, counts = np.unique(own[self.far], return_counts=True)
        largest = documents[counts.argmax()]
        is_other = own[self.far] != largest
        if 2 * np.count_nonzero(is_other) > len(self.far):
            yield self, near
            return
        is_own = own[near] == largest
        for scan, rows in ((self, near[~is_own]), (replace(self, far=self.far[is_other]), near[is_own])):
            if len(rows) and len(scan.far):
                yield scan, rows

    def owners(self) -> NDArray[np.integer]:
        """(n,) what two chunks may not have in common: the document, or where that may be, the position."""
        documents = self.chunks.documents
        return np.arange(len(documents)) if self.edges.within_documents else documents


BLOCK_VALUES: Final = 12_000_000
"""Similarities held at once, over all signals: about 250 MB with the copies that selecting makes."""
FOCUS_VALUES: Final = 3_000_000
"""The same where some chunks alone are compared with all, which a web process may do beside searches."""
SAMPLE: Final = 4_000_000
"""Pairs of a kind up to which `Population.PAIRS` takes all, and of which it draws as many beyond."""
SEED: Final = 20_260_218


def exact_search(scan: Scan, near: IntArray, total: int) -> Iterator[ScannedPairs]:
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
    for each in exact_search(scan, rows, count * len(scan.far)):
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


ROWS: Final = 10_000
"""Chunks whose pairs are compared at once."""
SPARE: Final = 16
"""Neighbours asked for beyond the candidates: the chunk itself and others of its document drop out."""


def approximate_search(scan: Scan, near: IntArray, index: Nearest) -> Iterator[ScannedPairs]:
    """As `exact_search`, but for what the index misses: the signals of the pairs it finds are exact.

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
        yield from exact_search(scan, near, total)
    else:
        yield from approximate_search(scan, near, index)
        yield from samples(scan, near, total)


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
