"""Neighbourhoods: which nodes and edges they have, that the strongest stay, and that hubs cost no more."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
from graph.corpus import built, write
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store
from service.web import client_of

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError, NotFoundError
from sage_ld.foundation.records import record_schema
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.exports.neighbourhoods import FORMATS, as_json
from sage_ld.graph.views.neighbourhood import (
    KINDS,
    GraphEdge,
    GraphNode,
    Neighbourhood,
    NeighbourhoodLimits,
    neighbourhood,
)
from sage_ld.service.api.neighbourhoods import NeighbourhoodJson
from sage_ld.service.api.schemas import checked_value

X = "http://example.org/"
WIDE = NeighbourhoodLimits(500, 100, 100_000)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("neighbourhood")
    return built(folder / "graph", write(folder / "corpus"))


def labels(found: Neighbourhood, kind: str) -> set[str]:
    return {each.label for each in found.nodes if each.kind == kind}


def test_a_document_has_its_parts_and_what_links_to_it(graph: KnowledgeGraph) -> None:
    found = graph.neighbourhood("films/night-bus.md")
    assert (found.start, found.nodes[0].kind) == (graph.iris.document("films/night-bus.md"), "document")
    assert {each.hops for each in found.nodes} == {0, 1}
    assert Counter(each.kind for each in found.edges) == {"part": 2, "link": 2}
    assert "Winners" in labels(found, "chunk")
    assert found.complete
    assert not any(each.source == each.target for each in found.edges)


def test_two_hops_lead_to_entities_and_resources(graph: KnowledgeGraph) -> None:
    near, far = (graph.neighbourhood("films/night-bus.md", hops=hops) for hops in (1, 2))
    assert {each.iri for each in near.nodes} < {each.iri for each in far.nodes}
    assert {"mention", "next", "similarity"} & {each.kind for each in far.edges}
    around = graph.neighbourhood(X + "mira")
    assert "Mira Tolland" in labels(around, "entity")
    (composer,) = [each for each in around.edges if each.kind == "statement"]
    assert composer == GraphEdge(X + "score", X + "mira", "statement", 1.0, X + "composer")


def test_only_edges_of_the_kinds_asked_for(graph: KnowledgeGraph) -> None:
    for kind in KINDS:
        found = graph.neighbourhood("films/night-bus.md", hops=3, kinds=[kind])
        assert {each.kind for each in found.edges} <= {kind}
        ends = {end for each in found.edges for end in each[:2]}
        assert {each.iri for each in found.nodes} == ends | {found.start}


def test_a_mention_weighs_as_much_as_its_entity_is_rare(graph: KnowledgeGraph) -> None:
    snapshot = graph.snapshot()
    found = graph.neighbourhood("films/night-bus.md", hops=2, kinds=["part", "mention"])
    mentions = [each for each in found.edges if each.kind == "mention"]
    assert mentions
    for each in mentions:
        quads = snapshot.store.quads_for_pattern(NamedNode(each.target), NamedNode(v.CHUNK_FREQUENCY), None)
        frequency = int(next(iter(quads)).object.value)
        expected = 1 - math.log(frequency) / math.log(len(snapshot.vectors))
        assert each.weight == pytest.approx(expected)


def test_a_curated_edge_is_one_edge_with_its_type_and_weight(tmp_path: Path) -> None:
    made = built(tmp_path / "graph", write(tmp_path / "corpus", ("heron.md", "towns.csv")))
    made.edges.add("heron.md", "part_of", "towns.csv", weight=0.8)
    found = made.neighbourhood("heron.md", kinds=["relation", "statement"])
    ends = made.iris.document("heron.md"), made.iris.document("towns.csv")
    part_of = "https://w3id.org/sage-ld/relations#partOf"
    assert found.edges == (GraphEdge(*ends, "relation", 0.8, part_of, iri=next(made.edges.find()).iri),)


def hub(edges: int) -> Store:
    """A resource with an edge of its own to each of many others, the later the stronger."""
    store = Store()
    quads = []
    for number in range(edges):
        edge, other = NamedNode(f"{X}e{number:05}"), NamedNode(f"{X}n{number:05}")
        weight = Literal((number + 1) / edges)
        for name, value in ((v.SOURCE, NamedNode(X + "hub")), (v.TARGET, other), (v.WEIGHT, weight)):
            quads.append(Quad(edge, NamedNode(name), value))
    store.extend(quads)
    return store


def test_the_strongest_edges_are_followed_not_the_first() -> None:
    store = hub(40)
    limits = NeighbourhoodLimits(500, 3, 100_000)
    found = neighbourhood(store, X + "hub", 1, KINDS, limits, 10)
    assert [each.target for each in found.edges] == [f"{X}n{number:05}" for number in (39, 38, 37)]
    assert {each.kind for each in found.edges} == {"relation"}
    assert not found.complete
    few = neighbourhood(store, X + "hub", 1, KINDS, NeighbourhoodLimits(3, 100, 100_000), 10)
    assert [each.iri for each in few.nodes] == [X + "hub", X + "n00039", X + "n00038"]
    assert not few.complete
    assert len(few.edges) == 2
    assert neighbourhood(store, X + "hub", 1, KINDS, WIDE, 10).complete


class Counted:
    """A store that counts the quads that are read of it."""

    def __init__(self, store: Store) -> None:
        self.store, self.read = store, 0

    def quads_for_pattern(self, *pattern: object) -> object:
        for quad in self.store.quads_for_pattern(*pattern):  # type: ignore[arg-type]
            self.read += 1
            yield quad


def test_a_hub_is_read_as_far_as_the_limit_and_no_further() -> None:
    counted = Counted(hub(3_000))
    limits = NeighbourhoodLimits(5, 4, 400)
    found = neighbourhood(counted, X + "hub", 3, KINDS, limits, 10)  # type: ignore[arg-type]
    assert not found.complete
    assert 1 < len(found.nodes) <= 5
    assert counted.read < 600  # the limit, a last edge, and the labels of the nodes


def test_what_users_state_is_no_trap() -> None:
    """An edge without an end or to itself, a weight out of range, blank nodes, two weights, a label list."""
    a, b = NamedNode(X + "a"), NamedNode(X + "b")
    store = Store()
    store.extend(
        Quad(*each)
        for each in (
            (a, NamedNode(X + "knows"), a),
            (a, NamedNode(X + "knows"), BlankNode()),
            (a, NamedNode(X + "knows"), Literal("b")),
            (NamedNode(X + "half"), NamedNode(v.SOURCE), a),
            (NamedNode(X + "whole"), NamedNode(v.SOURCE), a),
            (NamedNode(X + "whole"), NamedNode(v.TARGET), b),
            (NamedNode(X + "whole"), NamedNode(v.WEIGHT), Literal(7)),
            (
                NamedNode(X + "whole"),
                NamedNode(v.WEIGHT),
                Literal(float("nan")),
            ),
            (b, NamedNode(v.NAME), Literal("\x00<&\ud7ff\n")),
        )
    )
    found = neighbourhood(store, a.value, 3, KINDS, WIDE, 0)
    assert [each[:3] for each in found.edges] == [(a.value, b.value, "relation")]
    assert found.nodes[1] == GraphNode(b.value, "resource", "\x00<&\ud7ff\n", 1)
    assert all(0 <= each.weight <= 1 for each in found.edges)
    for write_text in FORMATS.values():
        assert write_text(found)


def test_pictures_are_read_by_other_tools(graph: KnowledgeGraph) -> None:
    from lxml import etree

    found = graph.neighbourhood("heron.md", hops=2)
    tree = etree.fromstring(FORMATS["graphml"](found).encode())
    space = "{http://graphml.graphdrawing.org/xmlns}"
    assert len(tree.findall(f".//{space}node")) == len(found.nodes)
    assert len(tree.findall(f".//{space}edge")) == len(found.edges)
    dot = FORMATS["dot"](found)
    assert dot.count(" -> ") == len(found.edges)
    checked_value({"revision": 1, **as_json(found)}, record_schema(NeighbourhoodJson))


def test_over_http(graph: KnowledgeGraph) -> None:
    with client_of(Path(graph.directory.path), max_graph_nodes=50) as client:
        answer = client.get("/v1/graph?iri=heron.md&hops=2&kinds=part,link")
        found = graph.neighbourhood("heron.md", hops=2, kinds=["part", "link"], nodes=50)
        assert answer.get_json() == {"revision": graph.snapshot().number, **as_json(found)}
        again = client.get(
            "/v1/graph?iri=heron.md&hops=2&kinds=part,link", headers={"If-None-Match": answer.headers["ETag"]}
        )
        assert again.status_code == 304
        for query, status in (
            ("", 400),
            ("iri=nothing.md", 404),
            ("iri=heron.md&hops=4", 413),
            ("iri=heron.md&nodes=51", 413),
            ("iri=heron.md&fan_out=0", 400),
            ("iri=heron.md&kinds=chair", 400),
            ("iri=%00<>", 404),
        ):
            assert client.get(f"/v1/graph?{query}").status_code == status, query


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"hops": 4}, LimitError, "max_graph_hops"),
        ({"nodes": 501}, LimitError, "max_graph_nodes"),
        ({"fan_out": 101}, LimitError, "max_graph_fan_out"),
        ({"hops": 0}, InputError, "hops is 0"),
        ({"hops": "1"}, InputError, "hops"),
        ({"kinds": "link"}, InputError, "kinds"),
        ({"kinds": ["chair"]}, InputError, "'chair' is not a kind of edge"),
        ({"name": "nothing.md"}, NotFoundError, "nothing about 'nothing.md'"),
    ],
)
def test_what_cannot_be_is_refused(
    graph: KnowledgeGraph, given: dict[str, object], error: type[Exception], message: str
) -> None:
    asked = {"name": "heron.md", **given}
    with pytest.raises(error, match=message):
        graph.neighbourhood(**asked)  # type: ignore[arg-type]
