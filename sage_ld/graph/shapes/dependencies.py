"""The dependencies of a SHACL shape: which of its focus nodes a changed statement may make invalid.

A shape reads the statements on its paths from a focus node. So from a changed statement, the paths lead back
to the focus nodes that have to be validated again. What a shape with SPARQL reads, nobody knows; then all of
its focus nodes are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from pyshacl.shape import Shape
from rdflib import RDF, RDFS, SH, Graph, URIRef
from rdflib.term import Node

Statement: TypeAlias = tuple[Node, Node, Node]
_MOST_PATHS: Final = 1_000
"""Paths of a shape that are told apart; one with more is for all its focus nodes."""
_COMPARED: Final = (SH.equals, SH.disjoint, SH.lessThan, SH.lessThanOrEquals)
_LISTS: Final = (SH["and"], SH["or"], SH.xone)
_SHAPES: Final = (SH.property, SH.node, SH["not"], SH.qualifiedValueShape)
_REPEATS: Final = (SH.zeroOrMorePath, SH.oneOrMorePath, SH.zeroOrOnePath)
_OPAQUE: Final = (SH.sparql, SH.js, SH.expression, SH.rule, SH.target)
"""Parameters that read what they like."""


class ShapeStep(NamedTuple):
    """One property on a path."""

    property: Node | None
    """None is any, for a closed shape."""
    inverse: bool = False
    repeated: bool = False
    """Whether it may be followed any number of times, also never."""


_AT_ENDS: Final = {SH["class"]: ShapeStep(RDF.type), SH.closed: ShapeStep(None)}
"""Parameters that read a statement of the value itself."""


class _Opaque(Exception):
    """A shape reads what cannot be told."""


class ShapeTargets(NamedTuple):
    """The targets of a shape."""

    nodes: frozenset[Node]
    classes: frozenset[Node]
    subjects_of: frozenset[Node]
    objects_of: frozenset[Node]

    @classmethod
    def of(cls, shape: Shape) -> ShapeTargets:
        """The targets of a shape, which may be a class at the same time."""
        nodes, classes, implicit, objects_of, subjects_of = map(frozenset, shape.target())  # type: ignore[no-untyped-call]
        return cls(nodes, classes | implicit, subjects_of, objects_of)

    def include(self, data: Graph, node: Node) -> bool:
        """Whether a node is one of them."""
        return (
            node in self.nodes
            or any((node, each, None) in data for each in self.subjects_of)
            or any((None, each, node) in data for each in self.objects_of)
            or (bool(self.classes) and not self.classes.isdisjoint(_classes(data, node)))
        )

    def paths(self) -> Iterator[tuple[ShapeStep, ...]]:
        """The paths to the statements that make a node one of them."""
        if self.classes:
            yield (ShapeStep(RDF.type),)
        yield from ((ShapeStep(each),) for each in self.subjects_of)
        yield from ((ShapeStep(each, inverse=True),) for each in self.objects_of)


@dataclass(frozen=True, slots=True)
class ShapeDependencies:
    """A shape with its targets, and the statements that it reads, as the paths to them; None for any."""

    shape: Shape
    targets: ShapeTargets
    paths: tuple[tuple[ShapeStep, ...], ...] | None

    @classmethod
    def of(cls, shape: Shape, shapes: Graph) -> ShapeDependencies:
        """The dependencies of a shape in a graph of shapes."""
        targets = ShapeTargets.of(shape)
        if next(shapes.subjects(RDF.type, SH.ConstraintComponent), None) is not None:
            return cls(shape, targets, None)
        paths = set(targets.paths())
        try:
            for path in _read_paths(shapes, shape.node, (), ()):
                paths.add(path)
                if len(paths) > _MOST_PATHS:
                    return cls(shape, targets, None)
        except _Opaque:
            return cls(shape, targets, None)
        return cls(shape, targets, tuple(paths))

    def focus_nodes(self, data: Graph, changed: Collection[Statement] | None) -> set[Node]:
        """The focus nodes that changed statements (None: any) may have made invalid."""
        if self.paths is None or changed is None or any(each[1] == RDFS.subClassOf for each in changed):
            return set(self.shape.focus_nodes(data))  # type: ignore[no-untyped-call]
        found: set[Node] = set()
        for *before, last in self.paths:
            touched = {
                (value if last.inverse else subject)
                for subject, predicate, value in changed
                if last.property in (None, predicate)
            }
            if touched:
                found |= _back(data, [*before, last] if last.repeated else before, touched)
        return {each for each in found if self.targets.include(data, each)}


def _classes(data: Graph, node: Node) -> Iterator[Node]:
    for each in data.objects(node, RDF.type):
        yield from (above for above in data.transitive_objects(each, RDFS.subClassOf) if above is not None)


def _back(data: Graph, path: list[ShapeStep], nodes: set[Node]) -> set[Node]:
    """The nodes from which a path leads to some nodes."""
    for step in reversed(path):
        before = {each for node in nodes for each in _sources(data, step, node)}
        if step.repeated:
            found, waiting = set(nodes), before - nodes
            while waiting:
                found |= waiting
                waiting = {each for node in waiting for each in _sources(data, step, node)} - found
            before = found
        nodes = before
    return nodes


def _sources(data: Graph, step: ShapeStep, node: Node) -> Iterator[Node]:
    return data.objects(node, step.property) if step.inverse else data.subjects(step.property, node)


def _read_paths(
    shapes: Graph, shape: Node, prefix: tuple[ShapeStep, ...], around: tuple[Node, ...]
) -> Iterator[tuple[ShapeStep, ...]]:
    """The paths to the statements that a shape reads, where `prefix` leads from a focus node to its own."""
    if shape in around or any((shape, each, None) in shapes for each in _OPAQUE):
        raise _Opaque
    path = shapes.value(shape, SH.path)
    ends = [prefix]
    if path is not None:
        ends = [(*prefix, *steps) for steps in _sequences(shapes, path)]
        for end in ends:
            yield from (end[: number + 1] for number in range(len(prefix), len(end)))
    for each in _COMPARED:
        yield from ((*prefix, ShapeStep(other)) for other in shapes.objects(shape, each))
    inside = list(_inner_shapes(shapes, shape))
    for end in ends:
        yield from ((*end, step) for name, step in _AT_ENDS.items() if (shape, name, None) in shapes)
        for inner in inside:
            yield from _read_paths(shapes, inner, end, (*around, shape))


def _inner_shapes(shapes: Graph, shape: Node) -> Iterator[Node]:
    for each in _SHAPES:
        yield from shapes.objects(shape, each)
    for each in _LISTS:
        for head in shapes.objects(shape, each):
            yield from shapes.items(head)


def _sequences(shapes: Graph, path: Node) -> list[tuple[ShapeStep, ...]]:
    """The sequences of steps that a property path allows. Raises _Opaque for nested repetition."""
    if isinstance(path, URIRef):
        return [(ShapeStep(path),)]
    if (path, RDF.first, None) in shapes:
        found: list[tuple[ShapeStep, ...]] = [()]
        for part in shapes.items(path):
            found = [(*before, *after) for before in found for after in _sequences(shapes, part)]
            if len(found) > _MOST_PATHS:
                raise _Opaque
        return found
    if (several := shapes.value(path, SH.alternativePath)) is not None:
        return [each for part in shapes.items(several) for each in _sequences(shapes, part)]
    if isinstance(inverse := shapes.value(path, SH.inversePath), URIRef):
        return [(ShapeStep(inverse, inverse=True),)]
    return [(_repeated(shapes, path),)]


def _repeated(shapes: Graph, path: Node) -> ShapeStep:
    """The step that a path with `*`, `+` or `?` repeats. Raises _Opaque if it repeats anything longer."""
    inner = next((each for name in _REPEATS for each in shapes.objects(path, name)), None)
    steps = [] if inner is None else _sequences(shapes, inner)
    if len(steps) != 1 or len(steps[0]) != 1 or steps[0][0].repeated:
        raise _Opaque
    return steps[0][0]._replace(repeated=True)
