"""Shared statements: those that several graphs of a store make.

pyoxigraph 0.5 joins graphs without merging them: where the default graph of a query is made of several
graphs, a statement that two of them make counts twice. That is fixed for 0.6
(https://github.com/oxigraph/oxigraph/issues/1919). We state nothing twice ourselves; users' files and graphs
may. So each revision has a file of the statements that several graphs make, mostly an empty one, from which
`stores.py` knows the queries that need a merge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from pyoxigraph import (
    DefaultGraph,
    NamedNode,
    Quad,
    QuerySolution,
    QuerySolutions,
    RdfFormat,
    Triple,
    parse,
    serialize,
)

from sage_ld.foundation.errors import InputError
from sage_ld.graph.store import queries
from sage_ld.graph.store.blank_nodes import has_blank
from sage_ld.graph.store.protocol import GraphName, Store
from sage_ld.graph.store.terms import in_graph

Statement = TypeVar("Statement", bound=Quad | Triple)


_MOST_TOUCHED: Final = 100_000


@dataclass(slots=True)
class TouchedStatements:
    """The statements that a change touched: they may be shared now, or no longer."""

    statements: set[Triple] = field(default_factory=set)
    graphs: set[str] = field(default_factory=set)
    """Names of graphs of which any statement may be touched."""
    everything: bool = False
    """Whether so much is touched that one pass over the store takes less time."""

    def add(self, statements: Iterable[Statement]) -> Iterator[Statement]:
        """Passes statements on, and records them as touched."""
        for each in statements:
            if not self.everything:
                self.statements.add(each if isinstance(each, Triple) else each.triple)
                self.everything = len(self.statements) > _MOST_TOUCHED
            yield each


@dataclass(frozen=True, slots=True)
class SharedStatements:
    """The statements that several graphs make, each with these graphs: first its home, then the others."""

    graphs: dict[Triple, tuple[GraphName, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.graphs)

    def repeats(self) -> Iterator[Quad]:
        """The repeats to leave out so that each statement is there once, in its home."""
        for statement, (_, *others) in self.graphs.items():
            for graph in others:
                yield in_graph(statement, graph)

    def write(self, file: Path) -> None:
        """Writes the file that `read` reads."""
        quads = (in_graph(statement, graph) for statement, each in self.graphs.items() for graph in each)
        serialize(quads, str(file), RdfFormat.N_QUADS)


def read(file: Path) -> SharedStatements | None:
    """The shared statements that a file has; None without one: an earlier sage-ld wrote none.

    Raises InputError for a file that is damaged.
    """
    if not file.is_file():
        return None
    graphs: dict[Triple, list[GraphName]] = {}
    try:
        for quad in parse(path=str(file), format=RdfFormat.N_QUADS):
            graphs.setdefault(quad.triple, []).append(quad.graph_name)
    except SyntaxError as error:
        raise InputError(f"{file} is damaged ({error}); sage-ld doctor KG --repair writes it again") from None
    return SharedStatements({statement: tuple(each) for statement, each in graphs.items()})


def everywhere(store: Store) -> SharedStatements:
    """All shared statements of a store: one pass over it, 3 µs a statement."""
    shared: set[Triple] = set()
    for each in _rows(store, queries.text("properties"), union=True):
        name = each["property"]
        text = queries.bind("shared_by_property", property=[name.value])
        shared.update(Triple(row["subject"], name, row["object"]) for row in _rows(store, text, union=True))
    return followed(SharedStatements(), store, TouchedStatements(shared))


def followed(before: SharedStatements, store: Store, touched: TouchedStatements) -> SharedStatements:
    """The shared statements after a change, by what it touched.

    A blank node that the store does not know stands for any: an update names those that it makes as it likes.
    """
    doubtful = {each for named in touched.statements for each in _as_stored(store, named)}
    names = {NamedNode(name) for name in touched.graphs}
    doubtful.update(each for each, among in before.graphs.items() if not names.isdisjoint(among))
    if names:
        doubtful.update(_of_graphs(store, touched.graphs))
    result = dict(before.graphs)
    for statement in doubtful:
        among = _graphs_with(store, statement)
        if len(among) > 1:
            result[statement] = among
        else:
            result.pop(statement, None)
    return SharedStatements(result)


def _of_graphs(store: Store, graphs: Iterable[str]) -> Iterator[Triple]:
    for row in _rows(store, queries.bind("shared_in_graphs", graph=sorted(graphs)), union=False):
        yield Triple(row["subject"], row["property"], row["object"])


def _rows(store: Store, text: str, *, union: bool) -> Iterator[QuerySolution]:
    solutions = store.query(text, use_default_graph_as_union=union)
    if isinstance(solutions, QuerySolutions):
        yield from solutions


def _graphs_with(store: Store, statement: Triple) -> tuple[GraphName, ...]:
    """The graphs that make a statement, in the order of their names; the default graph comes last."""
    quads = store.quads_for_pattern(statement.subject, statement.predicate, statement.object, None)
    names = [quad.graph_name for quad in quads]
    if len(names) > 1:
        names.sort(key=lambda name: (isinstance(name, DefaultGraph), str(name)))
    return tuple(names)


def _as_stored(store: Store, statement: Triple) -> Iterator[Triple]:
    """The statement as the store may have it: with blank nodes of its own."""
    yield statement
    subject = None if has_blank(statement.subject) else statement.subject
    value = None if has_blank(statement.object) else statement.object
    if subject is None or value is None:
        if _graphs_with(store, statement):
            return
        for quad in store.quads_for_pattern(subject, statement.predicate, value, None):
            if (subject or has_blank(quad.subject)) and (value or has_blank(quad.object)):
                yield quad.triple
