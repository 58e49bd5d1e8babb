"""The resources that users' RDF describes, as the store has them: their labels, and what joins them.

A resource of a user is any IRI that is not below the graph's base. The ones that matter here have a chunk,
whose `schema:mainEntity` they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from sage_ld.build.annotators.gazetteer import is_telling, name_key
from sage_ld.build.annotators.labels import bare_title, entity_label
from sage_ld.build.languages import indexed_language
from sage_ld.build.readers.rdf import MEDIA_TYPES
from sage_ld.build.readers.rdf_resources import OTHER_LABELS, is_label, preferred_labels
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.rdf_values import text_of
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import GraphName, Store
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.terms import node
from sage_ld.graph.store.user_statements import is_claimed

NAMED_GRAPH: Final = v.SD + "NamedGraph"
"""The class of a document that is made of a user's named graph."""
PREFERRED, OTHER, BARE, LATE = range(4)
"""The claims of a resource to a label, the best first: it is its name, another name, or its name without the
qualifier in brackets, as in `Queen (band)`. All of a resource that gives way come after those: `LATE`."""
_DEPRECATED: Final = v.OWL + "deprecated"
_IDENTIFYING: Final = (v.EXACT_MATCH, v.OWL + "sameAs", v.IS_REPLACED_BY, _DEPRECATED)
"""Properties that decide which of several resources is mentioned."""
_MOST_JOINED: Final = 20
"""Resources that match, or replace, one another at most; more are a mistake, and each stays what it is."""
_NOT_FOLLOWED: Final = (v.RDF, v.SAGE)
"""Namespaces of properties that say what a resource is, not what it is joined to."""
_OURS: Final = frozenset((v.MENTIONS, v.MAIN_ENTITY))
"""Properties of others that we state ourselves about users' resources."""
TERM_CLASSES: Final = frozenset(
    (
        *(v.RDFS + name for name in ("Class", "Datatype")),
        *(v.OWL + name for name in ("Class", "ObjectProperty", "DatatypeProperty", "AnnotationProperty")),
        v.RDF + "Property",
    )
)
"""Classes of terms of a vocabulary, which texts do not name."""


@dataclass(frozen=True, slots=True)
class ResourceLabels:
    """The labels that users' RDF gives a resource."""

    preferred: tuple[Literal, ...]
    """The best first."""
    others: tuple[Literal, ...]
    hidden: tuple[Literal, ...] = ()
    """Those by which it is found, and which are not shown (`skos:hiddenLabel`)."""
    pref_labels: frozenset[Literal] = frozenset()
    """Those that the RDF states as `skos:prefLabel`."""
    alt_labels: frozenset[Literal] = frozenset()
    """Those that it states as `skos:altLabel` or `skos:hiddenLabel`, none of which may be preferred (S13)."""
    types: frozenset[str] = frozenset()
    """The IRIs of the classes that it states."""
    gives_way: bool = False
    """Whether it is deprecated, or replaced by another."""

    def claims(self) -> dict[str, int]:
        """Normalised label -> the best claim to it."""
        claims, late = dict[str, int](), LATE * self.gives_way
        for rank, texts in (
            (PREFERRED, [each.value for each in self.preferred]),
            (OTHER, [each.value for each in (*self.others, *self.hidden)]),
            (BARE, [bare_title(each.value) for each in self.preferred]),
        ):
            for label in filter(None, map(entity_label, texts)):
                claims.setdefault(label, rank + late)
        for key in self.terms():
            claims.setdefault(key, BARE + late)
        return claims

    def terms(self) -> set[str]:
        """The keys of the labels that texts write in any case: a concept's, and those without a capital."""
        bare = (Literal(bare_title(each.value), language=each.language) for each in self.preferred)
        keys = set()
        for each in (*self.preferred, *self.others, *self.hidden, *bare):
            key = name_key(each.value).removeprefix("the ")
            is_term = v.CONCEPT in self.types or each.value == each.value.lower()
            if is_term and is_telling(key, indexed_language(each.language)):
                keys.add(key)
        return keys


def described(store: Store, iris: Iris, graph: str | None = None) -> set[str]:
    """The resources of users that have a chunk, in any graph or in one."""
    quads = store.quads_for_pattern(None, node(v.MAIN_ENTITY), None, None if graph is None else node(graph))
    return {
        quad.object.value
        for quad in quads
        if isinstance(quad.object, NamedNode) and _is_users(quad.object, iris)
    }


