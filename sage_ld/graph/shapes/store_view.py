"""A store as rdflib reads it: the merge of its graphs, with literals as they were written."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple
from rdflib import BNode, Graph, URIRef
from rdflib import Literal as RdfLiteral
from rdflib.store import Store as RdfStore
from rdflib.term import Node

from sage_ld.graph.shapes.shacl import rdflib_node
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.user_statements import as_written

_NOTHING: Iterator[Any] = iter(())


def view(store: Store, without: Collection[str] = ()) -> Graph:
    """The merge of all graphs of a store but those `without`, without triple terms, which SHACL has not.

    >>> from pyoxigraph import Store
    >>> len(view(Store()))
    0
    """
    return Graph(store=StoreView(store, frozenset(without)), bind_namespaces="none")


class StoreView(RdfStore):
    """A store that rdflib can read."""

    context_aware = False
    formula_aware = False
    transaction_aware = False

    def __init__(self, store: Store, without: frozenset[str]) -> None:
        super().__init__()
        self._store, self._without = store, without

    def triples(
        self, triple_pattern: tuple[Any, Any, Any], context: object = None
    ) -> Generator[tuple[tuple[Node, Node, Node], Iterator[Any]]]:
        """The triples that fit a pattern, each once."""
        try:
            subject, predicate, value = (_term(each) for each in triple_pattern)
            quads = self._store.quads_for_pattern(subject, predicate, value, None)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return  # a literal as subject, or an invalid IRI: no statement has it
        asked = triple_pattern[2] if isinstance(value, Literal) else None
        given: set[tuple[Node, Node, Node]] = set()
        for quad in as_written(self._store, filter(self._is_shown, quads)):
            triple = rdflib_triple(quad)
            if triple not in given and asked in (None, triple[2]):
                given.add(triple)
                yield triple, _NOTHING

    def __len__(self, context: object = None) -> int:
        """1 where there is anything: pySHACL asks for each result whether the graph is empty."""
        return any(True for _ in self.triples((None, None, None)))

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Nothing: it has no prefixes."""

    def namespace(self, prefix: str) -> None:
        """None: it has no prefixes."""

    def prefix(self, namespace: URIRef) -> None:
        """None: it has no prefixes."""

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """None: it has no prefixes."""
        return iter(())

    def _is_shown(self, quad: Quad) -> bool:
        graph = quad.graph_name
        if isinstance(quad.object, Triple):
            return False
        return not (isinstance(graph, NamedNode) and graph.value in self._without)


def rdflib_triple(quad: Quad) -> tuple[Node, Node, Node]:
    """The statement of a quad as rdflib has it."""
    return rdflib_term(quad.subject), rdflib_term(quad.predicate), rdflib_term(quad.object)


def rdflib_term(term: object) -> Node:
    """A term as rdflib has it."""
    if isinstance(term, BlankNode):
        return BNode(term.value)
    assert isinstance(term, NamedNode | Literal | Triple)
    return rdflib_node(term)


def _term(term: Node | None) -> NamedNode | BlankNode | Literal | None:
    """A term of rdflib as pyoxigraph has it. Raises ValueError for an invalid IRI."""
    if isinstance(term, BNode):
        return BlankNode(str(term))
    if isinstance(term, URIRef):
        return NamedNode(str(term))
    if not isinstance(term, RdfLiteral):
        return None
    if term.language:
        return Literal(str(term), language=term.language)
    return Literal(str(term), datatype=None if term.datatype is None else NamedNode(str(term.datatype)))
