"""Candidates: the entities that a reconciliation query may mean, the likeliest first.

The score is the likeness of the name, from 0 to 100; half of it counts for what is of none of the classes
asked for, and half of it depends on the properties asked for, where there are any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.model import IntArray
from sage_ld.retrieval.reconciliation.names import EntityNames, NamedEntity
from sage_ld.retrieval.reconciliation.values import ALMOST, AskedProperty, ValueReader

STRICTNESS: Final = ("should", "any", "all")
"""How the classes of a query count: they raise the score, or an entity must have one of them, or all."""
_LEAST: Final = 0.3
"""The least likeness of a name."""
_OTHER_TYPE: Final = 0.5
_BY_NAME: Final = 0.5
"""The share of the score that the name has beside properties."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconciliationQuery:
    """A query for the entity that a name, classes and properties describe."""

    name: str = ""
    """A name or an IRI; empty: the properties alone choose."""
    types: tuple[str, ...] = ()
    strictness: str = STRICTNESS[0]
    properties: tuple[AskedProperty, ...] = ()
    limit: int


class ReconciliationCandidate(NamedTuple):
    """An entity that a query may mean."""

    entity: NamedEntity
    score: float
    """From 0 to 100."""
    is_match: bool
    """Whether it is sure: it alone has that label, the classes and all properties that were asked for."""
    name_likeness: float
    fits_types: bool
    property_likeness: float
    """The mean over the properties that were asked for; 0 without any."""


class _PossibleEntities(NamedTuple):
    """Entities that a query may mean before their properties are compared."""

    entities: IntArray
    likeness: NDArray[np.float64]
    fits: NDArray[np.bool_]
    exact: frozenset[int]
    """Those whose label, or IRI, is the name."""


def candidates(query: ReconciliationQuery, reader: ValueReader, most: int) -> list[ReconciliationCandidate]:
    """The candidates of a query; properties are compared of the `most` best by name. Raises LimitError."""
    names = reader.names
    every = _by_name(names, query) if query.name else _by_values(names, query, reader)
    found = _best(names, every, query, most)
    alike = [_property_likeness(reader, names.entities[each], query) for each in found.entities.tolist()]
    exact = [
        each
        for each, likeness, fits in zip(found.entities.tolist(), alike, found.fits.tolist(), strict=True)
        if each in found.exact and fits and (likeness == 1 or not query.properties)
    ]
    sure = exact[0] if len(exact) == 1 and len(found.exact) <= most else None
    result = [
        ReconciliationCandidate(
            names.entities[each], _score(query, name, fits, likeness), each == sure, name, fits, likeness
        )
        for each, name, fits, likeness in zip(
            found.entities.tolist(), found.likeness.tolist(), found.fits.tolist(), alike, strict=True
        )
    ]
    result.sort(key=lambda each: (-each.score, -each.entity.frequency, each.entity.iri))
    return result[: query.limit]


def _by_name(names: EntityNames, query: ReconciliationQuery) -> _PossibleEntities:
    likeness = np.minimum(names.likeness(query.name), ALMOST)
    exact = names.named(query.name)
    if (identified := names.number.get(query.name)) is not None:
        exact = np.array([identified], np.int64)
    likeness[exact] = 1.0
    entities = np.flatnonzero(likeness >= _LEAST)
    return _PossibleEntities(
        entities, likeness[entities], _fitting(names, query, entities), frozenset(exact.tolist())
    )


def _by_values(names: EntityNames, query: ReconciliationQuery, reader: ValueReader) -> _PossibleEntities:
    """The entities that have a value of any property asked for; none of them is a sure match."""
    having = set().union(*(reader.having(each) for each in query.properties))
    entities = np.array(sorted(having), np.int64)
    return _PossibleEntities(entities, np.ones(len(entities)), _fitting(names, query, entities), frozenset())


def _fitting(names: EntityNames, query: ReconciliationQuery, entities: IntArray) -> NDArray[np.bool_]:
    if not query.types:
        return np.ones(len(entities), np.bool_)
    return np.isin(entities, names.of_types(query.types, every=query.strictness == "all"))


def _best(
    names: EntityNames, found: _PossibleEntities, query: ReconciliationQuery, most: int
) -> _PossibleEntities:
    """The `most` best of some entities.

    A concept stands back for an entity that it was made of, and so do all but the best of those that are the
    same.
    """
    keep = found.fits if query.strictness != STRICTNESS[0] else np.ones(len(found.fits), np.bool_)
    likeness = dict(zip(found.entities[keep].tolist(), found.likeness[keep].tolist(), strict=True))
    second = {
        concept
        for concept in likeness.keys() & names.joined.keys()
        if any(likeness.get(each, -1.0) >= likeness[concept] for each in names.joined[concept])
    }
    keep &= ~np.isin(found.entities, list(second))
    entities, by_name, fits = found.entities[keep], found.likeness[keep], found.fits[keep]
    frequencies = np.array([names.entities[each].frequency for each in entities.tolist()], np.int64)
    order = np.lexsort((entities, -frequencies, -by_name * np.where(fits, 1, _OTHER_TYPE)))
    first = np.sort(np.unique(names.group[entities[order]], return_index=True)[1])
    exact = found.exact & frozenset(entities[order][first].tolist())
    order = order[first][:most]
    return _PossibleEntities(entities[order], by_name[order], fits[order], exact)


def _property_likeness(reader: ValueReader, entity: NamedEntity, query: ReconciliationQuery) -> float:
    alike = [reader.likeness(entity.iri, each) for each in query.properties]
    return sum(alike) / len(alike) if alike else 0.0


def _score(query: ReconciliationQuery, name: float, fits: bool, properties: float) -> float:
    score = 100 * name * (1.0 if fits else _OTHER_TYPE)
    if query.properties:
        share = _BY_NAME if query.name else 0.0
        score *= share + (1 - share) * properties
    return round(score, 2)


def suggested(names: EntityNames, prefix: str, types: Sequence[str] = ()) -> list[NamedEntity]:
    """The entities whose label begins so, the most mentioned first; then those with a similar label."""
    beginning, similar = names.beginning(prefix), np.zeros(0, np.int64)
    if prefix:
        likeness = names.likeness(prefix)
        similar = np.setdiff1d(np.flatnonzero(likeness >= _LEAST), beginning)
        similar = similar[np.argsort(-likeness[similar], kind="stable")]
    if (identified := names.number.get(prefix)) is not None:
        beginning = np.array([identified], np.int64)
    first = sorted(
        beginning.tolist(), key=lambda each: (-names.entities[each].frequency, names.entities[each].name)
    )
    exact = set(names.named(prefix).tolist())
    first.sort(key=lambda each: each not in exact)
    found = [*first, *similar.tolist()]
    if types:
        fitting = set(names.of_types(types).tolist())
        found = [each for each in found if each in fitting]
    return [names.entities[each] for each in found]
