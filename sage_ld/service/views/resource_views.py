"""The view of a resource on its page, read from one revision."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flask import url_for
from pyoxigraph import Literal, NamedNode, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.rdf_values import integer_of
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node
from sage_ld.service.representations.labels import Names, Reference, cut, inverse_label, property_label
from sage_ld.service.representations.resource_statements import EDGE_ENDS, statements

_SHOWN_ABOVE: Final = frozenset({v.TYPE, v.TEXT, v.REIFIES})
_TECHNICAL: Final = frozenset(
    {v.CONTENT_HASH, v.FILE_ROOT, v.FILE_PATH, v.PATCHED_KEY, v.BEGIN_INDEX, v.END_INDEX, v.POSITION}
)
"""Properties that programs need more than people; they stand below the rest."""
SHOWN_IN_DOCUMENTS: Final = frozenset(
    {v.IS_PART_OF, v.LINKS_TO, v.TARGET, v.NAME, v.IDENTIFIER, v.ENCODING_FORMAT, v.IN_LANGUAGE}
)
SHOWN_IN_CHUNKS: Final = frozenset(
    {v.SOURCE, v.TARGET, v.NEXT, v.SIMILAR_TO, v.ANALOGOUS_TO, v.IS_PART_OF, v.MENTIONS, v.KEYWORDS}
    | {v.TOPIC, v.HEADING, v.PLACE, v.NAME, v.LINKS_TO, v.COLUMN, v.CELL}
)
SHOWN_IN_ENTITIES: Final = frozenset({v.MENTIONS, v.TARGET, v.SHARED_ENTITY, v.BY_LABEL, v.CHUNK_FREQUENCY})


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a property: a resource, or a text."""

    text: str
    reference: Reference | None = None
    position: int = 0
    """The place of a part in its whole."""


@dataclass(frozen=True, slots=True)
class PropertyRow:
    """A property and its values."""

    label: str
    iri: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class ReifiedStatement:
    """A statement that an edge is about."""

    subject: Reference
    predicate: str
    object: Reference


@dataclass(frozen=True, slots=True)
class ResourcePage:
    """The data of the page of any resource."""

    resource: Reference
    types: tuple[Reference, ...]
    text: str | None
    statements: tuple[ReifiedStatement, ...]
    """The nodes that it joins as an edge."""
    rows: tuple[PropertyRow, ...]
    technical: tuple[PropertyRow, ...]
    """What it says of itself for programs, or what its page shows above in another form."""
    incoming: tuple[PropertyRow, ...]
    left_out: int
    """Statements that name it, beyond those shown."""


def resource_page(
    store: Store, iri: str, names: Names, most: int, shown: Collection[str] = frozenset()
) -> ResourcePage:
    """The resource `iri` with at most `most` statements that name it.

    The predicates in `shown` are those that its page shows in another form.
    """
    quads = statements(store, iri, most, shown)
    types, texts = _values(quads.outgoing, v.TYPE), _values(quads.outgoing, v.TEXT)
    reified = tuple(_reified(quads.outgoing, names))
    folded = _TECHNICAL | set(shown) | (EDGE_ENDS if reified else frozenset())
    return ResourcePage(
        names.reference(iri),
        _classes(set(types)),
        texts[0] if texts else None,
        reified,
        _rows([each for each in quads.outgoing if each.predicate.value not in folded], names),
        _rows([each for each in quads.outgoing if each.predicate.value in folded], names),
        _incoming(quads.incoming, names),
        quads.left_out,
    )


# --- inside ---


def _values(triples: Sequence[Triple], predicate: str) -> list[str]:
    return [
        triple.object.value
        for triple in triples
        if triple.predicate.value == predicate and isinstance(triple.object, NamedNode | Literal)
    ]


def _classes(types: set[str]) -> tuple[Reference, ...]:
    """The classes of a resource that tell it from others; of an entity without such, that it is one."""
    general = {v.ENTITY, v.SCHEMA_THING}
    if types == general:
        return (_class(v.ENTITY),)
    return tuple(_class(each) for each in sorted((types - general) or types))


def _class(iri: str) -> Reference:
    label = property_label(iri)
    href = f"{url_for('publishing.ontology')}#{iri.removeprefix(v.SAGE)}" if iri.startswith(v.SAGE) else None
    return Reference(iri, cut(label), href)


def _reified(triples: Sequence[Triple], names: Names) -> Iterator[ReifiedStatement]:
    for triple in triples:
        reified = triple.object
        if triple.predicate.value == v.REIFIES and isinstance(reified, Triple):
            ends = [_value(each, names) for each in (reified.subject, reified.object)]
            subject, object_ = (each.reference or Reference("", cut(each.text), None) for each in ends)
            yield ReifiedStatement(subject, property_label(reified.predicate.value), object_)


def _rows(triples: Sequence[Triple], names: Names) -> tuple[PropertyRow, ...]:
    by_property: dict[str, list[Value]] = defaultdict(list)
    for triple in triples:
        if triple.predicate.value not in _SHOWN_ABOVE:
            by_property[triple.predicate.value].append(_value(triple.object, names, triple.predicate.value))
    return _labelled({iri: (property_label(iri), values) for iri, values in by_property.items()})


def _incoming(triples: Sequence[Triple], names: Names) -> tuple[PropertyRow, ...]:
    by_property: dict[str, list[Value]] = defaultdict(list)
    for triple in triples:
        predicate = triple.predicate.value
        if isinstance(triple.subject, NamedNode):
            reference = names.reference(triple.subject.value)
            position = _position(names.store, triple.subject) if predicate == v.IS_PART_OF else 0
            by_property[predicate].append(Value(reference.label, reference, position))
    return _labelled({iri: (inverse_label(iri), values) for iri, values in by_property.items()})


def _labelled(by_property: dict[str, tuple[str, list[Value]]]) -> tuple[PropertyRow, ...]:
    rows = (
        PropertyRow(label, iri, tuple(sorted(values, key=lambda value: (value.position, value.text))))
        for iri, (label, values) in by_property.items()
    )
    return tuple(sorted(rows, key=lambda row: (row.label, row.iri)))


def _value(term: object, names: Names, predicate: str = "") -> Value:
    if isinstance(term, NamedNode):
        reference = names.reference(term.value)
        return Value(reference.label, reference)
    if isinstance(term, Literal):
        url = predicate == v.URL and term.value.startswith(("http://", "https://"))
        return Value(term.value, Reference(term.value, term.value, term.value) if url else None)
    return Value(str(term))


def _position(store: Store, part: NamedNode) -> int:
    """The place of a part in its whole; 0 if the graph does not say."""
    numbers = (integer_of(quad.object) for quad in store.quads_for_pattern(part, node(v.POSITION), None))
    return min((number for number in numbers if number is not None), default=0)
