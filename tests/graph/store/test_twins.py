"""The named queries that need more than SPARQL 1.1, against their twins that do not, on a generated graph."""

from __future__ import annotations

import re

import pytest
from generated import IRIS, add_relations, add_statements, generate
from pyoxigraph import Literal, NamedNode, Quad, Store, Triple
from rdflib.plugins.sparql import prepareQuery

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.store import queries, reading
from sage_ld.graph.store.queries import select
from sage_ld.graph.store.terms import node

SUFFIX = "_sparql11"
TWINS = [name.removesuffix(SUFFIX) for name in queries.names() if name.endswith(SUFFIX)]


@pytest.fixture
def store() -> Store:
    filled = Store()
    generate(filled, documents=40, edges=200)
    return filled


def rows(store: Store, text: str, *names: str) -> set[tuple[str, ...]]:
    return {tuple(str(row[name]) for name in names) for row in select(store, text)}


def plain(store: Store) -> Store:
    """What a store without triple terms holds of it."""
    held = Store()
    held.extend(quad for quad in store if not isinstance(quad.object, Triple))
    return held


def is_sparql_11(text: str) -> bool:
    """Whether rdflib, which knows nothing else, reads it; with parameters as `bind` would fill them."""
    text = re.sub(r"VALUES\s+(\?\w+)\s*\{\s*\}", r"VALUES \1 { <x:y> }", text)
    text = re.sub(r"VALUES\s+(\([?\w\s]+\))\s*\{\s*\}", "", text)
    text = re.sub(r"LIMIT \?\w+", "LIMIT 1", text)
    try:
        prepareQuery(text)
    except Exception:  # pyparsing's, of several kinds
        return False
    return True


@pytest.mark.parametrize("name", queries.names())
def test_every_query_is_sparql_11_or_has_a_twin_that_is(name: str) -> None:
    assert is_sparql_11(queries.text(name)) is (name not in TWINS)


def test_links_of_chunks(store: Store) -> None:
    names = ("source", "target", "confidence", "begin")
    for seeds in (None, reading.chunk_iris(store)[:7]):
        found = [
            rows(each, queries.bind(name, source=seeds), *names)
            for each, name in ((store, "chunk_links"), (plain(store), "chunk_links" + SUFFIX))
        ]
        assert found[0] == found[1] != set()


def test_edges_of_links(store: Store) -> None:
    links = [(source, each) for source, all_of in reading.links(store).items() for each in all_of]
    asked = [
        (Literal(number), source, link.target, link.begin) for number, (source, link) in enumerate(links)
    ]
    found = [
        rows(each, queries.bind(name, pair_source_target_begin=asked), "pair", "edge", "confidence")
        for each, name in ((store, "link_edges"), (plain(store), "link_edges" + SUFFIX))
    ]
    assert found[0] == found[1]
    assert len({pair for pair, *_ in found[0]}) == len(asked) > 0


@pytest.mark.parametrize("hub", [1, 3, 1_000])
def test_statements_of_users(store: Store, hub: int) -> None:
    chunks = reading.chunk_iris(store)
    add_statements(store, chunks)
    about = Quad(
        NamedNode(IRIS.document("generated/1")), node(v.ABOUT), NamedNode("http://localhost:8000/thing/7")
    )
    store.add(about)
    mentioned = Quad(NamedNode(chunks[0]), node(v.MENTIONS), NamedNode("http://localhost:8000/thing/8"))
    store.add(mentioned)
    names = (
        *("seed", "chunk", "begin", "from", "first", "forward", "between", "second", "onward", "to", "end"),
        "ways",
    )
    for seeds in (chunks[:9], None):
        stopping, counting = (
            rows(store, queries.bind(name, seed=seeds, most=9, hub=hub, beyond=hub + 1), *names)
            for name in ("statement", "statement" + SUFFIX)
        )
        assert stopping == counting != set()


@pytest.mark.slow
@pytest.mark.parametrize(("reach", "day"), [(2, ""), (1_000, "2022-02-02"), (1_000, "2026-01-01")])
def test_relations(store: Store, reach: int, day: str) -> None:
    chunks = reading.chunk_iris(store)
    add_statements(store, chunks)
    add_relations(store, chunks, 40, count=300)
    first, second = map(NamedNode, chunks[:2])
    uses = NamedNode("https://w3id.org/sage-ld/relations#uses")
    resource = NamedNode("http://localhost:8000/thing/7")
    graph = NamedNode("http://example.org/more")
    store.extend(
        [
            Quad(first, uses, second, graph),
            Quad(NamedNode(IRIS.document("generated/1")), node(v.ABOUT), resource, graph),
            Quad(NamedNode(IRIS.entity("entity 3")), node(v.IS_REPLACED_BY), resource, graph),
            Quad(resource, node(v.CHUNK_FREQUENCY), Literal(1), graph),
            Quad(first, node(v.MENTIONS), resource, graph),
        ]
    )
    columns = "property_forward_backward_strength_elsewhere"
    properties = [
        (iri, Literal("there"), Literal("back"), Literal(0.5), Literal(elsewhere))
        for iri, elsewhere in (
            (uses.value, False),
            ("https://w3id.org/sage-ld/relations#partOf", False),
            ("http://localhost:8000/property/1", True),
            (v.IS_PART_OF, True),
        )
    ]
    more = {columns: properties, "reach": [Literal(reach)], "over": reach + 1, "day": [Literal(day)]}
    names = (
        *("seed", "chunk", "begin", "from", "property", "ahead", "name", "strength", "edge", "weight"),
        *("to", "end"),
    )
    for seeds in (chunks[:9], None):
        stopping, counting = (
            rows(store, queries.bind(name, seed=seeds, **more), *names)
            for name in ("relation", "relation" + SUFFIX)
        )
        assert stopping == counting != set()


def test_statements_without_an_edge(store: Store) -> None:
    def found() -> list[set[tuple[str, ...]]]:
        return [
            rows(each, queries.text(name), "focus", "value")
            for each, name in (
                (store, "statement_without_edge"),
                (plain(store), "statement_without_edge" + SUFFIX),
            )
        ]

    assert found() == [set(), set()]
    graph = NamedNode(IRIS.edges_graph)
    first, second, *_ = map(NamedNode, reading.chunk_iris(store))
    properties = [node(predicate) for predicate in (v.SIMILAR_TO, v.LINKS_TO, v.NEXT)]
    for source, target in ((first, second), (second, first)):  # some of which the graph may say already
        store.extend(Quad(source, predicate, target, graph) for predicate in properties)
    both = found()
    assert both[0] == both[1]
    assert len(both[0]) >= 2


def test_edges_without_their_statement(store: Store) -> None:
    def found() -> list[set[tuple[str, ...]]]:
        by_term = rows(store, queries.text("edge_against_statement"), "focus", "value")
        text = queries.text("edge_against_statement" + SUFFIX)
        by_text = {(str(row["focus"]), row["value"].value) for row in select(plain(store), text)}
        return [by_term, by_text]

    assert found() == [set(), set()]
    for predicate in (v.SIMILAR_TO, v.LINKS_TO, v.NEXT, v.MENTIONS):
        store.remove(next(store.quads_for_pattern(None, node(predicate), None)))
    both = found()
    assert both[0] == both[1]
    assert len({value for _, value in both[0]}) == 4
