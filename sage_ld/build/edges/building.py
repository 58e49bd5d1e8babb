"""The build of similarity edges, kind by kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sage_ld.build.edges.candidate_pairs import CandidatePairs, candidates
from sage_ld.build.edges.pruning import passing, strongest, threshold_names, thresholds, weighted
from sage_ld.build.edges.signals import EdgeInput, SharedEntities, clipped
from sage_ld.foundation.edge_kinds import EDGE_KINDS, ENTITY, Cut, EdgeRule, Population
from sage_ld.foundation.model import EdgeKind, EdgeSet
from sage_ld.foundation.recipes import Edges


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
    from sage_ld.build.edges.shared_entities import Entities

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
