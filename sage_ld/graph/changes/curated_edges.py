"""Adding, changing and removing curated edges by the graph's writer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain, count
from typing import Final

from pyoxigraph import NamedNode

from sage_ld.build.readers.characters import printable
from sage_ld.build.readers.metadata.fields import resolved
from sage_ld.build.readers.metadata.properties import check_length, properties_of
from sage_ld.foundation import arguments
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import ConflictError, InputError, NotFoundError
from sage_ld.foundation.metadata_terms import MetadataTerms
from sage_ld.foundation.model import Property
from sage_ld.foundation.rdf_values import iri_of
from sage_ld.foundation.relation_types import RelationTypes
from sage_ld.graph.changes.shape_checks import check_change
from sage_ld.graph.shapes.shape_properties import relevant_properties
from sage_ld.graph.store.curated_edges import (
    OWN_PROPERTIES,
    CuratedEdge,
    as_stored,
    edge_quads,
    edges_that_state,
    is_there,
    read_edge,
    removal,
)
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.relations import relation_types
from sage_ld.graph.store.stored_documents import resource_named
from sage_ld.graph.store.terms import node
from sage_ld.graph.writing.writer import Writer

_SHOWN: Final = 60  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class EdgeDraft:
    """An edge as a user states it."""

    source: str
    """The identifier of a document, or the IRI of a document, a chunk, an entity or another resource of the
    graph; so is `target`."""
    relation: str
    """The name or the IRI of a type of the graph's table."""
    target: str
    weight: float = 1.0
    """In 0..1."""
    valid_from: str | date | None = None
    """The first day on which it holds, such as `2024-05-17`."""
    valid_through: str | date | None = None
    """The last day on which it holds."""
    comment: str = ""
    metadata: Mapping[str, object] | None = None
    """Keys and values, as of documents."""


@dataclass(frozen=True, slots=True)
class AddedEdges:
    """The result of adding edges."""

    edges: tuple[CuratedEdge, ...]
    """One for each draft, in their order: one that was there already as it is there."""
    added: int
    """The number of new edges."""


def add_edges(writer: Writer, drafts: Sequence[EdgeDraft], terms: MetadataTerms) -> AddedEdges:
    """Adds edges, all or none; one that is there already with the same content stays as it is.

    Raises InputError for a draft that does not fit, LimitError, ConflictError where the same statement is
    there with other content, ShapeError where a statement would break the shapes.
    """
    types = relation_types(writer.store, writer.iris)
    edges, new = [], []
    for number, draft in enumerate(drafts, 1):
        place = f"edge {number}: " if len(drafts) > 1 else ""
        stated = _stated(writer, draft, types, terms, place)
        edge = _with_iri(writer.store, stated, writer.iris, place)
        if read_edge(writer.store, writer.iris, edge.iri) is None:
            writer.exchange((), edge_quads(edge, writer.iris))
            new.append(edge)
        edges.append(existing_edge(writer.store, writer.iris, edge.iri))
    _check_shapes(writer, new)
    return AddedEdges(tuple(edges), len(new))


def replace_edge(writer: Writer, iri: str, draft: EdgeDraft, terms: MetadataTerms) -> CuratedEdge:
    """Gives an edge other content. Its ends stay: an edge between others is another edge.

    Raises NotFoundError, and what `add_edges` raises: ConflictError where another edge makes the statement.
    """
    before = existing_edge(writer.store, writer.iris, iri)
    stated = _stated(writer, draft, relation_types(writer.store, writer.iris), terms, "")
    if (stated.source, stated.target) != (before.source, before.target):
        raise InputError(
            f"the edge leads from <{before.source}> to <{before.target}>; an edge between others is a "
            "different edge: add it, and remove this one"
        )
    edge = replace(stated, iri=iri)
    if edge.statement != before.statement:
        for other in edges_that_state(writer.store, writer.iris, edge):
            raise ConflictError(f"{other.iri} already makes this statement; change or remove that edge")
    old, new = removal(writer.store, writer.iris, iri), edge_quads(edge, writer.iris)
    kept = set(old).intersection(new)
    writer.exchange(*([each for each in quads if each not in kept] for quads in (old, new)))
    _check_shapes(writer, [edge])
    return existing_edge(writer.store, writer.iris, iri)


def remove_edges(writer: Writer, iris: Iterable[str]) -> int:
    """Removes edges (IRIs), all or none; returns how many. Raises NotFoundError for one that is not there."""
    wanted = sorted(set(iris))
    for iri in wanted:
        existing_edge(writer.store, writer.iris, iri)
    for iri in wanted:
        writer.exchange(removal(writer.store, writer.iris, iri), ())
    return len(wanted)


def existing_edge(store: Store, iris: Iris, iri: str) -> CuratedEdge:
    """The edge with an IRI. Raises NotFoundError."""
    try:
        edge = read_edge(store, iris, iri)
    except ValueError:  # no IRI
        edge = None
    if edge is None:
        raise NotFoundError(f"no edge {iri[:200]!r}; list the edges to see which there are")
    return edge


