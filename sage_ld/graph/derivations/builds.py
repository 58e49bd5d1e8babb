"""The record of the last build of all edges, and the thresholds that its percentiles gave."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.build.edges.analogies import AnalogyThresholds
from sage_ld.build.edges.drift import LEVELS, FormerThreshold
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.edge_kinds import ANALOGOUS, EDGE_KINDS, SKELETON, WEIGHT
from sage_ld.foundation.model import Distribution, EdgeKind
from sage_ld.foundation.package_files import version
from sage_ld.foundation.rdf_values import integer_of, number_of, text_of
from sage_ld.foundation.recipes import NameFinder, Recipe
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, DerivationResult
from sage_ld.graph.store import queries
from sage_ld.graph.store.derived import BuildRecord, BuildThreshold, build_lines, maker_lines
from sage_ld.graph.store.nquads import line, quads_of
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node

_OF_MAKERS: Final = frozenset((v.TYPE, v.ENCODER, v.RECIPE, v.CODE_VERSION, v.USED))
"""Properties of a build that say how it makes a document; the others are of the derivation of edges."""


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


def _take_over(corpus: Corpus) -> None:
    """Says of documents that a build with another recipe or encoder made that this one would make them so.

    A recipe or an encoder that is given to a graph which is there changes nothing of what is read.
    """
    store, iris = corpus.writer.store, corpus.writer.iris
    graph, name, code = node(iris.builds_graph), corpus.encoder_name, version()
    present = node(iris.build(name, corpus.recipe.name, code))
    alike = [
        quad.subject
        for quad in list(store.quads_for_pattern(None, node(v.CODE_VERSION), Literal(code), graph))
        if quad.subject != present
    ]
    for build in alike:
        made = list(store.quads_for_pattern(None, node(v.GENERATED_BY), build, None))
        of_documents = [quad for quad in made if quad.graph_name != graph]
        corpus.writer.exchange(
            of_documents,
            [Quad(quad.subject, quad.predicate, present, quad.graph_name) for quad in of_documents],
        )


def _derive(corpus: Corpus, before: Mapping[str, DerivationResult]) -> DerivationResult:
    _take_over(corpus)
    kept = list(map(line, _other_makers(corpus)))
    thresholds = [threshold for each in before.values() for threshold in each.thresholds]
    return DerivationResult(chain(kept, _maker_lines(corpus), _lines(corpus, thresholds)))


def _follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    """Adds what makes new documents, where no document was made so; thresholds hold until the next build."""
    if changes.documents:
        store = corpus.writer.store
        corpus.writer.exchange([], [quad for quad in quads_of(_maker_lines(corpus)) if quad not in store])
    return {}


def _maker_lines(corpus: Corpus) -> list[str]:
    methods = _methods(corpus.recipe)
    return maker_lines(corpus.encoder_name, corpus.recipe.name, version(), methods, corpus.writer.iris)


_NAMES: Final = {
    NameFinder.RULES: "rules for names in prose, cells and records",
    NameFinder.SPACY: "rules for names in prose, cells and records, and spaCy's named entity recognition",
}


def _methods(recipe: Recipe) -> dict[str, str]:
    """The method by which a recipe makes each class of what is found and not read, in words."""
    percentile = "pairs above a percentile of their weighted signals (sage:threshold)"
    methods = {
        v.CHUNK: f"cut by the strategy {recipe.chunking.strategy}",
        v.MENTION: _NAMES[recipe.entities] + "; or the sage:ModelCall that generated it",
        v.ADJACENCY: "order of the chunks in their document, weighted by the similarity of their vectors",
        v.LINK: "hyperlinks of the file that lead to documents, and titles of documents in texts",
        **dict.fromkeys((EDGE_KINDS[kind].edge_class for kind in recipe.edges.rules), percentile),
        v.ENTITY: "one for each label after normalisation; a user's resource with the label takes its place",
    }
    if recipe.analogies.derive:
        methods[v.ANALOGOUS_EDGE] = "pairs whose skeletons are more alike than their texts (sage:threshold)"
    if recipe.concepts.derive:
        methods[v.CONCEPT] = "keywords and names, grouped by rules, a user's thesaurus and a judge"
    return methods


def _other_makers(corpus: Corpus) -> list[Quad]:
    """The statements about earlier builds by which documents that are still there were made."""
    store, iris = corpus.writer.store, corpus.writer.iris
    graph, present = node(iris.builds_graph), iris.build(corpus.encoder_name, corpus.recipe.name, version())
    kept: list[Quad] = []
    for typed in list(store.quads_for_pattern(None, node(v.TYPE), node(v.BUILD), graph)):
        build = typed.subject
        made = store.quads_for_pattern(None, node(v.GENERATED_BY), build, None)
        if build == node(present) or all(each.graph_name == graph for each in made):
            continue
        for quad in store.quads_for_pattern(build, None, None, graph):
            if quad.predicate.value in _OF_MAKERS:
                kept.append(quad)
                if quad.predicate == node(v.USED) and isinstance(quad.object, NamedNode):
                    kept += store.quads_for_pattern(quad.object, None, None, graph)
    return kept


def _lines(corpus: Corpus, thresholds: Sequence[BuildThreshold]) -> Iterator[str]:
    ended = datetime.now(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
    chunks, recipe = len(corpus.writer.vectors.iris), corpus.recipe.name
    record = BuildRecord(corpus.encoder_name, recipe, version(), chunks, ended)
    yield from build_lines(record, thresholds, corpus.writer.iris)


BUILDS = Derivation("builds", lambda iris: iris.builds_graph, _derive, _follow)
