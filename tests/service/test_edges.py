"""`/v1/edges`: edges that clients state, list, change and remove."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from service.web import client_of, fits, small_graph
from werkzeug.test import TestResponse

from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.curated_edges import edge_iris
from sage_ld.graph.store.drafts import TERMS_FILE
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.routes import edges as edges_route

FILM, PRIZE, PERSON = "films/night-bus.md", "heron.md", "people/mira-tolland.md"
EDGE = {"source": FILM, "relation": "Part of", "target": PRIZE, "weight": 0.5}


class Author:
    """A client that may write."""

    def __init__(self, client: FlaskClient, token: str, folder: Path) -> None:
        self.client, self.folder, self._token = client, folder, token

    def send(self, method: str, path: str, said: object = None, **headers: str) -> TestResponse:
        sent = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        data = None if said is None else json.dumps(said)
        return self.client.open(path, method=method, data=data, headers=sent)


@pytest.fixture(scope="module")
def author(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Author]:
    folder = small_graph(tmp_path_factory.mktemp("edges"))
    token = create_token(folder, "writer", AccessRole.WRITE, "2026-01-01")
    with client_of(folder, max_edges_per_write=3) as client:
        yield Author(client, token, folder)


@pytest.fixture(autouse=True)
def _no_edges_stay(author: Author) -> Iterator[None]:
    yield
    for each in listed(author)["edges"]:
        assert author.send("DELETE", f"/v1/edges/{each['identifier']}").status_code == 204


def listed(author: Author, query: str = "") -> dict[str, Any]:
    answer = author.client.get(f"/v1/edges{query}")
    assert answer.status_code == 200, answer.data
    fits(answer.get_json(force=True), "CuratedEdges")
    said: dict[str, Any] = answer.get_json(force=True)
    return said


def made(author: Author, **more: object) -> tuple[str, TestResponse]:
    answer = author.send("POST", "/v1/edges", EDGE | more)
    assert answer.status_code == 201, answer.data
    fits(answer.get_json(force=True), "AddedEdges")
    return answer.headers["Location"], answer


def test_an_edge_is_added_read_changed_and_removed(author: Author) -> None:
    place, answer = made(author, validFrom="2020-01-01", comment="x", metadata={"team": "red", "share": 0.50})
    edge = author.client.get(place)
    said = edge.get_json(force=True)
    fits(said, "CuratedEdge")
    assert (said["relation"], said["weight"], said["validFrom"]) == ("part_of", 0.5, "2020-01-01")
    assert said["metadata"] == {"share": 0.5, "team": "red"}
    assert said == answer.get_json(force=True)["edges"][0]
    assert edge.headers["ETag"] == answer.headers["ETag"]
    patched = author.send(
        "PATCH", place, {"weight": 0.25, "comment": None, "metadata": {"team": None, "year": 1987}}
    )
    fits(patched.get_json(force=True), "ChangedEdge")
    after = author.client.get(place).get_json(force=True)
    assert after == {
        **{name: value for name, value in said.items() if name != "comment"},
        "weight": 0.25,
        "metadata": {"share": 0.5, "year": 1987},
    }
    assert author.client.get(place).headers["ETag"] == patched.headers["ETag"]
    assert author.send("PUT", place, {"relation": "uses"}).status_code == 200
    after = author.client.get(place).get_json(force=True)
    assert (after["relation"], after["weight"], "metadata" in after) == ("uses", 1.0, False)
    assert author.send("DELETE", place).status_code == 204
    assert author.client.get(place).status_code == author.send("DELETE", place).status_code == 404


def test_values_of_any_datatype_are_listed_and_stay_when_others_are_patched(author: Author) -> None:
    place, answer = made(author, metadata={"team": "red"})
    edge = answer.get_json(force=True)["edges"][0]["id"]
    graph = f"GRAPH <{edge.partition('relation/')[0]}graph/curated>"
    values = (
        '"POINT(1 1)"^^<http://www.opengis.net/ont/geosparql#wktLiteral>',
        '"<b>"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML>',
        '"2024-05-01"^^<http://www.w3.org/2001/XMLSchema#date>',
        '"1"^^<http://www.w3.org/2001/XMLSchema#odd:name>',
        '"Reiher"@de',
    )
    update = f"INSERT DATA {{ {graph} {{ <{edge}> <http://example.org/p> {', '.join(values)} }} }}"
    headers = {"Authorization": answer.request.headers["Authorization"]}
    stated = author.client.post("/update", data={"update": update}, headers=headers)
    assert stated.status_code == 200, stated.data
    assert len(listed(author)["edges"][0]["metadata"]["http://example.org/p"]) == len(values)
    assert author.send("PATCH", place, {"metadata": {"team": None}, "weight": 0.25}).status_code == 200
    assert listed(author)["edges"][0]["weight"] == 0.25
    for each in values:
        ask = f"ASK {{ {graph} {{ <{edge}> <http://example.org/p> {each} }} }}"
        found = author.client.get("/sparql", query_string={"query": ask})
        assert found.get_json(force=True)["boolean"], each


def test_the_types_that_updates_add_have_the_limits_of_a_file(author: Author) -> None:
    _, answer = made(author)
    base = answer.get_json(force=True)["edges"][0]["id"].partition("relation/")[0]
    headers = {"Authorization": answer.request.headers["Authorization"]}

    def stated(numbers: range, text: str = "") -> TestResponse:
        notation = "<http://www.w3.org/2004/02/skos/core#notation>"
        types = " ".join(f'<http://example.org/{each}> {notation} "{text}t{each}" .' for each in numbers)
        update = f"INSERT DATA {{ GRAPH <{base}graph/relations> {{ {types} }} }}"
        return author.client.post("/update", data={"update": update}, headers=headers)

    most = Settings().max_relation_types
    assert stated(range(most)).status_code == 200
    for refused, setting in (
        (stated(range(most + 1)), "max_relation_types"),
        (stated(range(2), "x" * 2**20), "max_relation_types_bytes"),
    ):
        assert refused.status_code == 413
        assert refused.get_json(force=True)["detail"].endswith(f"the setting {setting}")
    assert author.send("POST", "/v1/edges", EDGE | {"relation": "t2"}).status_code == 201


def test_an_edge_that_breaks_the_shapes_is_refused(author: Author) -> None:
    refused = author.send("POST", "/v1/edges", EDGE | {"relation": "https://schema.org/name"})
    assert refused.status_code == 422
    assert "exactly one name" in refused.get_json(force=True)["report"][0]
    assert listed(author)["numberOfItems"] == 0


def test_an_edge_that_is_there_is_given_back_and_other_content_is_a_conflict(author: Author) -> None:
    place, _ = made(author)
    again = author.send("POST", "/v1/edges", EDGE)
    assert (again.status_code, again.headers["Content-Location"]) == (200, place)
    assert author.send("POST", "/v1/edges", EDGE | {"weight": 0.75}).status_code == 409


def test_two_writers_cannot_overwrite_each_other_unseen(author: Author) -> None:
    place, answer = made(author)
    tag = answer.headers["ETag"]
    first = author.send("PATCH", place, {"weight": 0.1}, If_Match=tag)
    assert first.status_code == 200
    for method, said in (("PATCH", {"weight": 0.2}), ("PUT", {"relation": "uses"}), ("DELETE", None)):
        assert author.send(method, place, said, If_Match=tag).status_code == 412
        assert author.send(method, place, said, If_Match='"open').status_code == 400
    assert author.client.get(place).get_json(force=True)["weight"] == 0.1
    assert author.client.get(place, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    assert author.send("DELETE", place, If_Match=first.headers["ETag"]).status_code == 204


def test_several_edges_are_added_all_or_none_and_listed_by_cursor(author: Author) -> None:
    several = [EDGE | {"relation": name} for name in ("uses", "extends", "related_to")]
    bad = author.send("POST", "/v1/edges", {"edges": [*several[:2], EDGE | {"target": "nobody.md"}]})
    assert bad.status_code == 400
    assert "edge 3: target" in bad.get_json(force=True)["detail"]
    assert listed(author)["numberOfItems"] == 0
    answer = author.send("POST", "/v1/edges", {"edges": several})
    assert (answer.status_code, answer.get_json(force=True)["added"]) == (201, 3)
    assert author.send("POST", "/v1/edges", {"edges": several}).status_code == 200
    assert author.send("POST", "/v1/edges", {"edges": [EDGE] * 4}).status_code == 413
    first = listed(author, "?limit=2")
    second = listed(author, f"?limit=2&cursor={first['nextCursor']}")
    assert "nextCursor" not in second
    assert [each["id"] for each in first["edges"] + second["edges"]] == sorted(
        each["id"] for each in answer.get_json(force=True)["edges"]
    )


def test_a_list_is_of_a_source_a_target_and_a_type(author: Author) -> None:
    edges = [EDGE, EDGE | {"relation": "uses"}, EDGE | {"source": PERSON}]
    author.send("POST", "/v1/edges", {"edges": edges})
    assert listed(author, f"?source={FILM}")["numberOfItems"] == 2
    assert listed(author, f"?target={PRIZE}&relation=part_of")["numberOfItems"] == 2
    assert listed(author, f"?source={FILM}&relation=part%20of&target={PRIZE}")["numberOfItems"] == 1
    assert listed(author, "?relation=extends")["numberOfItems"] == 0
    for query in ("?source=nobody.md", "?relation=nothing", "?cursor=%21", "?limit=0", "?x=1"):
        assert author.client.get(f"/v1/edges{query}").status_code == 400


def test_the_pages_of_a_filtered_list_are_cut_from_one_list(
    author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[object] = []

    def counting(store: Store, iris: Iris, *conditions: Any) -> list[str]:
        calls.append(conditions[0])
        return edge_iris(store, iris, *conditions)

    monkeypatch.setattr(edges_route, "edge_iris", counting)
    author.send("POST", "/v1/edges", {"edges": [EDGE | {"relation": name} for name in ("uses", "extends")]})
    first = listed(author, f"?source={FILM}&limit=1")
    second = listed(author, f"?source={FILM}&limit=1&cursor={first['nextCursor']}")
    assert (len(first["edges"]), len(second["edges"]), second["numberOfItems"]) == (1, 1, 2)
    assert len(calls) == 1
    author.send("POST", "/v1/edges", EDGE)
    assert listed(author, f"?source={FILM}")["numberOfItems"] == 3
    assert len(calls) == 2


def test_a_request_with_a_key_is_carried_out_once(author: Author) -> None:
    first = author.send("POST", "/v1/edges", EDGE, Idempotency_Key="edge-1")
    place = first.headers["Location"]
    assert author.send("DELETE", place).status_code == 204
    again = author.send("POST", "/v1/edges", EDGE, Idempotency_Key="edge-1")
    assert (again.status_code, again.headers["Location"], again.data) == (201, place, first.data)
    assert author.client.get(place).status_code == 404
    assert author.send("POST", "/v1/edges", EDGE | {"weight": 1}, Idempotency_Key="edge-1").status_code == 422


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weight": 2}, "weight"),
        ({"weight": "1"}, "weight"),
        ({"validFrom": "2020"}, "validFrom"),
        ({"validFrom": "2020-02-30"}, "valid_from"),
        ({"validFrom": "2020-02-02", "validThrough": "2020-02-01"}, "after"),
        ({"relation": "sold_to"}, "part_of"),
        ({"target": FILM}, "source and target"),
        ({"type": "part_of"}, "there is no 'type'"),
        ({"metadata": {"weight": None, "comment": {"deep": object}}}, ""),
    ],
)
def test_what_does_not_fit_is_refused(author: Author, change: dict[str, Any], words: str) -> None:
    said = json.loads(json.dumps(EDGE | change, default=lambda _: "deep"))
    answer = author.send("POST", "/v1/edges", said)
    if not words:
        assert answer.status_code == 201
        return
    assert answer.status_code == 400
    assert words in answer.get_json(force=True)["detail"]


def test_changes_need_a_token_and_ends_do_not_change(author: Author) -> None:
    place, _ = made(author)
    for method, path in (("POST", "/v1/edges"), ("PUT", place), ("PATCH", place), ("DELETE", place)):
        assert author.client.open(path, method=method, json=EDGE).status_code == 401
    moved = author.send("PUT", place, EDGE | {"target": PERSON})
    assert moved.status_code == 400
    assert "a different edge" in moved.get_json(force=True)["detail"]
    assert author.send("PUT", "/v1/edges/" + "0" * 24, {"relation": "uses"}).status_code == 404
    assert author.send("PATCH", place, {"source": PERSON}).status_code == 400
    assert author.send("POST", "/v1/edges", "x", Content_Type="text/plain").status_code == 415


def test_a_search_follows_what_was_stated(author: Author) -> None:
    author.send("POST", "/v1/edges", EDGE | {"validThrough": "2020-12-31"})
    asked = {"q": "Who directed Night Bus to Hask?", "k": 10, "from_graph": 9, "channels": ["relation"]}

    def steps(**more: object) -> list[str]:
        answer = author.client.post("/v1/retrieve", json=asked | more).get_json(force=True)
        return [step["relation"] for each in answer["itemListElement"] for step in each["path"]]

    assert set(steps()) == {"part_of", "has_part"}
    assert steps(as_of="2021-01-01") == steps(relations=["uses"]) == []
    for wrong in ({"relations": ["nothing"]}, {"as_of": "2021-02-30"}, {"relations": []}):
        assert author.client.post("/v1/retrieve", json=asked | wrong).status_code == 400


def test_a_list_with_conditions_ends_after_its_time(tmp_path: Path) -> None:
    folder = small_graph(tmp_path)
    graph = KnowledgeGraph.open(folder)
    graph.edges.add(FILM, "part_of", PRIZE)
    graph.close()
    with client_of(folder, retrieve_timeout=1e-9) as client:
        answer = client.get("/v1/edges?relation=part_of")
    assert answer.status_code == 504
    assert "retrieve_timeout" in answer.get_json(force=True)["detail"]


def test_edges_that_go_with_a_document_are_in_the_answer(author: Author) -> None:
    said = {"text": "An otter swims.", "identifier": "otter"}
    assert author.send("POST", "/v1/documents", said).status_code == 201
    _, answer = made(author, source="otter", metadata={"team": "red"})
    [edge] = answer.get_json(force=True)["edges"]
    gone = author.send("DELETE", "/v1/documents/otter")
    fits(gone.get_json(force=True), "ChangedDocument")
    assert (gone.status_code, gone.get_json(force=True)["removedEdges"]) == (200, [edge])
    assert author.send("POST", "/v1/documents", said).status_code == 201
    assert author.send("DELETE", "/v1/documents/otter").status_code == 204


def test_a_write_whose_lost_edges_cannot_be_described_is_not_published(author: Author) -> None:
    said = {"text": "An otter swims.", "identifier": "otter"}
    assert author.send("POST", "/v1/documents", said).status_code == 201
    made(author, source="otter")
    table = author.folder / TERMS_FILE
    table.write_text("damaged")
    try:
        gone = author.send("DELETE", "/v1/documents/otter")
    finally:
        table.unlink()
    assert gone.status_code == 400, gone.data
    assert author.client.get("/v1/documents/otter").status_code == 200
    assert len(listed(author)["edges"]) == 1
    assert author.send("DELETE", "/v1/documents/otter").status_code == 200


def test_the_types_of_relation_are_listed_by_weight(author: Author) -> None:
    answer = author.client.get("/v1/relation-types")
    fits(answer.get_json(force=True), "RelationTypes")
    types = {each["name"]: each for each in answer.get_json(force=True)["relationTypes"]}
    assert next(iter(types)) in ("has_kind", "is_a")
    assert types["part_of"]["inverse"] == types["has_part"]["id"]
    assert types["part_of"]["weight"] == 0.95
    tag = answer.headers["ETag"]
    assert author.client.get("/v1/relation-types", headers={"If-None-Match": tag}).status_code == 304
