"""`/v1/query`: questions answered by queries, without a model and with one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from foundation.language_model.scripted_server import scripted_server
from service.web import client_of, fits

from sage_ld import KnowledgeGraph
from sage_ld.service.access.tokens import AccessRole, create_token

ROWS = [("Osmere", "north", 4200), ("Valdemora", "south", 9100), ("Vaublanc", "south", 2100)]
TOWNS = "town,region,people\n" + "".join(f"{town},{region},{people}\n" for town, region, people in ROWS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("questions")
    (path / "towns.csv").write_text(TOWNS)
    graph = KnowledgeGraph.create(path / "graph", encoder="jaccard")
    graph.ingest(path / "towns.csv")
    graph.close()
    return path / "graph"


@pytest.fixture(scope="module")
def reader(folder: Path) -> dict[str, str]:
    return {"Authorization": f"Bearer {create_token(folder, 'reader', AccessRole.READ, '2026-11-24')}"}


def test_a_question_is_answered_by_rows_with_their_query(folder: Path) -> None:
    with client_of(folder) as client:
        answer = client.post("/v1/query", json={"question": "Which town has the most people?"})
    assert answer.status_code == 200, answer.text
    said = answer.get_json()
    fits(said, "GraphAnswer")
    assert (said["sure"], said["way"], said["language"]) == (True, "grammar", "sql")
    assert said["rows"][0][0] == "Valdemora"
    assert said["sources"][0]["identifier"] == "towns.csv"


def test_what_is_not_sure_has_chunks_and_no_rows(folder: Path) -> None:
    with client_of(folder) as client:
        said = client.post("/v1/query", json={"question": "Why do herons sing?"}).get_json()
    fits(said, "GraphAnswer")
    assert not said["sure"]
    assert not said["rows"]
    assert said["fallback"]


def test_rows_are_as_many_as_asked_for(folder: Path) -> None:
    with client_of(folder, max_question_rows=2) as client:
        asked = {"question": "Which towns have more than 1000 people?", "rows": 1}
        said = client.post("/v1/query", json=asked).get_json()
        more = client.post("/v1/query", json={**asked, "rows": 3})
    assert (len(said["rows"]), said["complete"]) == (1, False)
    assert more.status_code == 413
    assert "max_question_rows" in more.get_json(force=True)["detail"]


def test_a_model_is_asked_only_for_clients_with_a_token(
    folder: Path, reader: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    written = {"language": "sql", "query": "SELECT sum(people) AS people FROM towns"}
    asked = {"question": "How many souls altogether?", "way": "model"}
    with scripted_server(written) as server:
        settings: dict[str, Any] = {
            "language_model": "m",
            "language_base_url": server.url,
            "language_cache_bytes": 0,
            "language_retries": 0,
        }
        with client_of(folder, **settings) as client:
            assert client.post("/v1/query", json=asked).status_code == 401
            said = client.post("/v1/query", json=asked, headers=reader).get_json()
    fits(said, "GraphAnswer")
    assert said["way"] == "model"
    assert said["rows"] == [[15_400]]


def test_without_a_model_the_way_that_needs_one_is_not_there(folder: Path, reader: dict[str, str]) -> None:
    with client_of(folder) as client:
        answer = client.post("/v1/query", json={"question": "a", "way": "model"}, headers=reader)
    assert answer.status_code == 404
    assert "SAGE_LD_LANGUAGE_MODEL" in answer.get_json(force=True)["detail"]
