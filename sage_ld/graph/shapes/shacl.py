"""Validation of a graph: SHACL (`shapes/sage.ttl`) by pySHACL, and SPARQL for what SHACL core cannot say.

pySHACL wants the whole graph in memory and would look at each named graph by itself, where a link and its
target are not together. So nodes are validated two thousand at a time: a small graph holds what all named
graphs say about them, and the types of what they point to. The shapes are written so that no more is needed.
(pySHACL 0.40.1 can read a pyoxigraph Store directly, but then finds no string equal to one of `sh:in`.)
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import pyshacl
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple
from rdflib import RDF, SH, Graph, URIRef
from rdflib import Literal as RdfLiteral
from rdflib.term import Node

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.shapes.shape_properties import relevant_properties
from sage_ld.graph.shapes.shape_targets import (
    ShapeTarget,
    TargetNode,
    expected_nodes,
    shapes_and_parts,
    target_node,
    targets,
)
from sage_ld.graph.store import queries
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import select

_BATCH = 2_000  # nodes validated at once: some 20,000 triples in memory
_TYPE = NamedNode(v.TYPE)
_NO_VALUE = URIRef("urn:sage-ld:no-value")  # a datatype that no shape asks for
logging.getLogger("rdflib.term").setLevel(logging.ERROR)  # it logs a traceback for each ill-typed literal
_CHECKS = {
    "chunk_not_slice": "a chunk's text is a slice of its document: it is as long as its place there",
    "edge_against_statement": "an edge reifies exactly one statement, made of its source, class and target",
    "link_without_evidence": "a title link has a target, a hyperlink an href, a resolved link a confidence",
    "statement_without_edge": "a statement of similarity, order or linking has an edge as evidence",
}


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

    def __str__(self) -> str:
        idle = [f"no node is a target of the shape {each}" for each in self.idle]
        if self.conforms:
            return "\n".join([f"conforms: {self.nodes:,} nodes", *idle])
        head = f"does not conform: {self.count:,} violations in {self.nodes:,} nodes"
        more = self.count - len(self.violations)
        return "\n".join(
            [head, *map(str, self.violations), *([f"… and {more:,} more"] if more else []), *idle]
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
    for name, message in _CHECKS.items():
        yield 0, _disagreements(store, chosen, name, message)


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
    return sorted(_violation(target.rule, report, each) for each in results)


def _violation(rule: str, report: Graph, result: Node) -> Violation:
    terms = (SH.focusNode, SH.sourceConstraintComponent, SH.resultPath, SH.value, SH.resultMessage)
    focus, component, *rest = (str(report.value(result, term) or "") for term in terms)
    return Violation(rule, focus, component.removeprefix(str(SH)).removesuffix("ConstraintComponent"), *rest)


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
    literal = RdfLiteral(term.value, datatype=None if kind == v.XSD + "string" else _iri(kind))
    return RdfLiteral(term.value, datatype=_NO_VALUE) if literal.ill_typed else literal


@lru_cache(maxsize=4 * _BATCH)
def _iri(value: str) -> URIRef:
    return URIRef(value)


def _disagreements(
    store: Store, chosen: list[TargetNode] | None, name: str, message: str
) -> Iterator[Violation]:
    for each in [None] if chosen is None else chosen:
        bound = {} if each is None else {"focus": each.node}
        for row in select(store, queries.text(name), **bound):
            focus = row["focus"] if each is None else each.node
            yield Violation(name, focus.value, "", "", str(row["value"]), message)
