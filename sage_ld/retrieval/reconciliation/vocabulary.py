"""The classes of the entities of a revision, and the properties that entities of each class have."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from pyoxigraph import Literal, NamedNode

from sage_ld.build.readers.rdf_resources import local_name
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.metadata_terms import name_words
from sage_ld.foundation.rdf_values import best_label, iri_of, is_iri, text_of
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.store import queries
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.queries import select
from sage_ld.retrieval.reconciliation.names import EntityNames, entity_names

_SAMPLE: Final = 200
"""Entities of a class whose statements are read to know its properties."""
_NOT_SHOWN: Final = frozenset({v.TYPE, v.REIFIES})
_DESCRIPTIONS: Final = frozenset({v.COMMENT, v.SKOS + "definition"})


class UsedTerm(NamedTuple):
    """A class or a property that entities have."""

    iri: str
    name: str
    description: str
    uses: int
    """Entities of the class; of a property, entities that have it, among those that were looked at."""


@dataclass(frozen=True)
class UsedVocabulary:
    """The classes and properties in use, the most used first."""

    classes: tuple[UsedTerm, ...]
    properties: tuple[UsedTerm, ...]
    by_class: Mapping[str, tuple[UsedTerm, ...]]
    """The properties of each class."""

    @cached_property
    def _terms(self) -> Mapping[str, UsedTerm]:
        return {each.iri: each for each in (*self.properties, *self.classes)}

    def term(self, iri: str) -> UsedTerm:
        """A class or property with its name; of one that is not in use, by its IRI alone."""
        return self._terms.get(iri) or UsedTerm(iri, _spaced(iri), "", 0)

    def property_named(self, name: str) -> str:
        """The property with an IRI or, of those in use, with a name. Raises InputError."""
        wanted = name.strip().casefold()
        found = next((each.iri for each in self.properties if each.name.casefold() == wanted), None)
        if found is None and not is_iri(name):
            raise InputError(
                f"no property of the entities is called {name[:40]!r}; /reconcile/suggest/property?prefix= "
                "lists those that they have"
            )
        return found or name


def used_vocabulary(snapshot: Snapshot, settings: Settings) -> UsedVocabulary:
    """The classes and properties of a revision, read once for it. Raises LimitError."""
    names = entity_names(snapshot, settings)
    return snapshot.derived(lambda each: _read(each.store, names), used_vocabulary)


def _read(store: Store, names: EntityNames) -> UsedVocabulary:
    said: dict[int, set[str]] = {}
    for members in [np.arange(len(names.entities)), *names.members.values()]:
        for number in _sample(members):
            if number not in said:
                said[number] = _properties(store, names.entities[number].iri)
    by_class = {name: Counter[str]() for name in names.members}
    for name, members in names.members.items():
        for number in _sample(members):
            by_class[name].update(said[number])
    every = Counter(each for found in said.values() for each in found)
    words = _words(store, {*every, *by_class})
    classes = Counter({name: len(each) for name, each in names.members.items()})
    return UsedVocabulary(
        _terms(classes, words),
        _terms(every, words),
        {name: _terms(counts, words) for name, counts in by_class.items()},
    )


def _sample(members: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[int]:
    """Some members of a class, evenly spread over it."""
    step = max(1, -(-len(members) // _SAMPLE))
    return list(members[::step].tolist())


def _properties(store: Store, iri: str) -> set[str]:
    quads = store.quads_for_pattern(NamedNode(iri), None, None)
    return {quad.predicate.value for quad in quads} - _NOT_SHOWN


def _words(store: Store, iris: Iterable[str]) -> dict[str, tuple[str, str]]:
    """A name of each term, and what it is said to mean; best in English or in no language."""
    found: dict[tuple[str, bool], list[Literal]] = defaultdict(list)
    for row in select(store, queries.bind("schema_labels", term=sorted(iris))):
        if isinstance(text := row["text"], Literal):
            is_description = text_of(row["property"]) in _DESCRIPTIONS
            found[iri_of(row["term"]) or "", is_description].append(text)

    def best(iri: str, is_description: bool) -> str:
        texts = found.get((iri, is_description), [])
        return best_label(texts) if texts else ""

    return {each: (best(each, False) or _spaced(each), best(each, True)) for each in iris}


def _spaced(iri: str) -> str:
    """The words of the last part of an IRI: `release date` of `releaseDate`."""
    first, *rest = name_words(local_name(iri)) or [iri]
    return " ".join([first, *(word if word.isupper() else word.lower() for word in rest)])


def _terms(counts: Counter[str], words: Mapping[str, tuple[str, str]]) -> tuple[UsedTerm, ...]:
    ordered = sorted(counts, key=lambda each: (-counts[each], each))
    return tuple(UsedTerm(each, *words[each], counts[each]) for each in ordered)


def terms_named(terms: Iterable[UsedTerm], prefix: str) -> list[UsedTerm]:
    """The terms whose name, a later word of it, or IRI begins so, in this order.

    >>> terms_named([UsedTerm("x:b", "birth place", "", 2), UsedTerm("x:p", "place", "", 1)], "Pl")[0].iri
    'x:p'
    """
    wanted = prefix.strip().casefold()
    found: tuple[list[UsedTerm], ...] = ([], [], [])
    for term in terms:
        name = term.name.casefold()
        if name.startswith(wanted):
            found[0].append(term)
        elif f" {wanted}" in f" {name}":
            found[1].append(term)
        elif wanted and term.iri.casefold().startswith(wanted):
            found[2].append(term)
    return [*found[0], *found[1], *found[2]]
