"""Drift of similarity: how far a graph has moved from the build whose thresholds its edges follow.

A build notes the distribution of what each threshold cuts, over the pairs that a sample of chunks find, and
the percentile that the threshold is at. The same percentile of a later graph is the threshold that a new
build would choose. By these thresholds the edges of the sampled chunks are built, to be compared with those
that they have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from sage_ld.build.edges.building import build, population, with_weighed_entities
from sage_ld.build.edges.candidate_pairs import candidates
from sage_ld.build.edges.signals import EdgeInput
from sage_ld.foundation.edge_kinds import EDGE_KINDS, Cut, EdgeRule, Population
from sage_ld.foundation.model import Distribution, DoubleArray, EdgeKind, EdgeSet
from sage_ld.foundation.recipes import Edges

LEVELS: Final = 101
"""The number of values that a distribution is known by."""
_LEAST: Final = 1e-6
"""The least difference between two similarities, which have six decimals."""


@dataclass(frozen=True, slots=True)
class FormerThreshold:
    """A threshold of the last build, with the distribution of what it cuts."""

    value: float
    distribution: Distribution | None = None
    """None where an earlier release built the edges."""


@dataclass(frozen=True, slots=True)
class ThresholdDrift:
    """The drift, since the last build, of the values that one threshold cuts."""

    kind: EdgeKind
    signal: str
    """The signal that is compared, or `weight` for the weighted sum of all."""
    value: float
    """The threshold of the last build."""
    now: float
    """The estimate of the threshold that a new build would choose."""
    distance: float
    """The Kolmogorov-Smirnov distance between the two distributions, in 0..1."""


def distributions(
    chunks: EdgeInput, edges: Edges, thresholds: Mapping[EdgeKind, Mapping[str, float]]
) -> dict[EdgeKind, dict[str, Distribution]]:
    """The distribution of what each threshold cuts, over the pairs that the chunks in `chunks.focus` find.

    A kind of which they find no pair is left out.
    """
    return {
        kind: {
            name: _distribution(values[name], limit, edges.rules[kind])
            for name, limit in thresholds.get(kind, {}).items()
            if len(values.get(name, ()))
        }
        for kind, values in _populations(chunks, edges).items()
    }


def drifted(
    chunks: EdgeInput, edges: Edges, former: Mapping[EdgeKind, Mapping[str, FormerThreshold]]
) -> list[ThresholdDrift]:
    """The drift of each threshold of the last build, by the pairs that the chunks in `chunks.focus` find."""
    return [
        _drift(kind, edges.rules[kind], name, values[name], threshold)
        for kind, values in _populations(chunks, edges).items()
        for name, threshold in former.get(kind, {}).items()
        if len(values.get(name, ()))
    ]


def rebuilt(chunks: EdgeInput, edges: Edges, limits: Mapping[EdgeKind, Mapping[str, float]]) -> list[EdgeSet]:
    """The edges that a build with these thresholds would give the chunks in `chunks.focus`, and others.

    Edges compete for a place at both of their ends. So the edges of the chunks at the other ends are built,
    too; those at their other ends are not, and what is said of these chunks is of no use.
    """
    assert chunks.focus is not None
    chunks = with_weighed_entities(chunks, edges)
    sets = build(chunks, edges, limits)
    around = [ends for each in sets for ends in (each.source, each.target)]
    return build(replace(chunks, focus=np.unique(np.concatenate([chunks.focus, *around]))), edges, limits)


def _populations(chunks: EdgeInput, edges: Edges) -> dict[EdgeKind, dict[str, DoubleArray]]:
    chunks = with_weighed_entities(chunks, edges)
    return {
        kind: population(candidates(chunks, row, rule, edges, rule.population is Population.PAIRS), rule)
        for kind, row in EDGE_KINDS.items()
        if (rule := edges.rules.get(kind)) is not None and rule.max_edges
    }


def _distribution(values: DoubleArray, threshold: float, rule: EdgeRule) -> Distribution:
    return Distribution(_percentiles(values), _place(values, threshold, rule.percentile))


def _percentiles(values: DoubleArray) -> tuple[float, ...]:
    return tuple(np.quantile(values, np.linspace(0, 1, LEVELS), method="inverted_cdf").round(6).tolist())


def _drift(
    kind: EdgeKind, rule: EdgeRule, name: str, values: DoubleArray, former: FormerThreshold
) -> ThresholdDrift:
    then, now = former.distribution, former.value
    if then is None:
        return ThresholdDrift(kind, name, former.value, now, 0.0)
    if rule.cut is Cut.PERCENTILE:
        now = _moved(values, then.percentile, former.value)
    return ThresholdDrift(kind, name, former.value, now, _distance(then.values, _percentiles(values)))


def _place(values: DoubleArray, threshold: float, percentile: float) -> float:
    """The percentile of the values that a threshold is at: of those that give it, the next to a rule's.

    >>> _place(np.array([0.1, 0.2, 0.2, 0.2]), 0.2, 95.0), _place(np.array([0.1, 0.2, 0.3, 0.4]), 0.2, 95.0)
    (95.0, 50.0)
    """
    least = float(np.mean(values < threshold)) + 0.5 / len(values)
    most = max(least, float(np.mean(values <= threshold)))
    return 100 * min(max(percentile / 100, least), most, 1.0)


def _moved(values: DoubleArray, percentile: float, former: float) -> float:
    """The threshold at a percentile of the values: of those that cut as many, the next to a former one.

    >>> _moved(np.array([0.1, 0.2, 0.3, 0.4]), 75, 0.25), _moved(np.array([0.1, 0.2, 0.3, 0.4]), 75, 0.5)
    (0.25, 0.3)
    """
    above = float(np.percentile(values, percentile, method="inverted_cdf"))
    lower = values[values < above]
    below = float(lower.max()) + _LEAST if len(lower) else 0.0
    return float(np.round(np.clip(former, min(below, above), above), 6))


def _distance(one: Sequence[float], other: Sequence[float]) -> float:
    """The largest difference of the shares of two lists of percentiles that a value is not below.

    >>> _distance([0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4]), _distance([0.1, 0.2], [0.3, 0.4])
    (0.0, 1.0)
    """
    places = np.union1d(one, other)
    shares = [np.searchsorted(np.sort(each), places, side="right") / len(each) for each in (one, other)]
    return float(np.max(np.abs(shares[0] - shares[1])).round(6))