def labels(store: Store, resource: str, iris: Iris) -> ResourceLabels:
    """The labels of a resource in users' RDF; none of a class or a property, which no text names.

    Users' RDF is what documents state, and retrievable graphs; what else is said of a name does not count.
    """
    values: dict[str, list[Literal | NamedNode]] = defaultdict(list)
    names: dict[GraphName, bool] = {}
    chunks = store.quads_for_pattern(None, node(v.MAIN_ENTITY), NamedNode(resource), None)
    documents = {quad.graph_name for quad in chunks if isinstance(quad.graph_name, NamedNode)}
    gives_way = False
    for quad in store.quads_for_pattern(NamedNode(resource), None, None, None):
        gives_way = gives_way or _is_late(store, quad)
        name = quad.graph_name
        if name not in names:
            names[name] = isinstance(name, NamedNode) and _names_resources(store, name.value, iris)
        wanted = NamedNode if (predicate := quad.predicate.value) == v.TYPE else Literal
        if not isinstance(value := quad.object, wanted) or not _is_read(predicate):
            continue
        if names[name] or is_claimed(store, quad, iris, documents):
            values[predicate].append(value)
    ordered = {name: sorted(values[name], key=str) for name in sorted(values)}
    types = frozenset(each.value for each in ordered.get(v.TYPE, ()))
    if not TERM_CLASSES.isdisjoint(types):
        return ResourceLabels((), (), types=types)

    def stated(*names: str) -> Iterator[Literal]:
        return (each for name in names for each in ordered.get(name, ()) if isinstance(each, Literal))

    return ResourceLabels(
        tuple(preferred_labels(ordered)),
        tuple(stated(*OTHER_LABELS)),
        tuple(stated(v.HIDDEN_LABEL)),
        frozenset(stated(v.PREF_LABEL)),
        frozenset(stated(v.ALT_LABEL, v.HIDDEN_LABEL)),
        types,
        gives_way,
    )


def _is_read(predicate: str) -> bool:
    return predicate in (v.TYPE, v.HIDDEN_LABEL, *OTHER_LABELS) or is_label(predicate)


def entity_claims(store: Store, resource: str, iris: Iris) -> dict[str, int]:
    """Entity, by its IRI from a label -> the claim that the resource has to it."""
    return {iris.entity(label): rank for label, rank in labels(store, resource, iris).claims().items()}


def target(store: Store, resource: str) -> str:
    """The resource that a resource's mentions are of: its one successor, then the first of its exact matches.

    Only one with a record counts, and one that gives way only if there is no other.
    """
    resource = _successor(store, resource)
    seen, matches, waiting = {resource}, {resource}, [resource]
    while waiting:
        for each in _matching(store, waiting.pop()):
            if each in seen:
                continue
            seen.add(each)
            if len(seen) > _MOST_JOINED:
                return resource
            if not _gives_way(store, each):
                matches.add(each)
                waiting.append(each)
    if len(matches) == 1:
        return resource
    return min(matches, key=lambda each: (each == resource and _gives_way(store, each), each))


def _successor(store: Store, resource: str) -> str:
    """The last resource that replaces one, or one that does, alone; the resource itself of a circle."""
    passed = [resource]
    while len(following := set(_described_objects(store, passed[-1], v.IS_REPLACED_BY))) == 1:
        passed.append(*following)
        if passed[-1] in passed[:-1] or len(passed) > _MOST_JOINED:
            return resource
    return passed[-1]


def _matching(store: Store, resource: str) -> Iterator[str]:
    """The resources with a record that match one exactly, in whichever direction it is said."""
    yield from _described_objects(store, resource, v.EXACT_MATCH)
    for quad in store.quads_for_pattern(None, node(v.EXACT_MATCH), NamedNode(resource), None):
        if isinstance(quad.subject, NamedNode) and _has_record(store, quad.subject):
            yield quad.subject.value


def _gives_way(store: Store, resource: str) -> bool:
    return any(
        _is_late(store, each) for each in store.quads_for_pattern(NamedNode(resource), None, None, None)
    )


