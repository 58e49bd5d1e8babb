"""The concepts of a graph, read from a revision: their labels and how many chunks are about each."""

from __future__ import annotations

from collections import defaultdict
from typing import Final, NamedTuple

from pyoxigraph import Literal, NamedNode

from sage_ld.build.concepts.lookup import CanonicalLookup
from sage_ld.build.encoders import Encoder
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.rdf_values import integer_of, iri_of
from sage_ld.graph.derivations.concept_vocabulary import unit_vectors
from sage_ld.graph.snapshot import Snapshot
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.terms import node

_TEXTS: Final = (v.PREF_LABEL, v.ALT_LABEL)


class Concept(NamedTuple):
    """A concept: terms that name one thing."""

    iri: str
    label: str
    """The preferred one."""
    aliases: tuple[str, ...]
    """The other terms, sorted."""
    chunks: int
    """The number of chunks about it."""
    matches: tuple[str, ...]
    """IRIs of the entities that have these names, and of a user's concept with them, sorted."""
    related: tuple[str, ...]
    """IRIs of the concepts that are near and not the same, sorted."""
    exact_matches: tuple[str, ...] = ()
    """The concepts of users among `matches`, sorted."""

    @property
    def terms(self) -> tuple[str, ...]:
        """All of its terms, the preferred one first."""
        return (self.label, *self.aliases)


def all_concepts(snapshot: Snapshot) -> tuple[Concept, ...]:
    """The concepts of a revision, those of the most chunks first, of as many by their labels.

    What an update has written beside them, such as a concept without a preferred label, does not count.
    """
    graph = node(Iris(snapshot.configuration.base_iri).concepts_graph)
    values: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    counts: dict[str, int] = {}
    for name in (*_TEXTS, v.CLOSE_MATCH, v.EXACT_MATCH, v.RELATED, v.CHUNKS_ABOUT):
        for quad in snapshot.stores.named.quads_for_pattern(None, node(name), None, graph):
            if (concept := iri_of(quad.subject)) is None:
                continue
            if name == v.CHUNKS_ABOUT:
                counts[concept] = integer_of(quad.object) or 0
            elif isinstance(quad.object, Literal if name in _TEXTS else NamedNode):
                values[concept][name].append(quad.object.value)
    found = [
        Concept(
            iri,
            min(said[v.PREF_LABEL]),
            tuple(sorted(said[v.ALT_LABEL])),
            counts.get(iri, 0),
            tuple(sorted({*said[v.CLOSE_MATCH], *said[v.EXACT_MATCH]})),
            tuple(sorted(said[v.RELATED])),
            tuple(sorted(said[v.EXACT_MATCH])),
        )
        for iri, said in values.items()
        if said[v.PREF_LABEL]
    ]
    return tuple(sorted(found, key=lambda each: (-each.chunks, each.label)))


def with_text(concepts: tuple[Concept, ...], text: str) -> tuple[Concept, ...]:
    """The concepts with a term that contains a text, in whatever case."""
    wanted = text.casefold()
    return tuple(each for each in concepts if any(wanted in term.casefold() for term in each.terms))


def synonym_table(concepts: tuple[Concept, ...]) -> dict[str, str]:
    """Each term of a concept, and the preferred one."""
    return {term: each.label for each in concepts for term in each.terms}


def lookup_of(concepts: tuple[Concept, ...], encoder: Encoder, fallback_threshold: float) -> CanonicalLookup:
    """The lookup of canonical terms in concepts, whose preferred labels are encoded."""
    names = tuple(each.label for each in concepts)
    return CanonicalLookup(
        synonym_table(concepts),
        names,
        unit_vectors(encoder, names) if names else None,
        lambda term: unit_vectors(encoder, [term])[0],
        fallback_threshold,
    )
