"""The record of the last build of all edges, and the thresholds that its percentiles gave."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from sage_ld.build.edges.analogies import AnalogyThresholds
from sage_ld.build.edges.drift import LEVELS, FormerThreshold
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.edge_kinds import ANALOGOUS, SKELETON, WEIGHT
from sage_ld.foundation.model import Distribution, EdgeKind
from sage_ld.foundation.package_files import version
from sage_ld.foundation.rdf_values import integer_of, number_of, text_of
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, DerivationResult
from sage_ld.graph.store import queries
from sage_ld.graph.store.derived import BuildRecord, BuildThreshold, build_lines
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node


def last_thresholds(store: Store) -> dict[EdgeKind, dict[str, float]]:
    """The values of the thresholds of the last build, by kind of edge and signal."""
    return {
        kind: {signal: each.value for signal, each in thresholds.items()}
        for kind, thresholds in former_thresholds(store).items()
    }


def former_thresholds(store: Store) -> dict[EdgeKind, dict[str, FormerThreshold]]:
    """The thresholds of the last build with what they cut, by kind of edge and signal."""
    thresholds: dict[EdgeKind, dict[str, FormerThreshold]] = {}
    for row in queries.select(store, queries.text("thresholds")):
        kind, value = text_of(row["kind"]), number_of(row["value"])
        if kind in list(EdgeKind) and value is not None:
            distribution = _distribution(row["sampled"], row["percentile"])
            thresholds.setdefault(EdgeKind(kind), {})[text_of(row["signal"])] = FormerThreshold(
                value, distribution
            )
    return thresholds


def analogy_thresholds(store: Store) -> AnalogyThresholds | None:
    """The thresholds of the last build's analogies; None if it made none."""
    values = {
        text_of(row["signal"]): number_of(row["value"])
        for row in queries.select(store, queries.text("thresholds"))
        if text_of(row["kind"]) == ANALOGOUS
    }
    skeleton, delta = values.get(SKELETON), values.get(WEIGHT)
    return None if skeleton is None or delta is None else AnalogyThresholds(skeleton, delta)


def _distribution(sampled: object, percentile: object) -> Distribution | None:
    """The distribution that a threshold cuts; None where it is not stated as a build states it."""
    at = number_of(percentile)
    try:
        values = tuple(map(float, text_of(sampled).split()))
    except ValueError:
        return None
    is_whole = len(values) == LEVELS and all(map(math.isfinite, values))
    return Distribution(values, at) if is_whole and at is not None and 0 <= at <= 100 else None


def last_chunk_count(store: Store) -> int | None:
    """The number of chunks in the last build; None before the first."""
    for quad in store.quads_for_pattern(None, node(v.CHUNK_COUNT), None, None):
        if (count := integer_of(quad.object)) is not None:
            return count
    return None


def _derive(corpus: Corpus, before: Mapping[str, DerivationResult]) -> DerivationResult:
    return DerivationResult(
        _lines(corpus, [threshold for each in before.values() for threshold in each.thresholds])
    )


def _follow(_corpus: Corpus, _changes: Changes) -> Mapping[str, int]:
    """Nothing: the thresholds hold until all edges are derived again."""
    return {}


def _lines(corpus: Corpus, thresholds: Sequence[BuildThreshold]) -> Iterator[str]:
    ended = datetime.now(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
    chunks, recipe = len(corpus.chunks), corpus.recipe.name
    record = BuildRecord(corpus.encoder_name, recipe, version(), chunks, ended)
    yield from build_lines(record, thresholds, corpus.writer.iris)


def _graph(iris: Iris) -> str:
    return iris.builds_graph


BUILDS = Derivation("builds", _graph, _derive, _follow)
