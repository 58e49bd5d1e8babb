"""The vocabulary of a graph: its keywords and the names of its entities, with the chunks that have each.

A user's thesaurus, the `skos:Concept`s of the RDF that was ingested with their labels, adds to it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pyoxigraph import Literal, NamedNode

from sage_ld.build.concepts.judgements import AliasJudgement
from sage_ld.build.encoders import Encoder
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.arrays import unit_rows
from sage_ld.foundation.model import FloatArray
from sage_ld.graph.store import resources
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node


class ThesaurusConcept(NamedTuple):
    """A concept of a user."""

    iri: str
    labels: tuple[str, ...]
    """The preferred one first; those that another concept has too, in whatever case, are left out."""


def thesaurus(store: Store, iris: Iris) -> list[ThesaurusConcept]:
    """The concepts of users' documents and retrievable graphs that have a label of their own, by their IRIs.

    A look-up for each resource of users' RDF: nothing in a graph of texts and tables.
    """
    read = {iri: tuple(concept_labels(store, iri, iris)) for iri in sorted(resources.described(store, iris))}
    count = Counter(label.casefold() for labels in read.values() for label in labels)
    own = {iri: tuple(each for each in labels if count[each.casefold()] == 1) for iri, labels in read.items()}
    return [ThesaurusConcept(iri, labels) for iri, labels in own.items() if labels]


def concept_labels(store: Store, concept: str, iris: Iris) -> Iterator[str]:
    """The labels of a concept, the best first, each once in whatever case; none of another resource."""
    if not any(store.quads_for_pattern(NamedNode(concept), node(v.TYPE), node(v.CONCEPT), None)):
        return
    said, taken = resources.labels(store, concept, iris), set[str]()
    if v.CONCEPT not in said.types:  # not by a graph that describes resources
        return
    for label in (*said.preferred, *said.others):
        if (text := label.value.strip()) and text.casefold() not in taken:
            taken.add(text.casefold())
            yield text


MOST_READ: Final = 100
"""Chunks in which it is looked for what introduces an acronym, the first in order of IRI."""


@dataclass(slots=True)
class Term:
    """A term of the vocabulary, whatever the case it is written in."""

    name: str | None = None
    """How a thesaurus writes it, or else the entity with this name, the first of several in order."""
    keyword_chunks: set[str] = field(default_factory=set)
    """IRIs of the chunks that have it as a keyword."""
    chunks: set[str] = field(default_factory=set)
    """IRIs of the chunks that have it as a keyword, or mention the entity."""
    entities: set[str] = field(default_factory=set)
    """IRIs of the entities with this name."""
    stated: str = ""
    """IRI of the user's concept that it is a label of; '' for none."""


def unit_vectors(encoder: Encoder, texts: Sequence[str]) -> FloatArray:
    """(n, d) the vectors of terms at length 1, which those of a lexical encoder have not."""
    return unit_rows(encoder.encode(texts))


def vocabulary(
    store: Store,
    chunks: Iterable[str],
    iris: Iris,
    least_chunks: int,
    stated: Iterable[ThesaurusConcept] = (),
) -> dict[str, Term]:
    """The terms of some chunks (IRIs), by their text in lower case.

    A keyword is one if it is the name of an entity too, or if at least `least_chunks` chunks have it.
    The labels of a thesaurus's concepts, `stated`, are written so, and are part of it without any chunk, too.
    """
    terms = _terms(store, set(chunks), iris)
    found = {
        key: term
        for key, term in terms.items()
        if key and (term.entities or len(term.keyword_chunks) >= least_chunks)
    }
    for concept in stated:
        for label in concept.labels:
            found[label.casefold()] = term = terms[label.casefold()]
            term.name, term.stated = label, concept.iri
    return found


