"""What an update is about to change: the nodes that the shapes may judge otherwise afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyoxigraph as ox

from sage_ld import vocabulary as v
from sage_ld.service.syntax import tokens
from sage_ld.service.updates import Kind, Operation

_TYPE = ox.NamedNode(v.TYPE)


class Touched:
    """The nodes about which a change says something, and those whose class it changes."""

    def __init__(self) -> None:
        self.nodes: set[str] = set()
        self._typed: set[str] = set()

    def add(self, statements: Iterable[ox.Triple | ox.Quad]) -> None:
        """Takes statements that come or go."""
        for each in statements:
            for term in (each.subject, each.object):
                if isinstance(term, ox.NamedNode):
                    self.nodes.add(term.value)
            if each.predicate == _TYPE and isinstance(each.subject, ox.NamedNode):
                self._typed.add(each.subject.value)

    def to_check(self, store: ox.Store) -> set[str]:
        """The nodes, and those that point to one of another class: a shape looks at the class of a value."""
        pointing = (
            quad.subject.value
            for iri in self._typed
            for quad in store.quads_for_pattern(None, None, ox.NamedNode(iri), None)
            if isinstance(quad.subject, ox.NamedNode)
        )
        return self.nodes.union(pointing)


def changes_of(store: ox.Store, operation: Operation, base: str) -> Iterator[ox.Triple | ox.Quad]:
    """The statements that an operation will add or remove, before it is done; for the thread that asks.

    It is a superset: what is there already is not left out.
    """
    if operation.kind is Kind.MANAGEMENT:
        yield from _managed(store, operation, base)
    elif template := operation.changes:
        where = "" if operation.kind is Kind.DATA else operation.where
        text = f"{operation.prologue}\nCONSTRUCT {{ {template}\n}}\n{_from(operation)}\nWHERE {{{where}\n}}"
        dataset: dict[str, Any] = {}
        if operation.with_graph is not None and not operation.using:
            dataset["default_graph"] = _iri(store, operation.with_graph, operation.prologue, base)
        found = store.query(text, base_iri=base, **dataset)
        if isinstance(found, ox.QueryTriples):
            yield from found


def _managed(store: ox.Store, operation: Operation, base: str) -> Iterator[ox.Quad]:
    """All that is in the graphs that CLEAR, DROP, ADD, MOVE or COPY names."""
    for token in tokens(operation.source or ""):
        if token.keyword in ("ALL", "NAMED"):
            yield from store
        elif token.keyword == "DEFAULT":
            yield from store.quads_for_pattern(None, None, None, ox.DefaultGraph())
        elif token.kind in ("iri", "name"):
            graph = _iri(store, token.text, operation.prologue, base)
            yield from store.quads_for_pattern(None, None, None, graph)


def _from(operation: Operation) -> str:
    """The clauses USING as the clauses FROM of a query."""
    words = ("FROM" if token.keyword == "USING" else token.text for token in tokens(operation.using))
    return " ".join(words)


def _iri(store: ox.Store, written: str, prologue: str, base: str) -> ox.NamedNode:
    """The IRI that is written `<…>` or as a prefixed name."""
    rows = store.query(f"{prologue}\nSELECT ({written} AS ?iri) {{}}", base_iri=base)
    iri = next(rows)["iri"] if isinstance(rows, ox.QuerySolutions) else None
    if not isinstance(iri, ox.NamedNode):
        raise ValueError(f"{written} is no IRI")
    return iri
