"""`/v1/answer`: it fits its description, agrees with Python, streams, and is refused where it has to be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from foundation.language_model.scripted_server import Line, ScriptedServer, scripted_server
from service.web import client_of, fits

from sage_ld.agents.answering import answer_question
from sage_ld.agents.answering.forms import plain_cited_answer
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever
from sage_ld.service.access.tokens import AccessRole, create_token

QUESTION = "Who composed the film that won the Golden Heron in 1987?"
PLAIN = {"Accept": "application/json"}


def test_it_gives_what_python_gives(client: FlaskClient, folder: Path) -> None:
    sent = {"q": QUESTION, "sentences": 2, "k": 3}
    answer = client.get("/v1/answer", query_string=sent, headers=PLAIN)
    assert answer.status_code == 200, answer.text
    fits(answer.get_json(), "PlainCitedAnswer")
    assert client.post("/v1/answer", json=sent, headers=PLAIN).data == answer.data
    with closing(KnowledgeGraph.open(folder)) as graph:
        found = answer_question(Retriever(graph), QUESTION, 3, sentences=2)
    assert answer.get_json() == plain_cited_answer(found)
    assert answer.get_json()["inGraph"]


@pytest.mark.parametrize("context", ["address", "value"])
def test_linked_data_is_the_default(client: FlaskClient, context: str) -> None:
    answer = client.get("/v1/answer", query_string={"q": QUESTION, "context": context})
    assert answer.mimetype == "application/ld+json"
    document = json.loads(answer.data)
    fits(document, "CitedAnswer")
    assert isinstance(document["@context"], str) == (context == "address")


def test_it_comes_in_turtle(client: FlaskClient) -> None:
    answer = client.get("/v1/answer", query_string={"q": QUESTION}, headers={"Accept": "text/turtle"})
    assert "schema:Quotation" in answer.text


def test_the_same_revision_needs_no_second_answer(client: FlaskClient) -> None:
    sent = {"q": QUESTION}
    tag = client.get("/v1/answer", query_string=sent).headers["ETag"]
    assert client.get("/v1/answer", query_string=sent, headers={"If-None-Match": tag}).status_code == 304


def test_it_streams_sentence_by_sentence(client: FlaskClient) -> None:
    answer = client.post("/v1/answer", json={"q": QUESTION}, headers={"Accept": "text/event-stream"})
    assert answer.mimetype == "text/event-stream"
    blocks = [block.split("\n") for block in answer.text.strip().split("\n\n")]
    names = [lines[0].removeprefix("event: ") for lines in blocks]
    data = [json.loads(lines[1].removeprefix("data: ")) for lines in blocks]
    assert names == ["sentence"] * (len(names) - 1) + ["answer"]
    assert data[-1]["hasPart"] == data[:-1] != []
    fits(data[-1], "CitedAnswer")


def test_what_the_graph_does_not_have_is_no_error(client: FlaskClient) -> None:
    sent = {"q": "What is the boiling point of tungsten?"}
    answer = client.get("/v1/answer", query_string=sent, headers=PLAIN)
    assert (answer.status_code, answer.get_json()["inGraph"]) == (200, False)
    assert answer.get_json()["sentences"] == []


@pytest.mark.parametrize(
    ("parameters", "status", "detail"),
    [
        ({}, 400, "q is missing"),
        ({"q": " "}, 400, "q"),
        ({"q": "a", "frame": "chunks"}, 400, "there is no 'frame'"),
        ({"q": "a", "sentences": 0}, 400, "sentences"),
        ({"q": "a", "sentences": 21}, 413, "max_answer_sentences"),
        ({"q": "a" * 100_000}, 413, "max_question_length"),
    ],
    ids=["none", "blank", "frame", "no sentence", "many sentences", "long"],
)
def test_what_cannot_be_answered_is_told(
    client: FlaskClient, parameters: dict[str, Any], status: int, detail: str
) -> None:
    answer = client.get("/v1/answer", query_string=parameters)
    assert answer.status_code == status
    assert detail in answer.get_json(force=True)["detail"]


@contextmanager
def with_model(folder: Path, *script: Line) -> Iterator[tuple[FlaskClient, ScriptedServer]]:
    """A client whose service has a model that answers by the script."""
    with scripted_server(*script) as server:
        used = {"language_model": "m", "language_base_url": server.url, "language_cache_bytes": 0}
        with client_of(folder, **used) as client:
            yield client, server


def test_a_model_is_asked_for_a_client_with_a_token(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
    token = create_token(folder, "reader", AccessRole.READ, "2026-11-24")
    sent = {"q": QUESTION, "method": "model"}
    with with_model(folder, {"sentences": []}) as (client, server):
        assert client.post("/v1/answer", json=sent).status_code == 401
        assert client.get("/v1/answer", query_string=sent).status_code == 400
        assert client.post("/v1/answer", json={"q": QUESTION}).status_code == 200
        assert not server.requests
        allowed = {**PLAIN, "Authorization": f"Bearer {token}"}
        answer = client.post("/v1/answer", json=sent, headers=allowed)
    assert (answer.get_json()["method"], answer.get_json()["inGraph"]) == ("model", False)
    assert len(server.requests) == 1
