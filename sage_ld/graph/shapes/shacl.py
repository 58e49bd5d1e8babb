"""Validation of a graph: SHACL (`shapes/sage.ttl`) by pySHACL, and SPARQL for what SHACL core cannot say.

pySHACL wants the whole graph in memory and would look at each named graph by itself, where a link and its
target are not together. So nodes are validated two thousand at a time: a small graph holds what all named
graphs say about them, and the types of what they point to. The shapes are written so that no more is needed.
(pySHACL 0.40.1 can read a pyoxigraph Store directly, but then finds no string equal to one of `sh:in`.)
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Final

import pyshacl
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple
from rdflib import RDF, SH, BNode, Graph, URIRef
from rdflib import Literal as RdfLiteral
from rdflib.term import Node

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.edge_kinds import EVIDENT
from sage_ld.graph.shapes.shape_properties import relevant_properties
from sage_ld.graph.shapes.validation_report import result_text
from sage_ld.graph.store import queries
from sage_ld.graph.store.oxigraph import in_memory
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.queries import select

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


_BATCH = 2_000  # nodes validated at once: some 20,000 triples in memory
_NO_VALUE = URIRef("urn:sage-ld:no-value")  # a datatype that no shape asks for
logging.getLogger("rdflib.term").setLevel(logging.ERROR)  # it logs a traceback for each ill-typed literal
_CHECKS = {
    "chunk_not_slice": "a chunk's text is a slice of its document: it is as long as its place there",
    "edge_against_statement": "an edge reifies exactly one statement, made of its source, class and target",
    "link_without_evidence": "a title link has a target, a hyperlink an href, a resolved link a confidence",
    "statement_without_edge": "a statement of similarity, order or linking has an edge as evidence",
}


_REIFIES = NamedNode(v.REIFIES)
_STATED = frozenset(map(NamedNode, EVIDENT))
_CHECKED = frozenset(
    NamedNode(each)
    for each in (
        *(v.TYPE, v.SOURCE, v.TARGET, v.RELATION_TYPE, v.LINK_KIND, v.HREF, v.CONFIDENCE),
        *(v.BEGIN_INDEX, v.END_INDEX, v.TEXT),
    )
)
"""The other properties that these queries read."""


VIOLATION: Final = "Violation"
MILDER: Final = ("Info", "Warning")
"""The severities of results that are no violations, the least first."""


@dataclass(frozen=True, slots=True, order=True)
class Violation:
    """One node that breaks one rule."""

    rule: str
    """The local name of the node shape, or the name of the query."""
    focus: str
    """The node's IRI."""
    constraint: str
    """What of the rule is broken, such as `MinCount`; empty for a query."""
    path: str
    """The IRI of the property that is wrong; empty if it is the node as a whole."""
    value: str
    """The wrong value; empty if one is missing or the values are too many."""
    message: str
    severity: str = VIOLATION
    """The local name of its `sh:severity`."""
    result: str = field(default="", compare=False, repr=False)
    """The `sh:ValidationResult` in N-Triples; empty for one that a query found."""

    def __str__(self) -> str:
        where = f" {self.path}" if self.path else ""
        value = f" is {self.value!r}" if self.value else ""
        return f"{self.focus}{where}{value}: {self.message} ({self.rule})"


@dataclass(frozen=True, slots=True)
class Report:
    """A report of violations."""

    conforms: bool
    nodes: int
    """How many nodes the shapes were applied to; a node of two shapes counts twice."""
    count: int
    """The number of all violations."""
    violations: tuple[Violation, ...]
    """The first of them."""
    idle: tuple[str, ...] = ()
    """The shapes of a user that no node is a target of."""
    milder: tuple[Violation, ...] = ()
    """The first results of the severities `sh:Warning` and `sh:Info`, which are no violations."""
    milder_count: int = 0

    def __str__(self) -> str:
        beside = [f"{each.severity.lower()}: {each}" for each in self.milder]
        if (unsaid := self.milder_count - len(self.milder)) > 0:
            beside.append(f"… and {unsaid:,} more warnings")
        beside += [f"no node is a target of the shape {each}" for each in self.idle]
        if self.conforms:
            return "\n".join([f"conforms: {self.nodes:,} nodes", *beside])
        head = f"does not conform: {self.count:,} violations in {self.nodes:,} nodes"
        more = self.count - len(self.violations)
        return "\n".join(
            [head, *map(str, self.violations), *([f"… and {more:,} more"] if more else []), *beside]
        )


