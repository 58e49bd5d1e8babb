"""The neighbourhood of a resource: the nodes and edges within some hops of it, for pictures.

Nodes are documents, sections, chunks, entities and resources of users' RDF. From each node its strongest
edges are followed. How much is read is bounded, whatever the graph holds: where a node has more statements
than its share, they are the strongest of those that the store gives first.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Final, NamedTuple

from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.build.annotators.gazetteer import label_keys
from sage_ld.foundation import arguments
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.edge_kinds import EDGE_KINDS
from sage_ld.foundation.errors import InputError, LimitError, NotFoundError
from sage_ld.foundation.rdf_values import number_of, share_of
from sage_ld.foundation.settings import Settings
from sage_ld.graph.changes.curated_edges import replacement_of
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.labels import NAMING, first_statements, labels_of
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.stored_documents import is_mentioned, resource_named
from sage_ld.graph.store.terms import node

PART, ABOUT, RELATION, STATEMENT, ANALOGY = "part", "about", "relation", "statement", "analogy"
_KIND_OF_CLASS: Final = {
    v.ADJACENCY: "next",
    v.MENTION: "mention",
    v.LINK: "link",
    **dict.fromkeys([v.SIMILARITY_EDGE, *(row.edge_class for row in EDGE_KINDS.values())], "similarity"),
    v.ANALOGOUS_EDGE: ANALOGY,
}
"""The class of an edge -> its kind; an edge of no class of these is a relation."""
_KIND_OF_PROPERTY: Final = {v.IS_PART_OF: PART, v.ABOUT: ABOUT, v.MAIN_ENTITY: ABOUT}
KINDS: Final = (PART, *dict.fromkeys(_KIND_OF_CLASS.values()), ABOUT, RELATION, STATEMENT)
"""The kinds of edges: those above, and `statement`, of the user's own RDF."""
ORIGINS: Final = {
    **dict.fromkeys(_KIND_OF_CLASS.values(), "computed"),
    ANALOGY: "analogous",
    RELATION: "curated",
}
"""The origin of the edges of each kind that the ontology gives one (`sage:origin`)."""
_NODE_KINDS: Final = {
    v.DOCUMENT: "document",
    v.SECTION: "section",
    v.CHUNK: "chunk",
    v.ENTITY: "entity",
}
_CONCEPT: Final = "concept"
NODE_KINDS: Final = (*_NODE_KINDS.values(), _CONCEPT, "resource")
_NO_EDGES: Final = frozenset({v.TYPE, v.REIFIES, v.MENTIONS, v.GENERATED_BY, v.IS_REPLACED_BY})
"""Properties that say nothing beside the edges, or lead to classes, builds and former entities."""
_SCHEMES: Final = (Iris("").entity_scheme, Iris("").concept_scheme)
"""The ends of the IRIs of our concept schemes, which join nothing: all entities are in one."""
_ENDS: Final = frozenset({v.SOURCE, v.TARGET})
_MOST_NAMESAKES: Final = 1_000
"""Statements of one name that are looked at: of users' RDF, any number may have it."""
_READ_OF_EDGE: Final = 6
"""Statements that an edge with a node of its own counts for."""


class GraphNode(NamedTuple):
    """A node of a picture."""

    iri: str
    kind: str
    """One of `NODE_KINDS`."""
    label: str
    hops: int
    """Edges between it and the start."""


class GraphEdge(NamedTuple):
    """An edge of a picture."""

    source: str
    target: str
    kind: str
    """One of `KINDS`."""
    weight: float
    """In 0..1: its weight or confidence, of a mention the entity's rarity, otherwise 1."""
    property: str | None = None
    """The IRI of the property, of a statement, a part or a relation."""
    iri: str | None = None
    """The resource that describes the edge and has its evidence, where there is one."""


