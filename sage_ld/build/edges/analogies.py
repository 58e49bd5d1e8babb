"""Analogies: pairs of chunks whose skeletons are more alike than their texts.

    delta = skeleton similarity − raw similarity

Both are the encoder's, in 0..1. Each chunk is compared with all others, and the pairs of the highest delta
are its candidates. A pair is kept whose skeleton similarity and whose delta both reach a threshold: the
values at a percentile of all candidates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.edges.building import percentile_of, strongest
from sage_ld.build.edges.candidate_pairs import BLOCK_VALUES, FOCUS_VALUES, nearest
from sage_ld.build.edges.signals import REMOVED, Aspect, EdgeInput, Similarity, clipped
from sage_ld.foundation.edge_kinds import SKELETON, WEIGHT, AspectName
from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray
from sage_ld.foundation.recipes import Analogies


class AnalogyThresholds(NamedTuple):
    """The least values of a pair that is kept."""

    skeleton: float
    delta: float

    def by_signal(self) -> dict[str, float]:
        """The values by the names under which a build records them."""
        return {SKELETON: self.skeleton, WEIGHT: self.delta}


@dataclass(frozen=True, slots=True)
class AnalogousPairs:
    """Pairs of chunks as parallel arrays of length e; each once, source < target."""

    source: IntArray
    target: IntArray
    """Positions in the arrays that the builder was given."""
    skeleton: DoubleArray
    """The similarity of the skeletons, in 0..1, to six decimals."""
    raw: DoubleArray
    """The similarity of the texts, likewise."""

    @property
    def delta(self) -> DoubleArray:
        """(e,) how much more alike the skeletons are."""
        return deltas(self.skeleton, self.raw)

    def where(self, kept: NDArray[np.bool_]) -> AnalogousPairs:
        """The pairs that `kept` (e,) names."""
        return AnalogousPairs(self.source[kept], self.target[kept], self.skeleton[kept], self.raw[kept])


@dataclass(frozen=True, slots=True)
class AnalogySet:
    """The analogies of a graph, or of its new chunks with all."""

    pairs: AnalogousPairs
    thresholds: AnalogyThresholds
    candidates: int
    """How many pairs the percentile was taken over."""


def deltas(skeleton: DoubleArray, raw: DoubleArray) -> DoubleArray:
    """(e,) how much more alike skeletons are than texts.

    >>> deltas(np.array([0.75, 0.5]), np.array([0.25, 0.5])).tolist()
    [0.5, 0.0]
    """
    return np.asarray(np.round(skeleton - raw, 6))


def calibrated(skeleton: DoubleArray, delta: DoubleArray, percentile: float) -> AnalogyThresholds:
    """The thresholds at a percentile, in 0..100, of the candidates' values (e,).

    >>> calibrated(np.array([0.2, 0.4, 0.6, 0.8]), np.array([0.4, 0.3, 0.2, 0.1]), 75)
    AnalogyThresholds(skeleton=0.6, delta=0.3)
    """
    return AnalogyThresholds(percentile_of(skeleton, percentile), percentile_of(delta, percentile))


def passing(skeleton: DoubleArray, delta: DoubleArray, limits: AnalogyThresholds) -> NDArray[np.bool_]:
    """(e,) which pairs reach both thresholds; a delta of 0 is no evidence.

    >>> limits = AnalogyThresholds(0.45, 0.08)
    >>> passing(np.array([0.5, 0.5, 0.4]), np.array([0.1, 0.05, 0.3]), limits).tolist()
    [True, False, False]
    """
    return np.asarray((skeleton >= limits.skeleton) & (delta >= limits.delta) & (delta > 0))


def find_analogies(
    chunks: EdgeInput, wanted: Analogies, limits: AnalogyThresholds | None = None
) -> AnalogySet:
    """The analogies between chunks of different documents, for each chunk those of the highest delta.

    With `chunks.focus`, of these chunks with all. `limits` are the thresholds of an earlier build; without
    them they are calibrated on the candidates. A chunk without a skeleton is like none.
    """
    skeletons, contents = chunks.aspects[AspectName.SKELETON], chunks.aspects[AspectName.CONTENT]
    far = np.flatnonzero((skeletons.rows >= 0) & (chunks.kinds != REMOVED)).astype(np.int64)
    near = far if chunks.focus is None else np.intersect1d(far, chunks.focus)
    candidates = _candidates(chunks, skeletons, contents, near, far, wanted.candidates)
    if limits is None:
        limits = calibrated(candidates.skeleton, candidates.delta, wanted.percentile)
    kept = candidates.where(passing(candidates.skeleton, candidates.delta, limits))
    kept = kept.where(strongest(kept.source, kept.target, kept.delta, wanted.max_edges))
    return AnalogySet(kept, limits, len(candidates.source))


def _candidates(
    chunks: EdgeInput, skeletons: Aspect, contents: Aspect, near: IntArray, far: IntArray, count: int
) -> AnalogousPairs:
    """The `count` pairs of the highest delta, above 0, of each of `near` with `far`; each pair once."""
    most = BLOCK_VALUES if chunks.focus is None else FOCUS_VALUES
    height = max(1, most // (4 * max(len(far), 1)))
    whole = (skeletons.of(far), contents.of(far)) if len(near) else ()
    blocks = [
        _block(chunks, skeletons, contents, near[begin : begin + height], far, whole, count)
        for begin in range(0, len(near), height)
    ]
    columns = np.concatenate([np.zeros((0, 4)), *blocks])
    ends = np.sort(columns[:, :2].astype(np.int64), axis=1)
    _, first = np.unique(ends, axis=0, return_index=True)
    pairs = ends[first]
    return AnalogousPairs(pairs[:, 0], pairs[:, 1], clipped(columns[first, 2]), clipped(columns[first, 3]))


def _block(
    chunks: EdgeInput,
    skeletons: Aspect,
    contents: Aspect,
    near: IntArray,
    far: IntArray,
    whole: tuple[FloatArray, ...],
    count: int,
) -> DoubleArray:
    """(e, 4) the two chunks of each candidate, the similarity of their skeletons and of their texts."""
    alike = _similarities(chunks.similarity, skeletons.of(near), whole[0])
    raw = _similarities(chunks.similarity, contents.of(near), whole[1])
    difference = np.round(alike - raw, 6)
    difference[chunks.documents[near][:, None] == chunks.documents[far][None, :]] = -1
    rows, columns = nearest(difference, count)
    ends = near[rows], far[columns], alike[rows, columns], raw[rows, columns]
    return np.stack([each.astype(np.float64) for each in ends], axis=1)


def _similarities(similarity: Similarity, left: FloatArray, right: FloatArray) -> FloatArray:
    return np.clip(np.asarray(similarity(left, right), np.float32), 0.0, 1.0)


def analogy_rows(analogies: AnalogySet) -> Iterator[tuple[int, int, float, float, float]]:
    """Source, target, delta, skeleton and raw similarity of each pair."""
    pairs = analogies.pairs
    columns = (pairs.source, pairs.target, pairs.delta, pairs.skeleton, pairs.raw)
    return zip(*(each.tolist() for each in columns), strict=True)
