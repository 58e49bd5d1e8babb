"""The stores of a revision, and the one of them in which a query sees the RDF merge of its graphs.

pyoxigraph 0.5 evaluates a default graph of several graphs without merging them (`shared.py`). So a revision
in which graphs share statements has a second store, `merged`: hard links to the files of the first, from
which the repeats are taken out, each shared statement staying in one graph, its home. A query is evaluated

1. in the first store, where no two graphs of its default graph share a statement, or nothing reads it;
2. in the merged store, where that lacks no repeat that the query looks for: as long as it names no GRAPH, and
   the homes of all that its graphs share are among them;
3. in memory, over the merge of its graphs, up to a number of statements: a query that looks into the default
   graph and, by GRAPH, into the graphs that it is made of.

`answer` runs a user's read query in this process and writes a standard format, for the command line, where
the person who asks owns the process. The service runs the queries of strangers in worker processes
(`docs/sparql.md`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

from pyoxigraph import (
    BlankNode,
    DefaultGraph,
    NamedNode,
    Quad,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
)

from sage_ld.foundation.errors import InputError, ResultLimitError
from sage_ld.graph.store import query_graphs, shared_statements
from sage_ld.graph.store.oxigraph import in_memory, open_for_reading, open_for_writing
from sage_ld.graph.store.protocol import GraphName, Store
from sage_ld.graph.store.query_graphs import DatasetNames, Names
from sage_ld.graph.store.shared_statements import SharedStatements
from sage_ld.graph.store.user_statements import graph_of_text, with_users_graphs

SHARED_FILE: Final = "shared.nq"
Results = QuerySolutions | QueryBoolean | QueryTriples


class Stores:
    """The stores of one revision, for reading; only the thread that asks may take the results of a query."""

    def __init__(self, named: Store, merged: Store, file: Path | None = None) -> None:
        self.named = named
        """Every graph with all its statements."""
        self.merged = merged
        """Every statement once: for what looks at the union of all graphs, and at no graph alone."""
        self._file = file
        self._in_memory: tuple[tuple[Names | None, Names | None], Store] | None = None

    @classmethod
    def open(cls, revision: Path) -> Stores:
        """The stores in the folder of a revision."""
        named, merged = revision / "store", revision / "merged"
        store = open_for_reading(named)
        if not merged.is_dir():
            return cls(store, store)
        return cls(store, open_for_reading(merged), revision / SHARED_FILE)

    @classmethod
    def empty(cls) -> Stores:
        """The stores before the first revision."""
        store = in_memory()
        return cls(store, store)

    def with_others(self, named: Store, merged: Store) -> Stores:
        """The same with other stores, which have all of these and no statement of theirs again."""
        return Stores(named, merged, self._file)

    @cached_property
    def shared(self) -> SharedStatements:
        """The statements that several graphs make: 10 µs for each to read, which most queries do without."""
        return (self._file and shared_statements.read(self._file)) or SharedStatements()

    @cached_property
    def _groups(self) -> frozenset[tuple[GraphName, ...]]:
        """The groups of graphs that share a statement, the home of what they share first."""
        return frozenset(self.shared.graphs.values())

    def query(
        self, text: str, *, base: str | None = None, dataset: DatasetNames | None = None, most: int
    ) -> Results:
        """The answer to a query over `dataset`, or its own FROM clauses, or the union of all graphs.

        Raises what pyoxigraph raises, and ResultLimitError if it would merge more than `most`
        statements in memory.
        """
        if (chosen := dataset or query_graphs.dataset(text, base)) is not None:
            chosen = with_users_graphs(self.named, chosen)
        if self.merged is self.named:
            return self.named.query(text, base_iri=base, **_arguments(chosen))
        looks = query_graphs.scope(text, base)
        if chosen is not None and looks.named is None:
            looks = looks._replace(named=chosen.named)
        default = None if chosen is None else chosen.default
        if not looks.reads_default or not self._repeats_in(default):
            return self.named.query(text, base_iri=base, **_arguments(chosen))
        if self._is_whole(default, looks.named):
            return self.merged.query(text, base_iri=base, **_arguments(chosen))
        store = self._merge(default, looks.named, most)
        return store.query(
            text,
            base_iri=base,
            default_graph=DefaultGraph(),
            named_graphs=None if chosen is None else _named_nodes(chosen.named),
        )

    def _repeats_in(self, default: Names | None) -> bool:
        """Whether several graphs of a default graph make the same statement."""
        among = _members(default)
        return default is None or any(sum(map(among, group)) > 1 for group in self._groups)

    def _is_whole(self, default: Names | None, named: Names | None) -> bool:
        """Whether the merged store has all that is said in a default graph, and in the graphs named."""
        if default is None and named == ():
            return True
        in_default, in_named = _members(default), _members(named)
        return all(
            (in_default(group[0]) or not any(map(in_default, group))) and not any(map(in_named, group[1:]))
            for group in self._groups
        )

    def _merge(self, default: Names | None, named: Names | None, most: int) -> Store:
        """A store in memory whose default graph is the merge of some graphs, beside some named ones."""
        if self._in_memory is None or self._in_memory[0] != (default, named):
            self._in_memory = None
            merge = in_memory()
            for graph in self.named.named_graphs() if named is None else _nodes(named):
                if self.named.contains_named_graph(graph):
                    merge.add_graph(graph)
            merge.bulk_extend(_counted(self._parts(default, named), len(self.shared.graphs), most))
            self._in_memory = (default, named), merge
        return self._in_memory[1]

    def _parts(self, default: Names | None, named: Names | None) -> Iterator[Quad]:
        for quad in _quads(self.named, default):
            yield Quad(quad.subject, quad.predicate, quad.object)
        for quad in _quads(self.named, named):
            if not isinstance(quad.graph_name, DefaultGraph):
                yield quad


def write_shared(store: Store, revision: Path, statements: SharedStatements) -> None:
    """Writes what a revision has beside `store`: the shared statements, and the store that has them once.

    It costs in proportion to these statements.
    """
    statements.write(revision / SHARED_FILE)
    if statements:
        store.backup(str(revision / "merged"))
        merged = open_for_writing(revision / "merged")
        for quad in statements.repeats():
            merged.remove(quad)
        merged.flush()


def read_shared(revision: Path) -> SharedStatements | None:
    """The shared statements of a revision; None in one of an earlier version of sage-ld."""
    return shared_statements.read(revision / SHARED_FILE)


def _arguments(dataset: DatasetNames | None) -> dict[str, Any]:
    if dataset is None:
        return {"use_default_graph_as_union": True}
    return {"default_graph": _nodes(dataset.default), "named_graphs": _named_nodes(dataset.named)}


def _nodes(names: Names) -> list[GraphName]:
    return [graph_of_text(name) for name in names]


def _named_nodes(names: Names) -> list[NamedNode | BlankNode]:
    return [graph for graph in _nodes(names) if not isinstance(graph, DefaultGraph)]


def _members(names: Names | None) -> Callable[[GraphName], bool]:
    """Says of a graph whether it is one of `names`; of None all are."""
    if names is None:
        return lambda graph: True
    nodes = set(_nodes(names))
    return nodes.__contains__


def _quads(store: Store, names: Names | None) -> Iterator[Quad]:
    if names is None:
        yield from store
        return
    for name in _nodes(names):
        yield from store.quads_for_pattern(None, None, None, name)


def _counted(quads: Iterable[Quad], repeated: int, most: int) -> Iterator[Quad]:
    """The quads. Raises ResultLimitError beyond `most`."""
    for number, quad in enumerate(quads):
        if number >= most:
            raise ResultLimitError(
                f"{repeated:,} statements are in several graphs, and counting each of them once takes a "
                "merge of "
                f"more than {most:,} statements, the limit; leave out GRAPH, ask fewer graphs, or raise the "
                "setting max_merged_statements"
            )
        yield quad


RESULT_FORMATS = {
    "json": QueryResultsFormat.JSON,
    "xml": QueryResultsFormat.XML,
    "csv": QueryResultsFormat.CSV,
    "tsv": QueryResultsFormat.TSV,
}
GRAPH_FORMATS = {
    "turtle": RdfFormat.TURTLE,
    "ntriples": RdfFormat.N_TRIPLES,
    "jsonld": RdfFormat.JSON_LD,
    "rdfxml": RdfFormat.RDF_XML,
}
RDF_FORMATS = {**GRAPH_FORMATS, "trig": RdfFormat.TRIG, "nquads": RdfFormat.N_QUADS}
"""The formats of one graph, and those of datasets."""


T = TypeVar("T")


def answer(stores: Stores, query: str, most: int, form: str | None = None) -> bytes:
    """The answer to a SPARQL query, in `form` or the usual one for its kind.

    The default graph is the merge of the graphs after FROM, or of all; `most` as in `Stores.query`. Raises
    InputError for a query that does not parse, an update, or a format that does not fit its kind, LimitError.
    """
    try:
        results = stores.query(query, most=most)
    except SyntaxError as error:
        raise InputError(
            f"the query does not parse: {error}; see https://www.w3.org/TR/sparql11-query/"
        ) from None
    if isinstance(results, QuerySolutions | QueryBoolean):
        return results.serialize(format=_pick(RESULT_FORMATS, form or "json", "a table or a boolean")) or b""
    try:
        return results.serialize(format=_pick(GRAPH_FORMATS, form or "turtle", "a graph")) or b""
    except OSError as error:  # JSON-LD has no triple terms
        raise InputError(f"{error}; ask for --format turtle") from None


def _pick(formats: dict[str, T], name: str, kind: str) -> T:
    if name not in formats:
        raise InputError(
            f"format {name!r} does not fit: the query's answer is {kind}; use {', '.join(formats)}"
        )
    return formats[name]
