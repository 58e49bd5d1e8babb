"""`/v1/outline`: it fits its description, says what Python says, and needs the setting `client_rankings`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from service.web import client_of, fits

from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever

ASKED = {"question": "Who composed the film that won the Golden Heron in 1987?", "document": "heron.md"}


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[FlaskClient]:
    with client_of(folder, client_rankings="learned,sections") as opened:
        yield opened


def test_it_gives_what_python_gives(client: FlaskClient, folder: Path) -> None:
    answer = client.get("/v1/outline", query_string=ASKED)
    assert answer.status_code == 200, answer.text
    found = answer.get_json()
    fits(found, "Outline")
    nodes = Retriever(KnowledgeGraph.open(folder)).outline(ASKED["document"], ASKED["question"])
    assert [each["iri"] for each in found["sections"]] == [each.iri for each in nodes]
    assert found["sections"][0] == pytest.approx(asdict(nodes[0]), abs=1e-6)
    tag = answer.headers["ETag"]
    assert client.get("/v1/outline", query_string=ASKED, headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"document": "none.md"}, 404),
        ({"document": ""}, 400),
        ({"question": " "}, 400),
        ({"recipe": "/etc/passwd"}, 400),
    ],
)
def test_what_it_cannot_show_is_refused(client: FlaskClient, changed: dict[str, str], status: int) -> None:
    assert client.get("/v1/outline", query_string=ASKED | changed).status_code == status


def test_one_that_is_too_long_is_not_sent(folder: Path) -> None:
    with client_of(folder, client_rankings="learned,sections", max_sent_text=20) as small:
        answer = small.get("/v1/outline", query_string=ASKED)
    assert answer.status_code == 413
    assert "max_sent_text" in answer.get_json()["detail"]


def test_clients_that_may_not_use_sections_get_none(folder: Path) -> None:
    with client_of(folder) as usual:
        answer = usual.get("/v1/outline", query_string=ASKED)
    assert answer.status_code == 403
    assert "client_rankings" in answer.get_json()["detail"]
