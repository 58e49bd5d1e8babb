"""The view of a resource, for its page and its description in RDF, read from one revision."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from flask import url_for
from pyoxigraph import Literal, NamedNode, Triple

from sage_ld import vocabulary as v
from sage_ld.channels import CHANNEL_NAMES, Hubs
from sage_ld.model import PathStep
from sage_ld.rdf_values import integer_of
from sage_ld.retrieval.expansion import expand, placed
from sage_ld.retrieval.relations import NO_RELATIONS, FollowedRelations
from sage_ld.service.views.labels import Names, Reference, inverse_label, property_label, short
from sage_ld.store.protocol import Store
from sage_ld.store.terms import node

_SHOWN_ABOVE: Final = frozenset({v.TYPE, v.TEXT, v.REIFIES})
_EDGE_ENDS: Final = (v.SOURCE, v.TARGET)


@dataclass(frozen=True, slots=True)
class PageLimits:
    """The limits of a resource's page: of the graph, of the recipe, and of the settings."""

    chunks: Collection[str]
    """IRIs of the chunks in the graph: what a hop may lead to, and the rarity of an entity is measured by."""
    hubs: Hubs
    """The hubs that no neighbour is reached over."""
    neighbours: int
    """Most neighbours shown."""
    incoming: int = 0
    """Most statements shown that name the resource."""
    relations: FollowedRelations = NO_RELATIONS
    """What the channel `relation` goes over."""


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
class Neighbour:
    """A chunk that retrieval reaches from this one, and over what."""

    chunk: Reference
    step: PathStep
    relation: str
    """What joins the two, in words or as a label."""
    edges: tuple[Reference, ...]
    via: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class ResourcePage:
    """A resource as its page shows it."""

    resource: Reference
    types: tuple[Reference, ...]
    text: str | None
    rows: tuple[PropertyRow, ...]
    incoming: tuple[PropertyRow, ...]
    neighbours: tuple[Neighbour, ...]
    left_out: int
    """ResourceStatements that name it, beyond those shown."""


@dataclass(frozen=True, slots=True)
class ResourceStatements:
    """The statements about a resource: `outgoing` are its own, `incoming` name it."""

    outgoing: tuple[Triple, ...]
    incoming: tuple[Triple, ...]
    left_out: int


def statements(store: Store, iri: str, most: int) -> ResourceStatements:
    """All that `iri` is the subject of, and at most `most` triples that it is the object of."""
    subject = NamedNode(iri)
    outgoing = {quad.triple for quad in store.quads_for_pattern(subject, None, None)}
    naming = store.quads_for_pattern(None, None, subject)
    incoming = {quad.triple for quad in islice(naming, most)}
    return ResourceStatements(
        tuple(sorted(outgoing, key=str)), tuple(sorted(incoming, key=str)), sum(1 for _ in naming)
    )


def description(store: Store, iri: str, most: int) -> Iterator[Triple]:
    """The description for RDF clients: the statements, and those of each edge that begins or ends here."""
    found = statements(store, iri, most)
    yield from found.outgoing
    yield from found.incoming
    for triple in found.incoming:
        if triple.predicate.value in _EDGE_ENDS:
            yield from (quad.triple for quad in store.quads_for_pattern(triple.subject, None, None))
    if found.left_out:
        note = f"{found.left_out} more statements refer to this resource; query the SPARQL endpoint for them"
        yield Triple(NamedNode(iri), NamedNode(v.RDFS + "comment"), Literal(note, language="en"))


def resource_page(store: Store, iri: str, names: Names, limits: PageLimits) -> ResourcePage:
    """The resource `iri` for its page."""
    found = statements(store, iri, limits.incoming)
    types, texts = _values(found.outgoing, v.TYPE), _values(found.outgoing, v.TEXT)
    reached = _neighbours(store, iri, names, limits) if v.CHUNK in types else ()
    return ResourcePage(
        names.reference(iri),
        tuple(_class(each) for each in sorted(types)),
        texts[0] if texts else None,
        _rows(found.outgoing, names),
        _incoming(found.incoming, names, without_edges=bool(reached)),
        reached,
        found.left_out,
    )


