"""The relations that a question follows: which properties, at which weights, and on which day."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from pyoxigraph import Literal, NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.caches import ComputedOnce
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.rdf_values import iri_of
from sage_ld.foundation.relation_types import RelationType, RelationTypes
from sage_ld.graph import Snapshot
from sage_ld.graph.store import queries
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.queries import select
from sage_ld.graph.store.relations import relation_types
from sage_ld.graph.store.terms import double, node

MOST_FOLLOWED: Final = 8
"""Results for channels and relations that are kept of a revision: each may be as large as the graph."""
T = TypeVar("T")


class FollowedProperty(NamedTuple):
    """A property that states relations of a type."""

    iri: str
    type: str
    """The IRI of the type."""
    forward: str
    """The name of the relation from subject to object."""
    backward: str
    weight: float
    """Of the type, in 0..1."""
    elsewhere: bool
    """Whether it is another vocabulary's, and followed between users' resources only."""

    def row(self) -> tuple[str | Literal, ...]:
        """The row that the query of the channel takes."""
        return (
            self.iri,
            Literal(self.forward),
            Literal(self.backward),
            double(self.weight),
            Literal(self.elsewhere),
        )


@dataclass(frozen=True, slots=True)
class FollowedRelations:
    """The relations that the channel `relation` follows."""

    properties: tuple[FollowedProperty, ...] = ()
    """The types that the graph uses; without any, nothing is asked."""
    day: str = ""
    """The day, such as `2024-05-17`, on which edges are to be valid; empty for any."""


NO_RELATIONS: Final = FollowedRelations()


def followed_relations(
    snapshot: Snapshot, names: Sequence[str] | None = None, day: str = ""
) -> FollowedRelations:
    """The relations of a revision, of all types or of those named and their inverses.

    Raises InputError for a name that is not a type of the graph.
    """
    types, properties = snapshot.derived(_in_use)
    if names is not None:
        try:
            wanted = types.with_inverses(names)
        except InputError as error:
            raise InputError(f"relations: {error}") from None
        properties = tuple(each for each in properties if each.type in wanted)
    return FollowedRelations(properties, day)


def kept(snapshot: Snapshot, make: Callable[[Snapshot], T], key: Hashable, relations: FollowedRelations) -> T:
    """The result of `make`, which depends on `key` and on what relations are followed: computed once.

    Only a few are kept, those that were asked for last, since clients may choose any channels and any day.
    """
    return snapshot.derived(_followed_results).get((key, relations), lambda: make(snapshot))


def _followed_results(_snapshot: Snapshot) -> ComputedOnce:
    return ComputedOnce(MOST_FOLLOWED)


def _in_use(snapshot: Snapshot) -> tuple[RelationTypes, tuple[FollowedProperty, ...]]:
    """The table of types, and the properties that the graph states relations with."""
    types = relation_types(snapshot.stores.named, Iris(snapshot.configuration.base_iri))
    found = {each.iri: each for each in _used(snapshot.store, types)}
    return types, tuple(found[iri] for iri in sorted(found))


def _used(store: Store, types: RelationTypes) -> Iterator[FollowedProperty]:
    """One for each property; where a type's own is another's match, it is its own."""
    for each in types.types.values():
        for match in each.matches:
            joining = store.quads_for_pattern(
                NamedNode(match), node(v.TYPE), node(v.STATEMENT_PROPERTY), None
            )
            if next(joining, None) is not None:
                yield _followed(match, each, types, elsewhere=True)
    stated = {iri for row in select(store, queries.text("relations_in_use")) if (iri := iri_of(row["type"]))}
    for iri in sorted(types.types.keys() | stated):
        if next(store.quads_for_pattern(None, NamedNode(iri), None, None), None) is not None:
            yield _followed(iri, types.of(iri), types, elsewhere=False)


def _followed(iri: str, relation: RelationType, types: RelationTypes, *, elsewhere: bool) -> FollowedProperty:
    forward = _short(relation.name)
    backward = f"^{forward}" if relation.inverse is None else _short(types.of(relation.inverse).name)
    return FollowedProperty(iri, relation.iri, forward, backward, relation.weight, elsewhere)


def _short(name: str) -> str:
    """The name, or the last part of an IRI."""
    return re.split("[/#:]", name)[-1] or name