def _is_late(store: Store, said: Quad) -> bool:
    """Whether a statement says that its subject is deprecated, or replaced by a resource with a record."""
    if said.predicate.value == v.IS_REPLACED_BY:
        return isinstance(said.object, NamedNode) and _has_record(store, said.object)
    return said.predicate.value == _DEPRECATED and text_of(said.object) in ("true", "1")


def _described_objects(store: Store, resource: str, predicate: str) -> Iterator[str]:
    for quad in store.quads_for_pattern(NamedNode(resource), node(predicate), None, None):
        if isinstance(quad.object, NamedNode) and _has_record(store, quad.object):
            yield quad.object.value


def _has_record(store: Store, resource: NamedNode) -> bool:
    return next(store.quads_for_pattern(None, node(v.MAIN_ENTITY), resource, None), None) is not None


def identified(statement: Quad | Triple, iris: Iris) -> set[str]:
    """The resources of users of which a statement may decide whether they are mentioned, or another is."""
    if statement.predicate.value not in _IDENTIFYING or not _is_users(statement.subject, iris):
        return set()
    ends = (statement.subject, statement.object)
    return {each.value for each in ends if isinstance(each, NamedNode) and _is_users(each, iris)}


def joined(store: Store, some: Iterable[str], iris: Iris) -> set[str]:
    """Some resources, and all that are the same as or replaced by one another, with them."""
    found = set(some)
    waiting = list(found)
    while waiting:
        resource = NamedNode(waiting.pop())
        for name in _IDENTIFYING:
            for ends in ((resource, None), (None, resource)):
                for quad in store.quads_for_pattern(ends[0], node(name), ends[1], None):
                    new = identified(quad, iris) - found
                    found |= new
                    waiting += new
    return found


def label_mentions(store: Store, chunk: str, iris: Iris) -> list[Quad]:
    """The statements by which a chunk mentions resources whose labels its text writes in whatever case."""
    subject, graph = NamedNode(chunk), node(iris.resources_graph)
    quads = list(store.quads_for_pattern(subject, node(v.MENTIONS), None, graph))
    for quad in store.quads_for_pattern(None, node(v.SOURCE), subject, graph) if quads else ():
        quads += store.quads_for_pattern(quad.subject, None, None, graph)
    return quads


def joining_properties(quads: Iterable[Quad], iris: Iris) -> set[str]:
    """The properties by which some statements join resources of users."""
    found: dict[NamedNode, None] = {}
    for quad in quads:
        if quad.predicate not in found and joins(quad, iris):
            found[quad.predicate] = None
    return {each.value for each in found}


def is_joining(store: Store, predicate: str, iris: Iris) -> bool:
    """Whether a property joins resources of users in any graph but that of curated edges."""
    quads = store.quads_for_pattern(None, NamedNode(predicate), None, None)
    return any(joins(quad, iris) for quad in quads if quad.graph_name != node(iris.curated_graph))


def joins(statement: Quad | Triple, iris: Iris) -> bool:
    """Whether a statement joins two resources of users."""
    return (
        isinstance(statement.object, NamedNode | BlankNode)
        and not statement.predicate.value.startswith(_NOT_FOLLOWED)
        and statement.predicate.value not in _OURS
        and _is_users(statement.subject, iris)
        and _is_users(statement.object, iris)
    )


def is_of_rdf(store: Store, document: StoredDocument, iris: Iris) -> bool:
    """Whether a document is made of RDF, in whole or in part."""
    return document.media_type in MEDIA_TYPES or bool(
        described(store, iris, iris.document_graph(document.iri))
    )


def is_retrievable(store: Store, graph: str, iris: Iris) -> bool:
    """Whether a document is made of a user's named graph."""
    document = iris.document(graph)
    marked = store.quads_for_pattern(
        NamedNode(document), node(v.TYPE), node(NAMED_GRAPH), NamedNode(iris.document_graph(document))
    )
    return next(marked, None) is not None


def _names_resources(store: Store, graph: str, iris: Iris) -> bool:
    """Whether the labels that a graph gives are those of users' resources."""
    if graph.startswith(iris.base):
        return graph not in (iris.entities_graph, iris.resources_graph)
    return is_retrievable(store, graph, iris)


def _is_users(term: object, iris: Iris) -> bool:
    return isinstance(term, BlankNode) or (
        isinstance(term, NamedNode) and not term.value.startswith(iris.base)
    )
