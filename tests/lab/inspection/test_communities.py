"""Communities and the overview: what falls apart, how far a community opens, always the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graph.corpus import built, write
from scipy.sparse import csr_matrix
from service.web import client_of

from sage_ld.foundation.deadline import deadline
from sage_ld.foundation.errors import NotFoundError, TimeLimitError
from sage_ld.foundation.records import record_schema
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.lab.http.overview_schemas import CommunityJson
from sage_ld.lab.inspection.overview import ROOT, Community, GraphOverview, everything, parts_of, symmetric
from sage_ld.service.api.schemas import checked_value
from sage_ld.service.context import service_of


def cliques(count: int, size: int) -> csr_matrix:
    """Some groups in which each node is joined to each other, the groups in a ring."""
    blocks = np.kron(np.eye(count), np.ones((size, size)))
    for number in range(count):
        blocks[number * size, ((number + 1) % count) * size] = 1
    return csr_matrix(np.maximum(blocks, blocks.T))


def leaves(adjacency: csr_matrix, community: Community, most: int) -> list[list[int]]:
    parts = parts_of(adjacency, community, most)
    assert len(parts) <= most
    if not parts:
        return [community.members.tolist()]
    assert sorted(np.concatenate([each.members for each in parts])) == sorted(community.members)
    return [leaf for part in parts for leaf in leaves(adjacency, part, most)]


def test_groups_are_found() -> None:
    adjacency = cliques(6, 5)
    found = [sorted(each.members.tolist()) for each in parts_of(adjacency, everything(adjacency), 10)]
    assert sorted(found) == [list(range(begin, begin + 5)) for begin in range(0, 30, 5)]


@pytest.mark.parametrize("most", [2, 3, 7, 50])
@pytest.mark.parametrize(
    "adjacency",
    [cliques(40, 4), csr_matrix((300, 300)), csr_matrix(np.ones((90, 90)) - np.eye(90))],
    ids=["groups", "nothing joined", "all joined"],
)
def test_everything_opens_into_few_nodes(adjacency: csr_matrix, most: int) -> None:
    found = leaves(adjacency, everything(adjacency), most)
    assert max(map(len, found)) <= most
    assert sorted(node for leaf in found for node in leaf) == list(range(adjacency.shape[0]))
    assert found == leaves(adjacency, everything(adjacency), most)


def test_edges_count_both_ways_and_add_up() -> None:
    assert symmetric(np.array([[0, 1]]), np.array([0.5]), 3).toarray()[1].tolist() == [0.5, 0, 0]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("overview")
    return built(folder / "graph", write(folder / "corpus"))


def opened(graph: KnowledgeGraph, most: int) -> dict[str, dict[str, object]]:
    """All communities of a graph, by identifier."""
    snapshot = graph.snapshot()
    overview = GraphOverview.of(snapshot, Settings(max_community_parts=most))
    views, left = {}, [ROOT]
    while left:
        name = left.pop()
        views[name] = overview.view(snapshot, name)
        checked_value(views[name], record_schema(CommunityJson))
        left += [each["id"] for each in views[name]["communities"]]
    return views


def test_all_documents_and_chunks_are_somewhere(graph: KnowledgeGraph) -> None:
    views = opened(graph, 8)
    assert len(views) > 2
    nodes = [node for view in views.values() for node in view["nodes"]]  # type: ignore[attr-defined]
    by_kind = {
        kind: {node["id"] for node in nodes if node["kind"] == kind}
        for kind in ("chunk", "document", "entity")
    }
    snapshot = graph.snapshot()
    assert by_kind["chunk"] == set(snapshot.vectors.iris)
    assert len(by_kind["document"]) == len(list(graph.documents))
    assert by_kind["entity"]
    assert all(node["label"] != node["id"] for node in nodes)
    assert opened(graph, 8) == views
    (whole,) = opened(graph, 10_000).values()
    assert {each["kind"] for each in whole["edges"]} >= {"part", "link", "mention"}  # type: ignore[attr-defined]


def test_limits(graph: KnowledgeGraph) -> None:
    snapshot = graph.snapshot()
    few = GraphOverview.of(snapshot, Settings(max_overview_edges=5))
    assert not few.view(snapshot)["complete"]
    assert len(few.edges.ends) == 5
    with pytest.raises(TimeLimitError, match="overview_timeout"):
        GraphOverview.of(snapshot, Settings(), deadline(0.0, "overview_timeout"))
    with pytest.raises(NotFoundError, match="no community"):
        few.view(snapshot, "0123456789ab")


@pytest.mark.parametrize("name", ["a." * 4000 + "a", "." * 8000, "{0}." + "a." * 4000, "{0}.", "root.{0}"])
def test_a_long_identifier_of_no_community_costs_nothing(graph: KnowledgeGraph, name: str) -> None:
    snapshot = graph.snapshot()
    overview = GraphOverview.of(snapshot, Settings(max_community_parts=8))
    first = overview.view(snapshot)["communities"][0]["id"]
    with pytest.raises(NotFoundError, match="no community"):
        overview.view(snapshot, name.format(first))


def test_over_http(graph: KnowledgeGraph) -> None:
    with client_of(Path(graph.directory.path), max_community_parts=8) as client:
        whole = client.get("/v1/graph/overview")
        first = whole.get_json()["communities"][0]
        assert whole.get_json()["revision"] == graph.snapshot().number
        part = client.get(f"/v1/graph/communities/{first['id']}")
        assert part.get_json()["id"] == first["id"]
        known = {"If-None-Match": whole.headers["ETag"]}
        assert client.get("/v1/graph/overview", headers=known).status_code == 304
        assert client.get("/v1/graph/communities/0123456789ab").status_code == 404
        assert client.get("/v1/graph/overview?deep=1").status_code == 400
    with client_of(Path(graph.directory.path), overview_timeout=0.01, max_community_parts=2) as client:
        assert client.get("/v1/graph/overview").status_code in (200, 504)


def test_one_client_leaves_streams_of_revisions_to_others(graph: KnowledgeGraph) -> None:
    with client_of(Path(graph.directory.path), max_event_streams=4) as client:
        held = [client.get("/v1/events", buffered=False) for _ in range(2)]
        refused = client.get("/v1/events")
        assert refused.status_code == 503
        assert "max_event_streams" in refused.get_json()["detail"]
        other = client.get("/v1/events", buffered=False, environ_overrides={"REMOTE_ADDR": "192.0.2.7"})
        assert other.status_code == 200
        for each in (*held, other):
            each.close()
        again = client.get("/v1/events", buffered=False)
        assert again.status_code == 200
        again.close()


def test_a_community_opens_in_a_place_of_those_who_search(graph: KnowledgeGraph) -> None:
    with client_of(Path(graph.directory.path), web_searches=1, queue_timeout=0.1) as client:
        searches = service_of(client.application).searches
        whole = client.get("/v1/graph/overview")
        assert searches.take(None)
        assert client.get("/v1/graph/overview").status_code == 503
        known = {"If-None-Match": whole.headers["ETag"]}
        assert client.get("/v1/graph/overview", headers=known).status_code == 304
        searches.release(None)
        assert client.get("/v1/graph/overview").status_code == 200


def test_revisions_are_followed(graph: KnowledgeGraph) -> None:
    with client_of(Path(graph.directory.path), max_event_streams=1, event_stream_time=1.0) as client:
        first = client.get("/v1/events", buffered=False)
        assert client.get("/v1/events").status_code == 503
        events = first.response
        assert (
            next(iter(events)).decode()
            == f'event: revision\ndata: {{"revision": {graph.snapshot().number}}}\n\n'
        )
        first.close()
        again = client.get("/v1/events")
        assert again.status_code == 200
        assert again.get_data(as_text=True).startswith("event: revision\n")  # and it has ended by itself
        assert client.get("/v1/events", headers={"Accept": "application/json"}).status_code == 406
