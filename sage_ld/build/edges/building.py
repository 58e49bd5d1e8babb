"""The build of similarity edges, kind by kind: candidates, their signals, and the pruning of the pairs.

entitySimilarity(a, b) = sum of idf over the entities of both / sum of idf over the entities of either
    idf(e) = ln(1 + N / n(e))

N is the number of chunks, n(e) how many of them name e: the Jaccard index in which a name that
everyone drops counts for little.

"We only keep a similarity edge when its metadata similarity exceeds the 95th percentile" (the paper,
section 2.1B). Here a pair that reaches the percentile is kept, so that equal values share one fate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.edges.candidate_pairs import CandidatePairs, candidates
from sage_ld.build.edges.signals import EdgeInput, SharedEntities, clipped
from sage_ld.foundation.edge_kinds import EDGE_KINDS, ENTITY, WEIGHT, Cut, EdgeRule, Population, Rule
from sage_ld.foundation.model import DoubleArray, EdgeKind, EdgeSet, FloatArray, IntArray
from sage_ld.foundation.recipes import Edges

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, slots=True)
class Entities:
    """A weighted matrix of n chunks and the m entities that they name, as `signals.SharedEntities`."""

    named: csr_matrix[Any]
    """(n, m) 0 or 1."""
    weighted: csr_matrix[Any]
    """(n, m) idf in place of 1."""
    mass: DoubleArray
    """(n,) the sum of idf over each chunk's entities."""
    rare: csr_matrix[Any]
    """(n, m) `named` without entities that more chunks name than `hub`."""

    @classmethod
    def of(cls, entities: csr_matrix[Any], hub: int) -> Entities:
        """Weigh `entities` (n, m)."""
        from scipy.sparse import csr_matrix, diags  # here, since it takes 0.1 s and few builds need it

        named = csr_matrix(entities, dtype=np.float64)
        named.sum_duplicates()
        named.data[:] = 1.0
        frequency = np.asarray(named.sum(axis=0)).ravel()
        idf = np.log1p(named.shape[0] / np.maximum(frequency, 1))
        weighted = csr_matrix(named @ diags(idf))
        rare = csr_matrix(named @ diags((frequency <= hub).astype(np.float64)))
        rare.eliminate_zeros()
        mass = np.asarray(weighted.sum(axis=1), dtype=np.float64).ravel()
        return cls(named, weighted, mass, rare)

    def block(self, left: IntArray, right: IntArray) -> FloatArray:
        """(a, b) the similarity of each of `left` to each of `right`."""
        shared = (self.weighted[left] @ self.named[right].T).toarray()
        union = self.mass[left][:, None] + self.mass[right][None, :] - shared
        similar: FloatArray = (shared / np.where(shared > 0, union, 1)).astype(np.float32)
        return similar

    def pairs(self, left: IntArray, right: IntArray, block: int = 100_000) -> DoubleArray:
        """(k,) the similarity of left[i] to right[i]."""
        shared = np.zeros(len(left))
        for begin in range(0, len(left), block):
            here = slice(begin, begin + block)
            both = self.weighted[left[here]].multiply(self.named[right[here]])
            shared[here] = np.asarray(both.sum(axis=1)).ravel()
        union = self.mass[left] + self.mass[right] - shared
        return np.divide(shared, np.where(shared > 0, union, 1))

    def sharing(self, left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
        """The positions in `left` and `right` of the pairs that share a rare entity.

        An entity that at most h chunks name gives at most h * h pairs.
        """
        shared = (self.rare[left] @ self.rare[right].T).tocoo()
        order = np.lexsort((shared.col, shared.row))
        return shared.row[order].astype(np.int64), shared.col[order].astype(np.int64)


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


def build(
    chunks: EdgeInput, edges: Edges, limits: Mapping[EdgeKind, Mapping[str, float]] | None = None
) -> list[EdgeSet]:
    """The edges of every kind that the recipe `edges` has a rule for, in the order of `EDGE_KINDS`.

    `limits` are the thresholds of an earlier build: new chunks (`chunks.focus`) are joined by them to all
    others, where taking the percentile over the new pairs alone would move it. A kind that they do not name,
    or name by other signals than the rule's, gets its own percentile. A kind without any pair gives no
    edge set.
    """
    chunks = with_weighed_entities(chunks, edges)
    sets = []
    for kind in EDGE_KINDS:
        rule = edges.rules.get(kind)
        if rule is not None and rule.max_edges:
            given = (limits or {}).get(kind)
            fitting = given if given is not None and set(given) == set(threshold_names(rule)) else None
            sets.append(_build(chunks, kind, rule, edges, fitting))
    return [each for each in sets if each.candidates or len(each.weight)]


def with_weighed_entities(chunks: EdgeInput, edges: Edges) -> EdgeInput:
    """The same chunks, with a matrix of entities weighed."""
    if isinstance(chunks.entities, SharedEntities):
        return chunks
    return replace(chunks, entities=Entities.of(chunks.entities, edges.entity_hub))


def _build(
    chunks: EdgeInput,
    kind: EdgeKind,
    rule: EdgeRule,
    edges: Edges,
    limits: Mapping[str, float] | None,
) -> EdgeSet:
    by_percentile = rule.cut is Cut.PERCENTILE and limits is None
    sampled = rule.population is Population.PAIRS and by_percentile
    pairs = candidates(chunks, EDGE_KINDS[kind], rule, edges, sampled)
    limits = thresholds(pairs, rule) if limits is None else limits
    return _select(pairs, kind, rule, chunks.shared, limits)


def _select(
    pairs: CandidatePairs,
    kind: EdgeKind,
    rule: EdgeRule,
    entities: SharedEntities,
    limits: Mapping[str, float],
) -> EdgeSet:
    """The pairs that the rule keeps: by the percentiles, or for a rare entity that both name.

    A pair kept for an entity weighs what its entities say, where that is more than the rule's signals.
    """
    weight = weighted(pairs.signals, rule)
    kept = passing(pairs, weight, rule, limits) | pairs.shares
    source, target, shares = pairs.source[kept], pairs.target[kept], pairs.shares[kept]
    overlap = clipped(entities.pairs(source, target))
    weight = np.where(shares, np.maximum(weight[kept], overlap), weight[kept])
    chosen = strongest(source, target, weight, rule.max_edges)
    signals = {name: values[kept][chosen] for name, values in pairs.signals.items()}
    return EdgeSet(
        kind,
        source[chosen],
        target[chosen],
        weight[chosen],
        {**signals, ENTITY: overlap[chosen]},
        rule.percentile if rule.cut is Cut.PERCENTILE else None,
        dict(limits),
        int(np.count_nonzero(pairs.nearest)),
    )
