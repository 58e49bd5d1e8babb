"""The entities of a revision by their labels: those that texts mention, concepts, and resources of users."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import Literal, NamedNode

from sage_ld.build.annotators.labels import entity_label
from sage_ld.build.readers.rdf_resources import LABELS, OTHER_LABELS, local_name, preferred_labels
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.model import IntArray
from sage_ld.foundation.rdf_values import integer_of, iri_of
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.store import queries
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.queries import select
from sage_ld.graph.store.resources import TERM_CLASSES
from sage_ld.graph.store.terms import node
from sage_ld.retrieval.reconciliation.trigrams import TrigramIndex

_LAST: Final = "\U0010ffff"
_SUBCLASS: Final = v.RDFS + "subClassOf"
_NAMES: Final = (*LABELS, *OTHER_LABELS, v.HIDDEN_LABEL)
"""The properties by whose values an entity is found."""


class NamedEntity(NamedTuple):
    """An entity that a name may mean."""

    iri: str
    name: str
    types: tuple[str, ...]
    """IRIs of the classes that it is stated to be of, those of the fewest entities first."""
    frequency: int
    """The number of chunks that mention it."""


@dataclass(frozen=True)
class EntityNames:
    """The entities of a revision, and their labels in alphabetical order."""

    entities: Sequence[NamedEntity]
    labels: Sequence[str]
    """As `entity_label` writes them, sorted: two labels that are equal name the same."""
    entity_of: IntArray
    """The entity of each label."""
    members: Mapping[str, IntArray]
    """The entities of each class and of its subclasses, ascending."""
    joined: Mapping[int, frozenset[int]]
    """The entities that a concept of ours was made of, or that users say is the same."""
    group: IntArray
    """(n,) numbers that are equal for entities that users say are the same."""

    @cached_property
    def number(self) -> Mapping[str, int]:
        """The place of each entity, by its IRI."""
        return {each.iri: place for place, each in enumerate(self.entities)}

    @cached_property
    def _trigrams(self) -> TrigramIndex:
        return TrigramIndex(self.labels)

    @cached_property
    def _label_order(self) -> IntArray:
        return np.argsort(self.entity_of, kind="stable")

    def labels_of(self, entity: int) -> list[str]:
        """All labels of an entity."""
        order = self._label_order
        begin, end = np.searchsorted(self.entity_of[order], [entity, entity + 1])
        return [self.labels[row] for row in order[begin:end].tolist()]

    def named(self, name: str) -> IntArray:
        """The entities with a label equal to a name, ascending."""
        label = entity_label(name)
        return self._between(label, label + "\0") if label else np.zeros(0, np.int64)

    def beginning(self, prefix: str) -> IntArray:
        """The entities with a label that begins so, ascending."""
        label = entity_label(prefix)
        return self._between(label, label + _LAST)

    def _between(self, first: str, end: str) -> IntArray:
        begin = bisect_left(self.labels, first)
        return np.unique(self.entity_of[begin : bisect_left(self.labels, end, begin)])

    def likeness(self, name: str) -> NDArray[np.float64]:
        """(n,) how like a name the label of each entity is that is most like it, from 0 to 1."""
        best = np.zeros(len(self.entities))
        np.maximum.at(best, self.entity_of, self._trigrams.likeness(name))
        return best

    def of_types(self, types: Iterable[str], every: bool = False) -> IntArray:
        """The entities of any of some classes, or of all of them, ascending."""
        lists = [self.members.get(each, np.zeros(0, np.int64)) for each in types]
        numbers, counts = np.unique(np.concatenate([np.zeros(0, np.int64), *lists]), return_counts=True)
        return numbers[counts == len(lists)] if every else numbers


def entity_names(snapshot: Snapshot, settings: Settings) -> EntityNames:
    """The entities of a revision, read once for it. Raises LimitError for more labels than may be kept."""
    most = settings.max_entity_names
    return snapshot.derived(lambda each: _read(each, most), (entity_names, most))


class _Labelled(NamedTuple):
    """An entity as the store has it."""

    iri: str
    name: str
    keys: frozenset[str]
    types: frozenset[str]


def _read(snapshot: Snapshot, most: int) -> EntityNames:
    store, base = snapshot.store, snapshot.configuration.base_iri
    found = list(_labelled(store, base, _labels(store, base, most)))
    above, members = _Superclasses(store), defaultdict[str, list[int]](list)
    for number, each in enumerate(found):
        for name in each.types.union(*map(above, each.types)):
            members[name].append(number)
    counts = _frequencies(store)
    numbers = {each.iri: number for number, each in enumerate(found)}
    labels = sorted((key, number) for number, each in enumerate(found) for key in each.keys)
    return EntityNames(
        [
            NamedEntity(
                each.iri,
                each.name,
                tuple(sorted(each.types, key=lambda name: (len(members[name]), name))),
                counts.get(each.iri, 0),
            )
            for each in found
        ],
        [label for label, _ in labels],
        np.array([number for _, number in labels], np.int64),
        {name: np.array(each, np.int64) for name, each in members.items()},
        _joined(store, base, numbers),
        _groups(store, base, numbers),
    )


def _labelled(
    store: Store, base: str, stated: Mapping[str, Mapping[str, list[Literal]]]
) -> Iterator[_Labelled]:
    """The entities with their labels, by IRI; not classes and properties, nor names that mean resources."""
    types = defaultdict[str, set[str]](set)
    for row in select(store, queries.bind("labelled_classes", label=_NAMES)):
        iri, name = iri_of(row["entity"]), iri_of(row["class"])
        if iri is not None and iri in stated and name is not None:
            types[iri].add(name)
    derived = Iris(base).resources_graph  # users may state dcterms:isReplacedBy of resources of theirs
    meant = {*_subjects(store, v.IS_REPLACED_BY, derived), *_subjects(store, v.CANDIDATE, derived)}
    for iri in sorted(stated.keys() - meant):
        texts = [each for values in stated[iri].values() for each in values]
        keys = frozenset(entity_label(each.value) for each in texts) - {""}
        if keys and TERM_CLASSES.isdisjoint(types[iri]):
            shown = [each for name in OTHER_LABELS for each in stated[iri].get(name, ())]
            best = [each.value for each in preferred_labels(stated[iri]) or sorted(shown, key=str)]
            yield _Labelled(iri, (best or [local_name(iri)])[0], keys, frozenset(types[iri]))


def _labels(store: Store, base: str, most: int) -> dict[str, dict[str, list[Literal]]]:
    """The labels of each entity, by property. Raises LimitError."""
    stated: dict[str, dict[str, list[Literal]]] = defaultdict(lambda: defaultdict(list))
    count = 0
    for name in _NAMES:
        for quad in store.quads_for_pattern(None, node(name), None):
            iri = iri_of(quad.subject)
            if iri is not None and isinstance(quad.object, Literal) and _is_entity(iri, base):
                stated[iri][name].append(quad.object)
                count += 1
                if count > most:
                    raise LimitError.of(
                        "the names of entities", count, most, "names", "max_entity_names",
                        "reconcile with a smaller graph",
                    )  # fmt: skip
    return stated


def _is_entity(iri: str, base: str) -> bool:
    """Whether an IRI is a user's, or that of an entity or a concept of ours: not of a document or chunk."""
    return not iri.startswith(base) or iri.startswith((base + "entity/", base + "concept/"))


