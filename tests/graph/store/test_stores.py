"""Queries over graphs that share statements answer as over a store whose default graph is the merge."""

from __future__ import annotations

from collections import Counter
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, QuerySolutions, Store

from sage_ld.foundation.errors import ResultLimitError
from sage_ld.graph.store.shared_statements import everywhere
from sage_ld.graph.store.stores import SHARED_FILE, Stores, read_shared, write_shared

NODES = [NamedNode(f"http://x/{name}") for name in "stu"]
GRAPHS = [NamedNode(f"http://x/{name}") for name in "abc"]
QUADS = st.lists(
    st.builds(
        Quad,
        st.sampled_from(NODES),
        st.sampled_from([NamedNode("http://x/p"), NamedNode("http://x/q")]),
        st.sampled_from([*NODES, Literal(1), Literal(2)]),
        st.sampled_from([*GRAPHS, DefaultGraph()]),
    ),
    max_size=24,
)
PATTERNS = (
    "{ ?s ?p ?o }",
    "{ ?s :p ?o . ?o :q ?x }",
    "{ ?s :p/:q ?o }",
    "{ ?s :p|:q ?o OPTIONAL { ?o :p ?x } }",
    "{ GRAPH ?g { ?s ?p ?o } }",
    "{ GRAPH ?g { ?s :p ?o } ?o ?p ?x }",
    "{ GRAPH :b { ?s :p ?o } ?s :p ?o }",
    "{ GRAPH :c { ?s :p ?o } FILTER EXISTS { ?o :q ?s } }",
    "{ { ?s :p ?o } UNION { GRAPH :a { ?s ?p ?o } } }",
)
Names = tuple[str, ...] | None
DATASETS: list[tuple[Names, Names]] = [(None, None), ((), ("a", "b"))] + [
    (default, named)
    for default in (("a",), ("a", "b"), ("b", "b"), ("b", "c"), ("c", "b", "a"))
    for named in ((), ("b",), ("c", "b", "c"))
]
PREFIX = "PREFIX : <http://x/>\n"
numbers = count()


def opened(folder: Path, quads: list[Quad]) -> Stores:
    """The stores of a revision with these quads."""
    revision = folder / str(next(numbers))
    revision.mkdir()
    store = Store(str(revision / "live"))
    store.extend(quads)
    store.backup(str(revision / "store"))
    write_shared(store, revision, everywhere(store))
    return Stores.open(revision)


def reference(quads: list[Quad], default: Names, named: Names) -> Store:
    """The dataset of some graphs, None for all, with the merge of the default ones as its default graph."""
    store = Store()
    for quad in quads:
        graph = quad.graph_name
        name = "" if isinstance(graph, DefaultGraph) else graph.value[-1]
        if default is None or name in default:
            store.add(Quad(quad.subject, quad.predicate, quad.object))
        if name and (named is None or name in named):
            store.add(quad)
    return store


def rows(results: object) -> Counter[tuple[object, ...]]:
    assert isinstance(results, QuerySolutions)
    return Counter(tuple(str(row[each]) for each in results.variables) for row in results)


def clauses(default: Names, named: Names) -> str:
    return " ".join(
        [*(f"FROM :{each}" for each in default or ()), *(f"FROM NAMED :{each}" for each in named or ())]
    )


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(QUADS)
def test_a_shared_statement_counts_once(tmp_path: Path, quads: list[Quad]) -> None:
    stores = opened(tmp_path, quads)
    for default, named in DATASETS:
        expected = reference(quads, default, named)
        for pattern in PATTERNS:
            query = f"{PREFIX}SELECT * {clauses(default, named)} {pattern}"
            found = rows(stores.query(query, most=1000))
            assert found == rows(expected.query(f"{PREFIX}SELECT * {pattern}")), query


def test_where_a_query_is_evaluated(tmp_path: Path) -> None:
    """In memory only what looks at shared statements both in the default graph and by GRAPH."""
    s, t, _ = NODES
    a, b, c = GRAPHS
    stores = opened(tmp_path, [Quad(s, s, t, a), Quad(s, s, t, b), Quad(t, t, t, c)])
    assert len(stores.named) == 3
    assert len(stores.merged) == 2
    for query in (
        "SELECT * { ?s ?p ?o }",
        "SELECT * FROM :a FROM :b { ?s ?p ?o }",
        "SELECT * FROM :b FROM :c { ?s ?p ?o GRAPH ?g { ?s ?p ?o } }",
        "SELECT * { GRAPH ?g { ?s ?p ?o } }",
        "SELECT * { GRAPH :a { ?s ?p ?o } ?o ?q ?x }",
        "SELECT * { GRAPH :c { ?s ?p ?o } ?o ?q ?x }",
    ):
        stores.query(PREFIX + query, most=0)
    for query in (
        "SELECT * { GRAPH ?g { ?s ?p ?o } ?o ?q ?x }",
        "SELECT * { GRAPH :b { ?s ?p ?o } ?o ?q ?x }",
        "SELECT * FROM :a FROM :b FROM NAMED :b { ?s ?p ?o GRAPH ?g { ?s ?p ?o } }",
    ):
        with pytest.raises(ResultLimitError, match="max_merged_statements"):
            stores.query(PREFIX + query, most=1)


def test_a_store_that_shares_nothing_has_no_second_one(tmp_path: Path) -> None:
    stores = opened(tmp_path, [Quad(*NODES, each) for each in GRAPHS[:1]])
    assert stores.named is stores.merged
    revision = next(tmp_path.iterdir())
    assert (revision / SHARED_FILE).read_bytes() == b""
    assert not (revision / "merged").exists()
    (revision / SHARED_FILE).unlink()
    assert read_shared(revision) is None


def test_shared_statements_are_read_as_they_were_written(tmp_path: Path) -> None:
    node, one = BlankNode("b1"), Literal("é\n", language="en")
    quads = [Quad(node, NODES[0], one, graph) for graph in (*GRAPHS, DefaultGraph())]
    stores = opened(tmp_path, [*quads, Quad(*NODES, GRAPHS[0])])
    assert stores.shared.graphs == {quads[0].triple: (*GRAPHS, DefaultGraph())}