def edge_iri(iris: Iris, name: str) -> str:
    """The IRI of an edge by its IRI, or by the end of it."""
    return name if ":" in name else f"{iris.base}relation/{name}"


def resolved_end(store: Store, iris: Iris, name: str, role: str) -> str:
    """The IRI of the resource that a user names as an end of an edge; of a document, its identifier does.

    A name that stands for a user's resource gives that resource. Raises InputError where the graph has none.
    """
    resource = resource_named(store, iris, name, lambda iri: is_there(store, iris, iri))
    if resource is not None:
        return replacement_of(store, iris, resource)
    raise InputError(
        f"{role}: the graph has no document, chunk, entity or other resource {name[:_SHOWN]!r}; give the "
        "identifier of a document or the IRI of a resource"
    )


def replacement_of(store: Store, iris: Iris, iri: str) -> str:
    """The user's resource that takes the mentions of an entity, or the IRI itself."""
    quads = store.quads_for_pattern(NamedNode(iri), node(v.IS_REPLACED_BY), None, node(iris.resources_graph))
    return min(filter(None, (iri_of(quad.object) for quad in quads)), default=iri)


def _stated(
    writer: Writer, draft: EdgeDraft, types: RelationTypes, terms: MetadataTerms, place: str
) -> CuratedEdge:
    """The edge of a draft, without its IRI. Raises InputError and LimitError, which begin with `place`."""
    source, target = (
        resolved_end(writer.store, writer.iris, arguments.text(name, f"{place}{role}"), f"{place}{role}")
        for role, name in (("source", draft.source), ("target", draft.target))
    )
    if source == target:
        raise InputError(f"{place}source and target are both <{source}>; give two resources")
    first, last = (
        arguments.day(each, f"{place}{name}")
        for name, each in (("valid_from", draft.valid_from), ("valid_through", draft.valid_through))
    )
    if first is not None and last is not None and first > last:
        raise InputError(f"{place}valid_from {first} is after valid_through {last}; swap them")
    try:
        relation_type = types.named(arguments.text(draft.relation, "relation"))
    except InputError as error:
        raise InputError(f"{place}{error}") from None
    comment = printable(arguments.text(draft.comment, f"{place}comment")).strip()
    check_length(len(comment), f"{place}comment", writer.settings)
    metadata = _metadata(draft.metadata or {}, terms, writer, f"{place}the edge")
    weight = _weight(draft.weight, f"{place}weight")
    return CuratedEdge("", source, relation_type.iri, target, weight, first, last, comment, metadata)


def _with_iri(store: Store, stated: CuratedEdge, iris: Iris, place: str) -> CuratedEdge:
    """The edge that makes the statement already, or else the stated one with an IRI that no other has.

    Raises ConflictError where the statement is there with other content.
    """
    held = edges_that_state(store, iris, stated)
    for each in held:
        if each == as_stored(replace(stated, iri=each.iri), iris):
            return each
    for each in held:
        raise ConflictError(
            f"{place}the edge exists with another weight, last day, comment or metadata; change {each.iri}"
        )
    source, relation_type, target, since = stated.statement
    numbers = chain([()], ((str(number),) for number in count(1)))  # a changed edge keeps its IRI
    names = (iris.relation(source, relation_type, target, since or "", *each) for each in numbers)
    return replace(stated, iri=next(each for each in names if read_edge(store, iris, each) is None))


def _check_shapes(writer: Writer, edges: Sequence[CuratedEdge]) -> None:
    """Raises ShapeError if what edges state, of their sources or of themselves, breaks the shapes.

    Nothing is looked up for edges whose properties no shape looks at, which are nearly all.
    """
    looked_at = relevant_properties()
    nodes = {each.source for each in edges if each.relation_type in looked_at}
    nodes |= {each.iri for each in edges if any(stated.key in looked_at for stated in each.metadata)}
    if nodes:
        check_change(writer, nodes)


def _weight(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{name}: {str(value)[:_SHOWN]!r} is not a number; give one in 0..1")
    if not 0 <= value <= 1 or math.isnan(value):
        raise InputError(f"{name}: {value} is outside 0..1; give a weight such as 0.8")
    return float(value)


def _metadata(
    values: Mapping[str, object], terms: MetadataTerms, writer: Writer, name: str
) -> tuple[Property, ...]:
    """Keys and values with properties as their keys, sorted. Raises InputError and LimitError."""
    stated = properties_of(arguments.mapping(values, f"{name}: metadata"), name, writer.settings)
    properties = [resolved(each, terms, writer.iris.base) for each in stated]
    for before, after in zip(stated, properties, strict=True):
        if after.key in OWN_PROPERTIES:
            raise InputError(f"{name}: the key {before.key[:_SHOWN]!r} is a field of an edge; give it there")
    return tuple(sorted(set(properties), key=lambda each: (each.key, each.value, each.datatype)))