def _terms(store: Store, indexed: Collection[str], iris: Iris) -> defaultdict[str, Term]:
    """All terms of the indexed chunks, whatever their number."""
    terms: defaultdict[str, Term] = defaultdict(Term)
    for chunk, keyword in _said(store, v.KEYWORDS, Literal):
        if chunk in indexed:
            terms[keyword.casefold()].keyword_chunks.add(chunk)
    names = _labels(store, iris)
    for chunk, entity in _said(store, v.MENTIONS, NamedNode):
        if chunk in indexed:
            if entity not in names:
                names[entity] = _label_of_user(store, iris, entity)
            if label := names[entity]:
                term = terms[label.casefold()]
                term.name = label if term.name is None else min(term.name, label)
                term.chunks.add(chunk)
                term.entities.add(entity)
    for term in terms.values():
        term.chunks |= term.keyword_chunks
    return terms


def _said(store: Store, predicate: str, kind: type[Literal | NamedNode]) -> Iterator[tuple[str, str]]:
    """The IRI of each subject of a property, with each value of a kind."""
    for quad in store.quads_for_pattern(None, node(predicate), None, None):
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, kind):
            yield quad.subject.value, quad.object.value


def introduces(store: Store, chunks: Iterable[str], one: str, other: str) -> bool:
    """Whether a text of some chunks (IRIs) has one of two terms in parentheses behind the other."""
    if not (read := sorted(chunks)[:MOST_READ]):
        return False
    forms = [f"{before} ({behind}" for before, behind in ((one, other), (other, one))]
    wanted = re.compile("|".join(rf"(?<!\w){re.escape(each.casefold())}(?!\w)" for each in forms))
    for chunk in read:
        said = (quad.object for quad in store.quads_for_pattern(NamedNode(chunk), node(v.TEXT), None, None))
        texts = (each.value.casefold() for each in said if isinstance(each, Literal))
        if any(wanted.search(" ".join(text.split())) for text in texts):
            return True
    return False


def judgements(store: Store, iris: Iris) -> list[AliasJudgement]:
    """The judgements on groups of terms, as the graph of concepts has them.

    Anything else that an update has written there is ignored.
    """
    graph = node(iris.concepts_graph)
    quads = store.quads_for_pattern(graph, node(v.JUDGEMENT), None, graph)
    found = []
    for text in sorted(quad.object.value for quad in quads if isinstance(quad.object, Literal)):
        with suppress(ValueError):
            found.append(AliasJudgement.from_json(text))
    return found


def _labels(store: Store, iris: Iris) -> dict[str, str]:
    """The preferred labels that we ourselves give entities, by their IRIs."""
    found: dict[str, str] = {}
    for quad in store.quads_for_pattern(None, node(v.PREF_LABEL), None, node(iris.entities_graph)):
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal):
            label = quad.object.value
            found[quad.subject.value] = min(label, found.get(quad.subject.value, label))
    return found


def entity_name(store: Store, iris: Iris, entity: str) -> str:
    """The preferred label of an entity (IRI): our own, else that of a user's RDF; '' for none."""
    quads = store.quads_for_pattern(NamedNode(entity), node(v.PREF_LABEL), None, node(iris.entities_graph))
    own = min((quad.object.value for quad in quads if isinstance(quad.object, Literal)), default=None)
    return _label_of_user(store, iris, entity) if own is None else own


def keyword_chunks(store: Store, key: str) -> Iterator[str]:
    """The chunks (IRIs) that have a keyword."""
    return _subjects(store, v.KEYWORDS, Literal(key))


def mentioning_chunks(store: Store, entity: str) -> Iterator[str]:
    """The chunks (IRIs) that mention an entity (IRI)."""
    return _subjects(store, v.MENTIONS, NamedNode(entity))


def _subjects(store: Store, predicate: str, value: Literal | NamedNode) -> Iterator[str]:
    for quad in store.quads_for_pattern(None, node(predicate), value, None):
        if isinstance(quad.subject, NamedNode):
            yield quad.subject.value


def _label_of_user(store: Store, iris: Iris, entity: str) -> str:
    """The best of the preferred labels that users' RDF gives an entity; '' for none."""
    preferred = resources.labels(store, entity, iris).preferred
    return preferred[0].value if preferred else ""