def _values(triples: Sequence[Triple], predicate: str) -> list[str]:
    return [
        triple.object.value
        for triple in triples
        if triple.predicate.value == predicate and isinstance(triple.object, NamedNode | Literal)
    ]


def best_steps(
    store: Store, iri: str, limits: PageLimits, channels: Sequence[str] = CHANNEL_NAMES
) -> list[PathStep]:
    """The strongest hop to each neighbour of a chunk, strongest first."""
    best: dict[str, PathStep] = {}
    for step in expand(store, [iri], channels, limits.chunks, limits.hubs, relations=limits.relations):
        if step.chunk not in best or step.weight > best[step.chunk].weight:
            best[step.chunk] = step
    found = sorted(best.values(), key=lambda step: (-step.weight, step.chunk))[: limits.neighbours]
    rows = placed(store, found)
    return [rows[step] for step in found]


def _neighbours(store: Store, iri: str, names: Names, limits: PageLimits) -> tuple[Neighbour, ...]:
    return tuple(
        Neighbour(
            names.reference(step.chunk),
            step,
            names.label(step.kind) if ":" in step.kind else step.kind,
            tuple(Reference(edge, "edge", names.href(edge)) for edge in step.edges),
            tuple(map(names.reference, step.via)),
        )
        for step in best_steps(store, iri, limits)
    )


def _class(iri: str) -> Reference:
    if not iri.startswith(v.SAGE):
        return Reference(iri, short(iri), iri)
    return Reference(iri, short(iri), f"{url_for('publishing.ontology')}#{iri.removeprefix(v.SAGE)}")


def _rows(triples: tuple[Triple, ...], names: Names) -> tuple[PropertyRow, ...]:
    found: dict[str, list[Value]] = defaultdict(list)
    for triple in triples:
        if triple.predicate.value not in _SHOWN_ABOVE:
            found[triple.predicate.value].append(_value(triple, names))
    return _labelled({iri: (property_label(iri), values) for iri, values in found.items()})


def _incoming(triples: tuple[Triple, ...], names: Names, *, without_edges: bool) -> tuple[PropertyRow, ...]:
    found: dict[str, list[Value]] = defaultdict(list)
    for triple in triples:
        predicate = triple.predicate.value
        if not (without_edges and predicate in _EDGE_ENDS) and isinstance(triple.subject, NamedNode):
            reference = names.reference(triple.subject.value)
            position = _position(names.store, triple.subject) if predicate == v.IS_PART_OF else 0
            found[predicate].append(Value(reference.label, reference, position))
    return _labelled({iri: (inverse_label(iri), values) for iri, values in found.items()})


def _labelled(found: dict[str, tuple[str, list[Value]]]) -> tuple[PropertyRow, ...]:
    rows = (
        PropertyRow(label, iri, tuple(sorted(values, key=lambda value: (value.position, value.text))))
        for iri, (label, values) in found.items()
    )
    return tuple(sorted(rows, key=lambda row: (row.label, row.iri)))


def _value(triple: Triple, names: Names) -> Value:
    term = triple.object
    if isinstance(term, NamedNode):
        reference = names.reference(term.value)
        return Value(reference.label, reference)
    if isinstance(term, Literal):
        url = triple.predicate.value == v.URL and term.value.startswith(("http://", "https://"))
        return Value(term.value, Reference(term.value, term.value, term.value) if url else None)
    return Value(str(term))


def _position(store: Store, part: NamedNode) -> int:
    """The place of a part in its whole; 0 if the graph does not say."""
    numbers = (integer_of(quad.object) for quad in store.quads_for_pattern(part, node(v.POSITION), None))
    return min((number for number in numbers if number is not None), default=0)
