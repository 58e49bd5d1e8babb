"""`/v1/explain`: it fits its description, agrees with the answers, and is refused where it has to be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from service.web import client_of, fits, small_graph

QUESTION = "Who composed the film that won the Golden Heron in 1987?"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    with client_of(small_graph(tmp_path_factory.mktemp("explaining"))) as opened:
        yield opened


def explained(client: FlaskClient, chunk: str, **parameters: Any) -> dict[str, Any]:
    answer = client.get("/v1/explain", query_string={"question": QUESTION, "chunk": chunk, **parameters})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.get_json()
    fits(found, "Explanation")
    return found


def results(client: FlaskClient, **parameters: Any) -> list[dict[str, Any]]:
    sent, accept = {"q": QUESTION, **parameters}, {"Accept": "application/json"}
    found: list[dict[str, Any]] = client.post("/v1/retrieve", json=sent, headers=accept).get_json()["results"]
    return found


def test_it_agrees_with_the_answer(client: FlaskClient) -> None:
    few = {each["chunk"] for each in results(client, k=3, from_graph=1)}
    for each in results(client):
        found = explained(client, each["chunk"], k=3, from_graph=1)
        assert (found["verdict"] == "a result") == (each["chunk"] in few)
        assert (found["rank"], found["score"]) == (each["rank"], each["score"])


def test_every_parameter_of_a_question_counts(client: FlaskClient) -> None:
    (first, *_) = results(client)
    other = "record" if first["kind"] != "record" else "text"
    out = explained(client, first["chunk"], kinds=other)
    assert (out["verdict"], out["excludedBy"]) == ("filtered out", [f"kinds: {other}"])
    earlier = explained(client, first["chunk"], offset=3, ranking="shared", **{"weights[bm25_weight]": 0.25})
    assert (earlier["ranking"], earlier["offset"]) == ("shared", 3)


def test_the_same_revision_needs_no_second_explanation(client: FlaskClient) -> None:
    chunk = results(client)[0]["chunk"]
    sent = {"question": QUESTION, "chunk": chunk}
    tag = client.get("/v1/explain", query_string=sent).headers["ETag"]
    assert client.get("/v1/explain", query_string=sent, headers={"If-None-Match": tag}).status_code == 304
    assert client.get("/v1/explain", query_string={**sent, "k": 3}).headers["ETag"] != tag


@pytest.mark.parametrize(
    ("parameters", "status", "detail"),
    [
        ({"chunk": "0" * 24}, 404, "no chunk"),
        ({"chunk": "http://other.example/chunk/1"}, 404, "no chunk"),
        ({"chunk": "\u0000<>"}, 404, "no chunk"),
        ({"chunk": "a" * 2_001}, 400, "chunk"),
        ({}, 400, "chunk is missing"),
        ({"chunk": "a", "q": "b"}, 400, "there is no 'q'"),
        ({"chunk": "a", "frame": "chunks"}, 400, "there is no 'frame'"),
        ({"chunk": "a", "k": 1_001}, 413, "max_results"),
    ],
    ids=str,
)
def test_what_cannot_be_explained_is_told(
    client: FlaskClient, parameters: dict[str, Any], status: int, detail: str
) -> None:
    answer = client.get("/v1/explain", query_string={"question": QUESTION, **parameters})
    assert answer.status_code == status
    assert detail in answer.get_json(force=True)["detail"]
