"""Concepts: keywords and names of entities that name one thing, and the chunks about each.

The terms are grouped by `sage_ld.concepts`; a term that is alone has no concept: its keyword or entity says
all there is. After a change the terms are grouped anew, and what differs is written: reading them costs in
proportion to the graph, and all else to the change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from pyoxigraph import Literal, NamedNode

from sage_ld import vocabulary as v
from sage_ld.concepts.grouping import Grouping, GroupingOptions, group_terms
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, Derived
from sage_ld.graph.writer import Writer
from sage_ld.model import FloatArray
from sage_ld.store.iris import Iris
from sage_ld.store.nquads import LineCollector, integer, quads_of
from sage_ld.store.protocol import Store
from sage_ld.store.terms import node


@dataclass(slots=True)
class _Term:
    """A term of the vocabulary, whatever the case it is written in."""

    name: str | None = None
    """How the entity with this name is written, the first of several in order."""
    keyword_chunks: set[str] = field(default_factory=set)
    """IRIs of the chunks that have it as a keyword."""
    chunks: set[str] = field(default_factory=set)
    """IRIs of the chunks that have it as a keyword, or mention the entity."""
    entities: set[str] = field(default_factory=set)
    """IRIs of the entities with this name."""


def _derive(corpus: Corpus, _before: Mapping[str, Derived]) -> Derived:
    return Derived(_lines(corpus))


def _follow(corpus: Corpus, _changes: Changes) -> Mapping[str, int]:
    if not corpus.recipe.concepts.derive:
        return {}
    writer = corpus.writer
    graph = node(writer.iris.concepts_graph)
    before = set(writer.store.quads_for_pattern(None, None, None, graph))
    after = set(quads_of(_lines(corpus)))
    writer.exchange(sorted(before - after, key=str), sorted(after - before, key=str))
    return {}


def _lines(corpus: Corpus) -> Iterator[str]:
    """What the graph of concepts says, from the entities' graph as it is when the first is asked for."""
    writer, wanted = corpus.writer, corpus.recipe.concepts
    if not wanted.derive:
        return
    terms = _vocabulary(writer, wanted.least_chunks)
    texts = {term.name or key: key for key, term in terms.items()}
    counts = {text: len(terms[key].chunks) for text, key in texts.items()}
    grouping = group_terms(
        counts,
        lambda wanted_texts: _unit(writer, wanted_texts),
        GroupingOptions(near_threshold=wanted.near_threshold, max_group_size=wanted.max_group_size),
    )
    yield from _concept_lines(grouping, {text: terms[key] for text, key in texts.items()}, writer.iris)


def _unit(writer: Writer, texts: Sequence[str]) -> FloatArray:
    """The vectors of terms at length 1, which those of a lexical encoder have not."""
    vectors = writer.encoder.encode(texts)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths, lengths, 1), np.float32)


def _vocabulary(writer: Writer, least_chunks: int) -> dict[str, _Term]:
    """The terms by their text in lower case."""
    store, indexed = writer.store, set(writer.vectors.iris)
    terms: defaultdict[str, _Term] = defaultdict(_Term)
    for quad in store.quads_for_pattern(None, node(v.KEYWORDS), None, None):
        chunk, keyword = quad.subject, quad.object
        if isinstance(chunk, NamedNode) and isinstance(keyword, Literal) and chunk.value in indexed:
            terms[keyword.value.casefold()].keyword_chunks.add(chunk.value)
    labels: dict[str, str] = {}
    for quad in store.quads_for_pattern(None, node(v.MENTIONS), None, None):
        chunk, entity = quad.subject, quad.object
        if isinstance(chunk, NamedNode) and isinstance(entity, NamedNode) and chunk.value in indexed:
            if entity.value not in labels:
                labels[entity.value] = _label(store, entity, writer.iris)
            if label := labels[entity.value]:
                term = terms[label.casefold()]
                term.name = label if term.name is None else min(term.name, label)
                term.chunks.add(chunk.value)
                term.entities.add(entity.value)
    for term in terms.values():
        term.chunks |= term.keyword_chunks
    return {
        key: term
        for key, term in terms.items()
        if key and (term.entities or len(term.keyword_chunks) >= least_chunks)
    }


def _label(store: Store, entity: NamedNode, iris: Iris) -> str:
    """The preferred label of an entity: ours, else the first in order that a user's RDF gives it."""
    for graph in (node(iris.entities_graph), None):
        quads = store.quads_for_pattern(entity, node(v.PREF_LABEL), None, graph)
        if labels := sorted(quad.object.value for quad in quads if isinstance(quad.object, Literal)):
            return labels[0]
    return ""


def _concept_lines(grouping: Grouping, terms: Mapping[str, _Term], iris: Iris) -> Iterator[str]:
    out = LineCollector(iris.concepts_graph)
    for group in grouping.groups:
        concept = NamedNode(iris.concept(group.canonical))
        out.typed(concept, v.CONCEPT)
        out.text(concept, v.PREF_LABEL, group.canonical)
        for text in group.terms:
            out.text(concept, v.ALT_LABEL, text if text != group.canonical else None)
        for entity in sorted({entity for text in group.terms for entity in terms[text].entities}):
            out.add(concept, v.CLOSE_MATCH, NamedNode(entity))
        chunks = {chunk for text in group.terms for chunk in terms[text].chunks}
        out.add(concept, v.CHUNKS_ABOUT, integer(len(chunks)))
        for chunk in sorted(chunks):
            out.add(NamedNode(chunk), v.ABOUT, concept)
        yield from out.take()
    for one, other, _ in grouping.near_misses:
        first, second = NamedNode(iris.concept(one)), NamedNode(iris.concept(other))
        out.add(first, v.RELATED, second)
        out.add(second, v.RELATED, first)
        yield from out.take()


def _graph(iris: Iris) -> str:
    return iris.concepts_graph


CONCEPTS = Derivation("concepts", _graph, _derive, _follow)
