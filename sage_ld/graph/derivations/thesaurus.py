"""A user's thesaurus: the `skos:Concept`s of the RDF that was ingested, with their labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from pyoxigraph import NamedNode

from sage_ld.foundation import vocabulary as v
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
    if v.CONCEPT not in said.types:  # it is one as an entity that texts mention
        return
    for label in (*said.preferred, *said.others):
        if (text := label.value.strip()) and text.casefold() not in taken:
            taken.add(text.casefold())
            yield text