def validate(
    store: Store,
    *,
    nodes: Iterable[str] | None = None,
    limit: int = 100,
    batch: int = _BATCH,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Checks the union of all graphs in `store` against the shapes, and the two views of each edge.

    With `nodes` (IRIs) only these are checked, at a cost in proportion to them and not to the graph.
    At most `limit` violations are reported, all are counted. Memory is in proportion to `batch` and does not
    grow with the graph; time does, at about 0.4 ms a node. Only the thread that calls may use the store.
    `progress` is called after each batch and each query: how many are done, and about how many there are.

    >>> from pyoxigraph import Store
    >>> print(validate(Store()))
    conforms: 0 nodes
    """
    chosen = None if nodes is None else [target_node(store, NamedNode(iri)) for iri in sorted(set(nodes))]
    total = 0 if progress is None else expected_nodes(store) + len(_CHECKS)
    done = checked = count = 0
    found: dict[Violation, None] = {}
    for size, violations in _parts(store, chosen, batch):
        for each in violations:
            count += 1
            if len(found) < limit:
                found[each] = None
        checked += size
        done += size or 1
        if progress is not None:
            progress(done, max(done, total))
    return Report(count == 0, checked, count, tuple(found))


def _parts(
    store: Store, chosen: list[TargetNode] | None, batch: int
) -> Iterator[tuple[int, Iterable[Violation]]]:
    """The violations of each batch, with its size, and those that each query finds, with 0."""
    for target in targets():
        for focus in _batches(store, target, chosen, batch):
            yield len(focus), _violations(store, target, focus)
    if chosen is None:
        yield from ((0, _disagreements(store, name)) for name in _CHECKS)
        return
    for begin in range(0, len(chosen), batch):
        nodes = [each.node for each in chosen[begin : begin + batch]]
        merged = _merged(store, nodes)
        yield from ((0, _disagreements(merged, name, nodes)) for name in _CHECKS)


def _batches(
    store: Store, target: ShapeTarget, chosen: list[TargetNode] | None, size: int
) -> Iterator[list[NamedNode]]:
    """The target's nodes, each once in a batch."""
    among = None if chosen is None else (each.node for each in chosen if target.is_for(each))
    nodes = target.nodes(store) if among is None else among
    while taken := list(islice(nodes, size)):
        yield list(dict.fromkeys(taken))


def _violations(store: Store, target: ShapeTarget, focus: list[NamedNode]) -> list[Violation]:
    _, report, _ = pyshacl.validate(
        _neighbourhood(store, focus),
        shacl_graph=shapes_and_parts()[0],
        use_shapes=list(target.shapes),
        focus_nodes=[node.value for node in focus],  # as text: it takes mailto: for a prefix to look up
    )
    if not isinstance(report, Graph):
        raise (
            report if isinstance(report, BaseException) else TypeError(f"pySHACL gave no report: {report!r}")
        )
    results = report.subjects(RDF.type, SH.ValidationResult)
    return sorted(violation_of(target.rule, report, each) for each in results)


def violation_of(rule: str, report: Graph, result: Node) -> Violation:
    """The violation of a rule that a result of pySHACL's report says."""
    terms = (SH.focusNode, SH.sourceConstraintComponent, SH.resultPath, SH.value, SH.resultMessage)
    focus, component, path, value, message = (str(report.value(result, term) or "") for term in terms)
    constraint = component.rpartition("#")[2].removesuffix("ConstraintComponent")
    severity = str(report.value(result, SH.resultSeverity) or SH.Violation).rpartition("#")[2]
    text = result_text(report, result)
    return Violation(rule, focus, constraint, path, value, message, severity, text)


def _neighbourhood(store: Store, focus: list[NamedNode]) -> Graph:
    """The statements about the nodes, and the types of the nodes that they point to, for the shapes."""
    graph = Graph(bind_namespaces="none")
    pointed_to: dict[NamedNode, None] = {}
    for node in focus:
        for quad in store.quads_for_pattern(node, None, None, None):
            if quad.predicate.value in relevant_properties():
                graph.add(_triple(quad))
                if isinstance(quad.object, NamedNode) and quad.predicate != _TYPE:
                    pointed_to[quad.object] = None
    for value in pointed_to:
        for quad in store.quads_for_pattern(value, _TYPE, None, None):
            graph.add(_triple(quad))
    return graph


def _triple(quad: Quad) -> tuple[Node, Node, Node]:
    return rdflib_node(quad.subject), _iri(quad.predicate.value), rdflib_node(quad.object)


def rdflib_node(term: NamedNode | BlankNode | Literal | Triple) -> Node:
    """The term for pySHACL, which fails to compare blank nodes and ill-typed literals.

    Neither these nor triple terms fit any shape.
    """
    if isinstance(term, NamedNode):
        return _iri(term.value)
    if not isinstance(term, Literal):
        return RdfLiteral(str(term), datatype=_NO_VALUE)
    if term.language is not None:
        return RdfLiteral(term.value, lang=term.language)
    kind = term.datatype.value
    datatype = None if kind == v.XSD + "string" else _iri(kind)
    literal = RdfLiteral(term.value, datatype=datatype, normalize=False)
    return RdfLiteral(term.value, datatype=_NO_VALUE) if literal.ill_typed else literal


@lru_cache(maxsize=4 * _BATCH)
def _iri(value: str) -> URIRef:
    return URIRef(value)


def _disagreements(store: Store, name: str, nodes: list[NamedNode] | None = None) -> Iterator[Violation]:
    """The violations that one of `_CHECKS` finds at some nodes; at all without them."""
    for node in [None] if nodes is None else nodes:
        bound = {} if node is None else {"focus": node}
        for row in select(store, queries.text(name), **bound):
            focus = row["focus"] if node is None else node
            yield Violation(name, focus.value, "", "", str(row["value"]), _CHECKS[name])


def _merged(store: Store, nodes: list[NamedNode]) -> Store:
    """The statements of some nodes that `_CHECKS` read, in memory, each once.

    Several graphs may make one, and the rows of a query are the product of how many make each.
    """
    merged = in_memory()
    for node in nodes:
        for quad in store.quads_for_pattern(node, None, None, None):
            if quad.predicate in _STATED:
                statement = Triple(node, quad.predicate, quad.object)
                evidence = store.quads_for_pattern(None, _REIFIES, statement, None)
                merged.extend(Quad(*each.triple) for each in islice(evidence, 1))
            elif quad.predicate == _REIFIES and isinstance(quad.object, Triple):
                made = quad.object
                statements = store.quads_for_pattern(made.subject, made.predicate, made.object, None)
                merged.extend(Quad(*each.triple) for each in islice(statements, 1))
            elif quad.predicate not in _CHECKED:
                continue
            merged.extend([Quad(*quad.triple)])
    return merged