def _subjects(store: Store, predicate: str, graph: str) -> Iterator[str]:
    quads = store.quads_for_pattern(None, node(predicate), None, node(graph))
    return (quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode))


def _frequencies(store: Store) -> dict[str, int]:
    """The number of chunks that mention each entity."""
    quads = store.quads_for_pattern(None, node(v.CHUNK_FREQUENCY), None)
    counts = ((iri_of(quad.subject), integer_of(quad.object)) for quad in quads)
    return {iri: count for iri, count in counts if iri is not None and count is not None}


class _Superclasses:
    """The classes above each class, by the statements `rdfs:subClassOf` of the graph."""

    def __init__(self, store: Store) -> None:
        self._direct: dict[str, set[str]] = defaultdict(set)
        for quad in store.quads_for_pattern(None, NamedNode(_SUBCLASS), None):
            below, above = iri_of(quad.subject), iri_of(quad.object)
            if below is not None and above is not None:
                self._direct[below].add(above)

    def __call__(self, name: str) -> set[str]:
        found: set[str] = set()
        waiting = [name]
        while waiting:
            new = self._direct.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return found


def _joined(store: Store, base: str, numbers: Mapping[str, int]) -> dict[int, frozenset[int]]:
    """The entities that stand for a concept of ours as well."""
    joined: dict[int, set[int]] = defaultdict(set)
    for name in (v.FOCUS, v.EXACT_MATCH):
        for quad in store.quads_for_pattern(None, node(name), None):
            concept, other = iri_of(quad.subject), iri_of(quad.object)
            if concept is None or other is None or not concept.startswith(base + "concept/"):
                continue
            if concept in numbers and other in numbers:
                joined[numbers[concept]].add(numbers[other])
    return {concept: frozenset(each) for concept, each in joined.items()}


def _groups(store: Store, base: str, numbers: Mapping[str, int]) -> IntArray:
    """(n,) the group of each entity: those that users say are the same, or replaced by one another."""
    from scipy.sparse import coo_array  # which nothing else here needs
    from scipy.sparse.csgraph import connected_components

    pairs = list[tuple[int, int]]()
    for name in (v.OWL + "sameAs", v.EXACT_MATCH, v.IS_REPLACED_BY):
        for quad in store.quads_for_pattern(None, node(name), None):
            one, other = iri_of(quad.subject) or "", iri_of(quad.object) or ""
            if one in numbers and other in numbers and not one.startswith(base + "concept/"):
                pairs.append((numbers[one], numbers[other]))
    ends = np.array(pairs, np.int64).reshape(-1, 2).T
    matrix = coo_array((np.ones(len(pairs)), (ends[0], ends[1])), shape=(len(numbers), len(numbers)))
    group: IntArray = connected_components(matrix, directed=False)[1].astype(np.int64)
    return group
