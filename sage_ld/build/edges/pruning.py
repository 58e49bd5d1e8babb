"""Pruning: which pairs become edges, by thresholds of the signals and a limit of edges for each chunk.

"We only keep a similarity edge when its metadata similarity exceeds the 95th percentile" (the paper,
section 2.1B). Here a pair that reaches the percentile is kept, so that equal values share one fate.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.edges.candidate_pairs import CandidatePairs
from sage_ld.build.edges.signals import clipped
from sage_ld.foundation.edge_kinds import WEIGHT, Cut, EdgeRule, Population, Rule
from sage_ld.foundation.model import DoubleArray, IntArray


def weighted(signals: Mapping[str, DoubleArray], rule: EdgeRule) -> DoubleArray:
    """The mean of the rule's signals, each with its share.

    >>> weighted({"a": np.array([1.0]), "b": np.array([0.5])}, EdgeRule({"a": 3.0, "b": 1.0})).tolist()
    [0.875]
    """
    total = sum(signals[name] * share for name, share in rule.signals.items())
    return clipped(total / sum(rule.signals.values()))


def threshold_names(rule: EdgeRule) -> tuple[str, ...]:
    """The names of a rule's thresholds: each signal, or their weighted sum."""
    return (WEIGHT,) if rule.rule is Rule.WEIGHTED else tuple(rule.signals)


def thresholds(pairs: CandidatePairs, rule: EdgeRule) -> dict[str, float]:
    """For each signal of the rule (or for their weighted sum) the least value that is kept."""
    if rule.cut is Cut.THRESHOLD:
        return dict.fromkeys(threshold_names(rule), rule.threshold)
    return {name: percentile_of(values, rule.percentile) for name, values in population(pairs, rule).items()}


def population(pairs: CandidatePairs, rule: EdgeRule) -> dict[str, DoubleArray]:
    """The values that the percentiles of a rule are taken over, by the names of its thresholds."""
    if rule.rule is Rule.ALL:
        return {name: pairs.signals[name][pairs.nearest] for name in rule.signals}
    is_sampled = rule.population is Population.PAIRS
    return {WEIGHT: pairs.sample if is_sampled else weighted(pairs.signals, rule)[pairs.nearest]}


def percentile_of(values: DoubleArray, percentile: float) -> float:
    """The least value that as many per cent of `values` do not exceed; 0 if there is none."""
    if not len(values):
        return 0.0
    return float(np.round(np.percentile(values, percentile, method="inverted_cdf"), 6))


def passing(
    pairs: CandidatePairs, weight: DoubleArray, rule: EdgeRule, limits: Mapping[str, float]
) -> NDArray[np.bool_]:
    """The nearest pairs that reach every threshold; a weight of 0 is no evidence."""
    kept = pairs.nearest & (weight > 0)
    if rule.rule is Rule.WEIGHTED:
        return kept & (weight >= limits[WEIGHT])
    for name in rule.signals:
        kept &= pairs.signals[name] >= limits[name]
    return kept


def strongest(source: IntArray, target: IntArray, weight: DoubleArray, most: int) -> NDArray[np.bool_]:
    """Take edges in order of weight as long as both ends have fewer than `most`; equal ones by position.

    So no chunk has more than `most`, popular or not, and one whose nearest chunks are taken gets the
    next nearest. Each round takes all edges that are among the `most` open ones of both their ends:
    taking edges one by one would take them too. A few rounds suffice.

    >>> strongest(np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([0.9, 0.8, 0.7]), 1).tolist()
    [True, False, False]
    """
    size = int(max(target.max(initial=-1), source.max(initial=-1))) + 1
    room = np.full(size, most, dtype=np.int64)
    taken = np.zeros(len(weight), np.bool_)
    left = np.lexsort((target, source, -weight))
    while len(left):
        left = left[(room[source[left]] > 0) & (room[target[left]] > 0)]
        rank = _ranks(source[left], target[left])
        now = left[(rank[0] < room[source[left]]) & (rank[1] < room[target[left]])]
        taken[now] = True
        np.subtract.at(room, source[now], 1)
        np.subtract.at(room, target[now], 1)
        left = left[~taken[left]]
    return taken


def _ranks(source: IntArray, target: IntArray) -> tuple[IntArray, IntArray]:
    """For edges in order of strength: how many stronger ones each end of each edge has."""
    ends = np.stack([source, target], axis=1).ravel()
    order = np.argsort(ends, kind="stable")
    sorted_ends = ends[order]
    begins = np.searchsorted(sorted_ends, sorted_ends, side="left")
    rank = np.empty(len(ends), np.int64)
    rank[order] = np.arange(len(ends)) - begins
    return rank[0::2], rank[1::2]