@dataclass(frozen=True, slots=True)
class NeighbourhoodLimits:
    """The limits of a neighbourhood, and of the reading for it."""

    nodes: int
    fan_out: int
    """Edges that are followed from a node, the strongest."""
    statements: int
    """Statements that are read in all; the nodes of a hop share what is left evenly."""


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The nodes and edges around a resource, nearest and strongest first."""

    start: str
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    complete: bool
    """Whether no limit left anything out."""


def neighbourhood(
    store: Store,
    start: str,
    hops: int,
    kinds: Collection[str],
    limits: NeighbourhoodLimits,
    chunks: int,
    check: Check = unchecked,
) -> Neighbourhood:
    """All within `hops` edges of the resource `start` (IRI) over edges of these kinds, as far as limits go.

    Where there are more than the limits allow, the edges of the highest weight are followed, and the nodes
    that these lead to are kept. `chunks` is the number of chunks in the graph, by which the rarity of an
    entity is measured. `check` is called before each node is read.
    """
    reading = _Reading(store, frozenset(kinds), chunks, limits.statements)
    distance, edges, complete = {start: 0}, dict[GraphEdge, None](), True
    front = [start]
    for hop in range(1, hops + 1):
        met: dict[str, float] = {}
        for place, iri in enumerate(front):
            check()
            around, whole = reading.edges_of(iri, len(front) - place)
            strongest = sorted(around, key=_strongest_first)[: limits.fan_out]
            complete &= whole and len(strongest) == len(around)
            for edge in strongest:
                edges[edge] = None
                other = edge.target if edge.source == iri else edge.source
                met[other] = max(met.get(other, 0.0), edge.weight)
        new = sorted(met.keys() - distance.keys(), key=lambda iri: (-met[iri], iri))
        front = new[: limits.nodes - len(distance)]
        complete &= len(front) == len(new)
        distance |= dict.fromkeys(front, hop)
    kept = (edge for edge in edges if edge.source in distance and edge.target in distance)
    nodes = (GraphNode(iri, *_shown(store, iri), hop) for iri, hop in distance.items())
    return Neighbourhood(start, tuple(nodes), tuple(kept), complete)


def checked_request(
    settings: Settings, hops: int, kinds: Collection[str] | None, nodes: int, fan_out: int
) -> tuple[tuple[str, ...], NeighbourhoodLimits, int]:
    """The kinds to follow, the limits and the hops. Raises InputError, and LimitError beyond the settings."""
    followed = KINDS if kinds is None else arguments.texts(kinds, "kinds")
    for kind in followed:
        if kind not in KINDS:
            raise InputError(f"kinds: {kind[:40]!r} is not a kind of edge; the kinds are {', '.join(KINDS)}")
    numbers = {"hops": hops, "nodes": nodes, "fan_out": fan_out}
    checked = {name: arguments.whole_number(value, name) for name, value in numbers.items()}
    for name, value in checked.items():
        if value < 1:
            raise InputError(f"{name} is {value}; give at least 1")
        if value > (most := getattr(settings, f"max_graph_{name}")):
            raise LimitError.of(name, value, most, "in a neighbourhood", f"max_graph_{name}")
    limits = NeighbourhoodLimits(checked["nodes"], checked["fan_out"], settings.max_graph_statements)
    return followed, limits, checked["hops"]


def node_named(store: Store, name: str, iris: Iris) -> str:
    """The IRI of a resource: `name` itself, or the document with that identifier. Raises NotFoundError."""
    if (found := resource_named(store, iris, name, partial(is_mentioned, store))) is not None:
        return found
    raise NotFoundError(
        f"the graph says nothing about {name[:200]!r}; give an IRI in it, or a document's identifier"
    )


def entities_named(store: Store, name: str, iris: Iris, languages: Iterable[str]) -> list[str]:
    """The IRIs of entities, and of resources of users' RDF, with a name, sorted.

    The names of entities count in any case; labels of RDF as they are written, in one of `languages` or none.
    """
    own = {replacement_of(store, iris, iris.entity(label)) for label in label_keys(name)}
    literals = [Literal(name), *(Literal(name, language=each) for each in languages if each)]
    quads = (
        store.quads_for_pattern(None, node(label), literal, None)
        for label in (*NAMING, v.ALT_LABEL)
        for literal in literals
    )
    labelled = islice(chain.from_iterable(quads), _MOST_NAMESAKES)
    subjects = {quad.subject.value for quad in labelled if isinstance(quad.subject, NamedNode)}
    among = own | {replacement_of(store, iris, iri) for iri in subjects}
    return sorted(
        iri for iri in among if is_mentioned(store, iri) and _shown(store, iri)[0] in ("entity", "resource")
    )


@dataclass(slots=True)
class _Reading:
    """Reads the edges of nodes, and counts the statements that this takes."""

    store: Store
    kinds: frozenset[str]
    chunks: int
    left: int

    def edges_of(self, iri: str, sharing: int) -> tuple[list[GraphEdge], bool]:
        """The edges of a node, the strongest of each kind and pair, and whether these are all.

        `sharing` nodes, with this one, have yet to be read: each may take an equal part of what is left.
        """
        term, stop = NamedNode(iri), self.left - self.left // sharing
        best: dict[tuple[str, str, str, str | None], GraphEdge] = {}
        quads = chain(
            self.store.quads_for_pattern(term, None, None), self.store.quads_for_pattern(None, None, term)
        )
        for quad in quads:
            if self.left <= stop:
                return list(best.values()), False
            self.left -= 1
            edge = self._edge(quad)
            if edge is not None and edge.kind in self.kinds and iri in edge[:2]:
                key = (*edge[:3], edge.property)
                best[key] = max(edge, best.get(key, edge), key=lambda each: each.weight)
        stated = {(*each[:2], each.property) for each in best.values() if each.kind == RELATION}
        twins = (each for each in best.values() if each.kind == STATEMENT)
        for twin in [each for each in twins if (*each[:2], each.property) in stated]:
            del best[(*twin[:3], twin.property)]
        return list(best.values()), True

    def _edge(self, quad: Quad) -> GraphEdge | None:
        """The edge that a statement makes or describes; None if there is none between two resources."""
        subject, name, value = quad.subject, quad.predicate.value, quad.object
        if not isinstance(subject, NamedNode) or not isinstance(value, NamedNode) or subject == value:
            return None
        if name in _ENDS:
            return self._described(subject)
        if name in _NO_EDGES or name.startswith(v.SAGE):
            return None
        if name == v.IN_SCHEME and value.value.endswith(_SCHEMES):
            return None
        return GraphEdge(subject.value, value.value, _KIND_OF_PROPERTY.get(name, STATEMENT), 1.0, name)

    def _described(self, edge: NamedNode) -> GraphEdge | None:
        """The edge that a node of its own describes, by its class, ends and weight."""
        self.left -= _READ_OF_EDGE
        source, target, relation_type = (
            next(_iris(self.store, edge, name), None) for name in (v.SOURCE, v.TARGET, v.RELATION_TYPE)
        )
        if source is None or target is None:
            return None
        classes = _iris(self.store, edge, v.TYPE)
        kind = next((_KIND_OF_CLASS[name] for name in classes if name in _KIND_OF_CLASS), RELATION)
        weight = self._rarity(target) if kind == _KIND_OF_CLASS[v.MENTION] else self._weight(edge)
        return GraphEdge(source, target, kind, weight, relation_type, edge.value)

    def _weight(self, edge: NamedNode) -> float:
        """The weight or confidence of an edge, in 0..1; 1 for one that has none."""
        quads = chain(*(first_statements(self.store, edge, name) for name in (v.WEIGHT, v.CONFIDENCE)))
        shares = (share_of(quad.object) for quad in quads)
        return max((share for share in shares if share is not None), default=1.0)

    def _rarity(self, entity: str) -> float:
        """The inverse document frequency of an entity, in 0..1."""
        quads = first_statements(self.store, NamedNode(entity), v.CHUNK_FREQUENCY)
        frequency = max((number_of(quad.object) or 1 for quad in quads), default=1)
        return min(max(1 - math.log(max(frequency, 1)) / math.log(max(self.chunks, 2)), 0.0), 1.0)


def _strongest_first(edge: GraphEdge) -> tuple[float, str, str, str, str]:
    return -edge.weight, edge.kind, edge.source, edge.target, edge.property or ""


def _shown(store: Store, iri: str) -> tuple[str, str]:
    """The kind and the label of a node."""
    term = NamedNode(iri)
    types = set(_iris(store, term, v.TYPE))
    kind = next((kind for name, kind in _NODE_KINDS.items() if name in types), NODE_KINDS[-1])
    if v.CONCEPT in types and any(first_statements(store, term, v.CHUNKS_ABOUT)):
        kind = _CONCEPT
    return kind, next(labels_of(store, term), iri)


def _iris(store: Store, term: NamedNode, name: str) -> Iterator[str]:
    """The IRIs among the values of a property."""
    values = (quad.object for quad in first_statements(store, term, name))
    return (value.value for value in values if isinstance(value, NamedNode))
