"""The effects of an update: the nodes that have to be validated against the shapes again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import pyoxigraph as ox

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.graph.changes.statement_counts import ChangedStatements
from sage_ld.graph.store.protocol import WritableStore
from sage_ld.graph.store.tokenizer import tokens
from sage_ld.service.workers.update_text import Kind, Operation

_TYPE = ox.NamedNode(v.TYPE)
_NEW_TERMS: Final = frozenset({"NOW", "UUID", "STRUUID"})
_RANDOM: Final = "RAND"
_BY_PATTERN: Final = (Kind.MODIFY, Kind.SHORT)


class Touched:
    """The nodes about which a change says something, and those whose class it changes."""

    def __init__(self, note: Callable[[Iterable[ox.Triple]], None] = lambda statements: None) -> None:
        self.nodes: set[str] = set()
        self.statements = ChangedStatements()
        self._typed: set[str] = set()
        self._note = note  # is told the statements themselves

    def add(self, statements: Iterable[ox.Triple | ox.Quad]) -> None:
        """Takes statements that come or go."""
        for each in statements:
            for term in (each.subject, each.object):
                if isinstance(term, ox.NamedNode):
                    self.nodes.add(term.value)
                elif isinstance(term, ox.Triple) and isinstance(term.subject, ox.NamedNode):
                    self.nodes.add(term.subject.value)  # an edge says something of what it is about
            statement = each.triple if isinstance(each, ox.Quad) else each
            self.statements.add(statement)
            self._note((statement,))
            if each.predicate == _TYPE and isinstance(each.subject, ox.NamedNode):
                self._typed.add(each.subject.value)

    def to_check(self, store: WritableStore) -> set[str]:
        """The nodes, and those that point to one of another class: a shape looks at the class of a value."""
        pointing = (
            quad.subject.value
            for iri in self._typed
            for quad in store.quads_for_pattern(None, None, ox.NamedNode(iri), None)
            if isinstance(quad.subject, ox.NamedNode)
        )
        return self.nodes.union(pointing)


def takes_effect(store: WritableStore, operation: Operation, base: str, touched: Touched) -> bool:
    """Whether an operation will change anything, as far as can be told before; `touched` takes what it may.

    What has no effect needs not be done: nothing to insert, nothing there of what is to be deleted, no graph
    to clear or drop. An INSERT of what is there already counts as a change. For the thread that asks.
    """
    if operation.kind is Kind.MANAGEMENT:
        touched.add(_managed(store, operation, base))
        return not _is_idle(store, operation, base)
    calls = {token.keyword for token in tokens(operation.where)}
    touched.statements.new_terms |= not calls.isdisjoint(_NEW_TERMS)
    touched.statements.unknown |= _RANDOM in calls
    only_deletes = operation.kind is Kind.SHORT or operation.inserted is None
    effect = False
    for statement in changes_of(store, operation, base):
        touched.add((statement,))
        effect = effect or not only_deletes or _may_be_there(store, statement)
    return effect


def idle_reason(store: WritableStore, operation: Operation) -> str:
    """The reason why an operation takes no effect, as a warning says it; empty where it says nothing."""
    if operation.kind in _BY_PATTERN:
        words = {token.keyword for token in tokens(operation.using or operation.where)}
        in_default = not operation.using and operation.with_graph is None and "GRAPH" not in words
        if in_default and not _has_default(store):
            return (
                "its WHERE looks at the store's own default graph, which is empty; name the graph by GRAPH, "
                "WITH or USING"
            )
        return "nothing matches its WHERE"
    if operation.kind is Kind.DATA:
        return "nothing that it deletes is there" if (operation.deleted or "").strip() else ""
    return "no graph that it names is there"


def changes_of(store: WritableStore, operation: Operation, base: str) -> Iterator[ox.Triple | ox.Quad]:
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
            dataset["default_graph"] = graph_named(store, operation.with_graph, operation.prologue, base)
        solutions = store.query(text, base_iri=base, **dataset)
        if isinstance(solutions, ox.QueryTriples):
            yield from solutions


def _may_be_there(store: WritableStore, statement: ox.Triple | ox.Quad) -> bool:
    """Whether some graph has a statement; so it is assumed where a blank node, or a triple term, is in it."""
    terms = (statement.subject, statement.predicate, statement.object)
    if any(isinstance(term, ox.BlankNode | ox.Triple) for term in terms):
        return True
    return next(store.quads_for_pattern(*terms, None), None) is not None


def _is_idle(store: WritableStore, operation: Operation, base: str) -> bool:
    """Whether CLEAR or DROP finds nothing to take away, and does not fail for it."""
    verb, *others = tokens(operation.source or "")
    if verb.keyword not in ("CLEAR", "DROP"):
        return False
    silent = any(token.keyword == "SILENT" for token in others)
    for token in others:
        if token.keyword in ("ALL", "NAMED") and next(store.named_graphs(), None) is not None:
            return False
        if token.keyword in ("ALL", "DEFAULT") and _has_default(store):
            return False
        if token.kind in ("iri", "name"):
            graph = graph_named(store, token.text, operation.prologue, base)
            if not silent or store.contains_named_graph(graph):
                return False
    return True


def _has_default(store: WritableStore) -> bool:
    return next(store.quads_for_pattern(None, None, None, ox.DefaultGraph()), None) is not None


def _managed(store: WritableStore, operation: Operation, base: str) -> Iterator[ox.Quad]:
    """All that is in the graphs that CLEAR, DROP, ADD, MOVE or COPY names."""
    for token in tokens(operation.source or ""):
        if token.keyword in ("ALL", "NAMED"):
            yield from store
        elif token.keyword == "DEFAULT":
            yield from store.quads_for_pattern(None, None, None, ox.DefaultGraph())
        elif token.kind in ("iri", "name"):
            graph = graph_named(store, token.text, operation.prologue, base)
            yield from store.quads_for_pattern(None, None, None, graph)


def _from(operation: Operation) -> str:
    """The clauses USING as the clauses FROM of a query."""
    words = ("FROM" if token.keyword == "USING" else token.text for token in tokens(operation.using))
    return " ".join(words)


def graph_named(store: WritableStore, written: str, prologue: str, base: str) -> ox.NamedNode:
    """The name of a graph that is written `<…>` or as a prefixed name in an update with that prologue."""
    rows = store.query(f"{prologue}\nSELECT ({written} AS ?iri) {{}}", base_iri=base)
    iri = next(rows)["iri"] if isinstance(rows, ox.QuerySolutions) else None
    if not isinstance(iri, ox.NamedNode):
        raise InputError(f"{written[:100]} is not an IRI")
    return iri
