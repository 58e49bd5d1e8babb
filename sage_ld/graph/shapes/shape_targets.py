"""The targets of the shapes: which node shape checks which nodes of a graph, by class or by property."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice

from pyoxigraph import NamedNode
from rdflib import RDF, SH, BNode, Graph, URIRef
from rdflib.term import Node

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v
from sage_ld.graph.store import queries
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import select

_MOST_SCANNED = 1_000  # statements of a node that are read to see which shapes it is for
_TYPE = NamedNode(v.TYPE)


@dataclass(frozen=True, slots=True)
class TargetNode:
    """A node with the classes and properties that decide which shapes apply to it."""

    node: NamedNode
    classes: frozenset[str]
    properties: frozenset[str]


@dataclass(frozen=True, slots=True)
class ShapeTarget:
    """A node shape, the shapes that it is made of, and the class or the property whose subjects it is for.

    A shape for the subjects of a property leaves a node to the shape of its class, if that one has a property
    shape for it too.
    """

    rule: str
    shapes: tuple[str, ...]
    cls: str | None
    path: str | None
    by_class: frozenset[str] = frozenset()
    """The classes whose shapes check the property."""
    before: tuple[ShapeTarget, ...] = ()
    """The same shape's targets by other properties: it has checked their nodes."""

    def is_for(self, node: TargetNode) -> bool:
        """Whether the shape is for a node, and has not checked it as a subject of another property."""
        if self.cls is not None:
            return self.cls in node.classes
        own = self.path in node.properties and self.by_class.isdisjoint(node.classes)
        return own and not any(each.is_for(node) for each in self.before)

    def nodes(self, store: Store) -> Iterator[NamedNode]:
        """All nodes that the shape is for. Blank nodes come from ingested RDF: not ours to judge."""
        if self.cls is not None:
            quads = store.quads_for_pattern(None, _TYPE, NamedNode(self.cls), None)
            yield from _changes(quad.subject for quad in quads if isinstance(quad.subject, NamedNode))
        elif self.path is not None:
            text = queries.bind("subjects_beyond_classes", property=[self.path], **{"class": self.by_class})
            for row in select(store, text):
                if not self.before or self.is_for(target_node(store, row["focus"])):
                    yield row["focus"]


@cache
def shapes_and_parts() -> tuple[Graph, dict[str, tuple[str, ...]]]:
    """The shapes without `sh:property`, and for each node shape: itself and its property shapes.

    pySHACL evaluates the property shapes of a node shape for one node after the other, and a shape that it is
    given directly for all nodes at once, which is three times as fast and says the same.
    """
    read = Graph().parse(data=package_files.read_text(package_files.SHAPES), format="turtle")
    blank = sorted({each for each in read.objects(None, SH.property) if isinstance(each, BNode)})
    named: dict[Node, Node] = {
        shape: URIRef(f"urn:sage-ld:shape:{number}") for number, shape in enumerate(blank)
    }
    parts: dict[str, tuple[str, ...]] = {}
    for shape in read.subjects(RDF.type, SH.NodeShape):
        properties = sorted(str(named.get(each, each)) for each in read.objects(shape, SH.property))
        parts[str(shape)] = (str(shape), *properties)
    shapes = Graph()
    for subject, predicate, value in read:
        if predicate != SH.property:
            shapes.add((named.get(subject, subject), predicate, value))
    return shapes, parts


@cache
def targets() -> tuple[ShapeTarget, ...]:
    """All targets of the shapes: those by class, then those by property."""
    shapes, parts = shapes_and_parts()
    shape_targets: list[ShapeTarget] = []
    by_class: defaultdict[str, set[str]] = defaultdict(set)
    for shape, term in sorted(shapes.subject_objects(SH.targetClass)):
        shape_targets.append(ShapeTarget(_local(shape), parts[str(shape)], str(term), None))
        for part in parts[str(shape)]:
            by_class[str(shapes.value(URIRef(part), SH.path))].add(str(term))
    before: defaultdict[str, tuple[ShapeTarget, ...]] = defaultdict(tuple)
    for shape, term in sorted(shapes.subject_objects(SH.targetSubjectsOf)):
        rule, path = _local(shape), str(term)
        classes = frozenset(by_class[path])
        before[rule] += (ShapeTarget(rule, parts[str(shape)], None, path, classes, before[rule]),)
    return tuple(shape_targets) + tuple(chain.from_iterable(before.values()))


def expected_nodes(store: Store) -> int:
    """About how many nodes the shapes are for, by the statements that make a node a target.

    Left out are properties that shapes of classes check too: few nodes have them without such a class.
    """
    patterns = [(_TYPE, NamedNode(each.cls)) for each in targets() if each.cls is not None]
    paths = [each.path for each in targets() if each.path is not None and not each.by_class]
    wanted = chain(patterns, ((NamedNode(path), None) for path in paths))
    return sum(1 for each in wanted for _ in store.quads_for_pattern(None, *each, None))


def _local(shape: Node) -> str:
    return str(shape).rpartition("#")[2]


@cache
def _paths() -> tuple[str, ...]:
    """The properties whose subjects a shape is for."""
    return tuple(target.path for target in targets() if target.path is not None)


def target_node(store: Store, node: NamedNode) -> TargetNode:
    """A node by its statements; of one with very many, only those that count are looked up."""
    quads = list(islice(store.quads_for_pattern(node, None, None, None), _MOST_SCANNED))
    if len(quads) < _MOST_SCANNED:
        properties = frozenset(quad.predicate.value for quad in quads)
    else:
        quads = list(store.quads_for_pattern(node, _TYPE, None, None))
        properties = frozenset(
            path
            for path in _paths()
            if next(store.quads_for_pattern(node, NamedNode(path), None, None), None) is not None
        )
    classes = (quad.object for quad in quads if quad.predicate == _TYPE)
    return TargetNode(
        node, frozenset(each.value for each in classes if isinstance(each, NamedNode)), properties
    )


def _changes(nodes: Iterator[NamedNode]) -> Iterator[NamedNode]:
    """Leaves out what equals the one before: on disk, a node that several graphs speak of comes in a row."""
    before = None
    for node in nodes:
        if node != before:
            yield node
        before = node
