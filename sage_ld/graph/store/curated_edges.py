"""Curated edges, which users state: how the store holds them, and which lead to what is gone.

Each is a reified statement in the graph `Iris.curated_graph`, whose property is the type of the relation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.deadline import Check, each_checked, unchecked
from sage_ld.foundation.model import Property
from sage_ld.foundation.rdf_values import iri_of, share_of, text_of
from sage_ld.graph.store.digests import content_tag
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import LineCollector, double
from sage_ld.graph.store.oxigraph import in_memory
from sage_ld.graph.store.protocol import Object, Store
from sage_ld.graph.store.terms import in_graph, node, property_value, term_property

OWN_PROPERTIES: Final = frozenset(
    (
        *(v.TYPE, v.REIFIES, v.SOURCE, v.TARGET, v.RELATION_TYPE, v.WEIGHT),
        *(v.VALID_FROM, v.VALID_THROUGH, v.COMMENT),
    )
)
"""Properties of an edge that are no metadata."""
_SIGNS: Final[Mapping[str, tuple[tuple[NamedNode, NamedNode | None], ...]]] = {
    "document": ((node(v.TYPE), node(v.DOCUMENT)),),
    "chunk": ((node(v.TYPE), node(v.CHUNK)),),
    "entity": ((node(v.CHUNK_FREQUENCY), None), (node(v.IS_REPLACED_BY), None)),
}
"""By the first part of an IRI below the base: what the graph says of such a resource, any of it."""
_DATE: Final = NamedNode(v.XSD + "date")
_DATE_LENGTH: Final = len("2026-11-23")


@dataclass(frozen=True, slots=True)
class CuratedEdge:
    """An edge that a user states: `source`, a relation, `target`."""

    iri: str
    source: str
    """The IRI of a document, a chunk, an entity or another resource; so is `target`."""
    relation_type: str
    """The IRI of the type of the relation."""
    target: str
    weight: float = 1.0
    """In 0..1."""
    valid_from: str | None = None
    """The first day on which it holds, as `2024-05-17`; None: since ever."""
    valid_through: str | None = None
    """The last day on which it holds; None: until further notice."""
    comment: str = ""
    metadata: tuple[Property, ...] = ()
    """Sorted; the keys are the IRIs of properties."""

    @property
    def identifier(self) -> str:
        """The end of its IRI, as `/v1/edges` has it."""
        return self.iri.rsplit("/", 1)[-1]

    @property
    def tag(self) -> str:
        """A digest of all that it says, by which a writer knows it again."""
        return content_tag(json.dumps(asdict(self), sort_keys=True))

    @property
    def statement(self) -> tuple[str, str, str, str | None]:
        """The identity of the edge: the statement, and the day since which it holds."""
        return self.source, self.relation_type, self.target, self.valid_from


def edge_quads(edge: CuratedEdge, iris: Iris) -> list[Quad]:
    """The statements of an edge, in both views."""
    out, reifier = LineCollector(iris.curated_graph), NamedNode(edge.iri)
    source, target = NamedNode(edge.source), NamedNode(edge.target)
    out.edge(reifier, v.CURATED_EDGE, source, edge.relation_type, target)
    out.add(reifier, v.RELATION_TYPE, NamedNode(edge.relation_type))
    out.add(reifier, v.WEIGHT, double(edge.weight))
    for predicate, day in ((v.VALID_FROM, edge.valid_from), (v.VALID_THROUGH, edge.valid_through)):
        out.add(reifier, predicate, None if day is None else Literal(day, datatype=_DATE))
    out.text(reifier, v.COMMENT, edge.comment)
    for each in edge.metadata:
        out.add(reifier, each.key, property_value(each, iris.base))
    return out.quads()


def read_edge(store: Store, iris: Iris, iri: str) -> CuratedEdge | None:
    """The edge with an IRI; None if there is none, or it says too little of itself."""
    said: dict[str, list[Object]] = {}
    for quad in store.quads_for_pattern(NamedNode(iri), None, None, node(iris.curated_graph)):
        said.setdefault(quad.predicate.value, []).append(quad.object)
    source, relation_type, target = (
        _first(said, each, iri_of) for each in (v.SOURCE, v.RELATION_TYPE, v.TARGET)
    )
    if source is None or relation_type is None or target is None:
        return None
    weight = max(filter(None, map(share_of, said.get(v.WEIGHT, ()))), default=0.0)
    first, last = (_first(said, each, _day) for each in (v.VALID_FROM, v.VALID_THROUGH))
    comment = _first(said, v.COMMENT, text_of) or ""
    metadata = tuple(_metadata(said))
    return CuratedEdge(iri, source, relation_type, target, weight, first, last, comment, metadata)


def edge_iris(
    store: Store, iris: Iris, conditions: Mapping[str, str] | None = None, check: Check = unchecked
) -> list[str]:
    """The IRIs of all edges, sorted; with conditions, property -> IRI, of those that meet each.

    The cost is in proportion to the edges that meet the first condition. `check` ends the work by an error.
    """
    graph = node(iris.curated_graph)
    if not conditions:
        edges = store.quads_for_pattern(None, node(v.TYPE), node(v.CURATED_EDGE), graph)
        return _subjects(each_checked(edges, check))
    (predicate, value), *others = conditions.items()
    first = store.quads_for_pattern(None, NamedNode(predicate), NamedNode(value), graph)
    found = each_checked(_subjects(each_checked(first, check)), check)
    wanted = [(NamedNode(predicate), NamedNode(value), graph) for predicate, value in others]
    return [each for each in found if all(_any(store, NamedNode(each), *pattern) for pattern in wanted)]


def removal(store: Store, iris: Iris, iri: str) -> list[Quad]:
    """The quads that go with an edge: the statement stays where another edge is about it."""
    graph = node(iris.curated_graph)
    quads = list(store.quads_for_pattern(NamedNode(iri), None, None, graph))
    for term in [quad.object for quad in quads if isinstance(quad.object, Triple)]:
        others = store.quads_for_pattern(None, node(v.REIFIES), term, graph)
        if all(quad.subject == NamedNode(iri) for quad in others):
            quads.append(in_graph(term, graph))
    return quads


def edges_at(store: Store, iris: Iris, resource: str) -> set[str]:
    """The IRIs of the edges that begin or end at a resource (an IRI)."""
    graph, end = node(iris.curated_graph), NamedNode(resource)
    found = (store.quads_for_pattern(None, node(role), end, graph) for role in (v.SOURCE, v.TARGET))
    return {edge for quads in found for edge in _subjects(quads)}


def edges_that_state(store: Store, iris: Iris, edge: CuratedEdge) -> list[CuratedEdge]:
    """The edges that make the statement of an edge, sorted; others at its ends cost nothing."""
    statement = Triple(NamedNode(edge.source), NamedNode(edge.relation_type), NamedNode(edge.target))
    quads = store.quads_for_pattern(None, node(v.REIFIES), statement, node(iris.curated_graph))
    held = (read_edge(store, iris, each) for each in _subjects(quads))
    return [each for each in held if each is not None and each.statement == edge.statement]


def possible_ends(store: Store, iris: Iris, graph: NamedNode) -> set[str]:
    """The resources (IRIs) of which a graph or its document says something; none while there is no edge."""
    quads = store.quads_for_pattern(None, None, None, graph) if has_edges(store, iris) else ()
    statements = (quad.object if isinstance(quad.object, Triple) else quad for quad in quads)
    terms = chain.from_iterable((each.subject, each.predicate, each.object) for each in statements)
    return {each.value for each in terms if isinstance(each, NamedNode)}


def loose_edges(store: Store, iris: Iris, resources: Iterable[str]) -> list[str]:
    """The edges at those of some resources (IRIs) that the graph says nothing else of any more, sorted."""
    found: set[str] = set()
    for each in set(resources) if has_edges(store, iris) else ():
        if (edges := edges_at(store, iris, each)) and not is_there(store, iris, each):
            found |= edges
    return sorted(found)


def is_there(store: Store, iris: Iris, resource: str) -> bool:
    """Whether an edge may begin or end at a resource.

    A document, a chunk and an entity have to be there as such. Of another resource, the graph has to say
    something beside curated edges; our own sections, mentions and the like are no ends.
    """
    term, graph = NamedNode(resource), node(iris.curated_graph)
    if resource.startswith(iris.base):
        patterns = _SIGNS.get(resource.removeprefix(iris.base).partition("/")[0], ())
        return any(_any(store, term, *each, None) for each in patterns)
    said = chain(
        store.quads_for_pattern(term, None, None, None), store.quads_for_pattern(None, None, term, None)
    )
    return any(quad.graph_name != graph for quad in said)


def as_stored(edge: CuratedEdge, iris: Iris) -> CuratedEdge:
    """The edge as a store gives it back, which may write its values in another form."""
    store = in_memory()
    store.extend(edge_quads(edge, iris))
    return read_edge(store, iris, edge.iri) or edge


def has_edges(store: Store, iris: Iris) -> bool:
    """Whether there is any curated edge."""
    return _any(store, None, None, None, node(iris.curated_graph))


def _any(
    store: Store,
    subject: NamedNode | None,
    predicate: NamedNode | None,
    value: NamedNode | None,
    graph: NamedNode | None,
) -> bool:
    return next(store.quads_for_pattern(subject, predicate, value, graph), None) is not None


def _subjects(quads: Iterable[Quad]) -> list[str]:
    return sorted({quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode)})


def _first(
    said: Mapping[str, list[Object]], predicate: str, read: Callable[[Object], str | None]
) -> str | None:
    return min(filter(None, map(read, said.get(predicate, ()))), default=None)


def _day(term: Object) -> str | None:
    return text_of(term)[:_DATE_LENGTH] or None


def _metadata(said: Mapping[str, list[Object]]) -> Iterator[Property]:
    for key in sorted(said.keys() - OWN_PROPERTIES):
        values = (term_property(key, term) for term in sorted(said[key], key=str))
        yield from filter(None, values)
