"""Which graphs a query reads is never less than it does."""

from __future__ import annotations

import pytest

from sage_ld.graph.store.query_graphs import DatasetNames, dataset, names_graph, scope

GRAPH = "http://y/graph/retrievals"
PREFIX = "PREFIX : <http://x/> BASE <http://y/>\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * { ?from :from 'FROM <http://x/a>' } # FROM :a", None),
        (
            "SELECT * FROM :a from <http://x/a>FROM<b> { ?s ?p ?o }",
            DatasetNames(("http://x/a", "http://y/b"), ()),
        ),
        (
            "ASK FROM NAMED :a FROM :b FROM NAMED :c {}",
            DatasetNames(("http://x/b",), ("http://x/a", "http://x/c")),
        ),
        ("CONSTRUCT { ?s ?p ?o } FROM :a WHERE { ?s ?p ?o }", DatasetNames(("http://x/a",), ())),
    ],
)
def test_dataset_clauses_are_read(text: str, expected: DatasetNames | None) -> None:
    assert dataset(PREFIX + text) == expected


@pytest.mark.parametrize(
    "group",
    [
        "GRAPH ?g { ?s ?p ?o . { ?s ?q 1 } UNION { ?s ?r 2 } }",
        "GRAPH :a { ?s ?p ?o } GRAPH <b> { ?s ?q [] } FILTER(?s != ?o && regex(?o, 'x'))",
        "{ GRAPH :a { ?s ?p ?o } } UNION { GRAPH ?g { ?s ?p ?o } } . OPTIONAL { GRAPH :a { ?s ?q ?x } }",
        "VALUES ?g { :a :b } VALUES (?s ?o) { (1 2) } GRAPH ?g { ?s ?p ?o } BIND(str(?s) AS ?name)",
        "GRAPH :a { ?s ?p ?o FILTER NOT EXISTS { ?s ?q 1 } } FILTER EXISTS { GRAPH :b { ?s ?p ?o } }",
    ],
)
def test_a_query_within_graph_reads_no_default_graph(group: str) -> None:
    for form in (
        "SELECT ?g (COUNT(*) AS ?n) WHERE { %s } GROUP BY ?g ORDER BY ?n",
        "ASK { %s }",
        "CONSTRUCT { ?s :p [ :q ?o ] } WHERE { %s }",
        "SELECT (?n + 1 AS ?m) { %s } VALUES ?n { 1 2 }",
    ):
        assert not scope(PREFIX + form % group).reads_default


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { ?s ?p ?o }",
        "SELECT * { GRAPH ?g { ?s ?p ?o } ?s :q 1 }",
        "SELECT * { GRAPH ?g { ?s ?p ?o } FILTER EXISTS { ?s :q 1 } }",
        "SELECT * { GRAPH ?g { ?s ?p ?o } FILTER (1 = 1 || NOT EXISTS { [] :q 1 }) }",
        "SELECT (EXISTS { ?s ?p ?o } AS ?e) { GRAPH ?g { ?s ?p ?o } }",
        "SELECT * { { SELECT ?s { ?s ?p ?o } } GRAPH ?g { ?s ?p ?o } }",
        "SELECT * { GRAPH ?g { ?s ?p ?o } MINUS { [] a :C } }",
        "CONSTRUCT WHERE { ?s ?p ?o }",
        "DESCRIBE ?s { GRAPH ?g { ?s ?p ?o } }",
        "DESCRIBE :a",
        "SELECT * { <<( :a :b :c )>> :p 1 }",
        "SELECT * { (1 2) :p 3 }",
    ],
)
def test_any_other_query_reads_the_default_graph(query: str) -> None:
    assert scope(PREFIX + query).reads_default


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("ASK { ?s ?p ?o }", ()),
        ("ASK { GRAPH :a { ?s ?p ?o } GRAPH <b> { ?s ?p ?o } }", ("http://x/a", "http://y/b")),
        ("ASK { GRAPH :a { ?s ?p ?o } FILTER EXISTS { GRAPH ?g { ?s ?p ?o } } }", None),
        ("ASK { GRAPHex:a { ?s ?p ?o } }", None),
    ],
)
def test_graphs_are_named_or_any(query: str, named: tuple[str, ...] | None) -> None:
    assert scope(PREFIX + query).named == named


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ASK { GRAPH <graph/retrievals> { ?s ?p ?o } }", True),
        ("ASK FROM <../graph/./retrievals> { ?s ?p ?o }", True),
        ("PREFIX g: <graph/> ASK { VALUES ?g { :a g:retrievals } }", True),
        (r"PREFIX retrievals: <graph/\u0072etrievals> ASK { GRAPH retrievals: { ?s ?p ?o } }", True),
        (r"ASK { GRAPH <gr\u0061ph/retrievals> { ?s ?p ?o } }", True),
        (r"ASK { GRAPH <graph/\u0072etrievals> { ?s ?p ?o } } # retrievals", False),
        ("ASK { GRAPH :retrievals { ?s ?p 'graph/retrievals' } }", False),
        ("ASK { GRAPH unknown:retrievals { ?s ?p ?o } }", False),
    ],
)
def test_a_graph_is_named_by_the_iri_that_is_meant(query: str, expected: bool) -> None:
    assert names_graph(PREFIX + query, GRAPH) == expected


def test_names_in_thousands_are_resolved_without_nesting() -> None:
    """Each name nested in the one before it overflowed the stack, and ended the process."""
    assert names_graph(f"{PREFIX} ASK {{ VALUES ?x {{ {'<graph/retrievals> ' * 5000} }} }}", GRAPH)
    assert not names_graph(f"{PREFIX} ASK {{ VALUES ?x {{ {'<retrievals> ' * 5000} }} }}", GRAPH)
    graphs = [f"http://y/{number}" for number in range(5000)]
    clauses = " ".join(f"FROM NAMED <{number}>" for number in range(5000))
    assert dataset(f"{PREFIX} ASK {clauses} {{ }}") == DatasetNames((), tuple(graphs))
    patterns = " ".join(f"GRAPH <{number}> {{ }}" for number in range(5000))
    assert scope(f"{PREFIX} ASK {{ {patterns} }}").named == tuple(graphs)


def test_more_names_than_are_resolved_count_as_the_graph() -> None:
    others = [f"<graph/retrievals{number}>" for number in range(1001)]
    assert not names_graph(f"{PREFIX} ASK {{ VALUES ?x {{ {' '.join(others[1:])} }} }}", GRAPH)
    assert names_graph(f"{PREFIX} ASK {{ VALUES ?x {{ {' '.join(others)} }} }}", GRAPH)
