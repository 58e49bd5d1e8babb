"""`/v1/reason`: whole and as events, for clients with a token, with a model and without one."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from foundation.language_model.scripted_server import Failure, Script, scripted_server
from service.web import client_of, fits
from waiting import PATIENCE

from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.context import service_of

QUESTION = "How many people live in the towns?"
SQL = "SELECT sum(people) AS people, list(_chunk) AS _chunk FROM towns"
SCRIPT: Script = [
    {"query_type": "ANALYTICAL", "target_types": [], "key_entities": []},
    {"scores": []},
    {"thought": "a sum", "action": "CODE", "code": SQL, "selected_indices": []},
    {"answer": "15,400.", "citations": [0]},
]


@pytest.fixture(scope="module")
def authorization(folder: Path) -> dict[str, str]:
    return {"Authorization": f"Bearer {create_token(folder, 'reader', AccessRole.READ, '2026-11-24')}"}


def set_to(url: str) -> dict[str, Any]:
    return {
        "language_model": "m",
        "language_base_url": url,
        "language_cache_bytes": 0,
        "language_retries": 0,
        "queue_timeout": 120.0,
        "table_timeout": 60.0,
    }


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")


def test_an_answer_comes_whole_with_its_steps(folder: Path, authorization: dict[str, str]) -> None:
    with scripted_server(*SCRIPT) as server, client_of(folder, **set_to(server.url)) as client:
        sent = {"question": QUESTION, "hops": 1, "calls": 4, "seconds": 100}
        answer = client.post("/v1/reason", json=sent, headers=authorization)
    assert answer.status_code == 200, answer.text
    said = answer.get_json()
    fits(said, "ReasonedAnswer")
    assert (said["answer"], said["byModel"], said["calls"]) == ("15,400.", True, 4)
    assert said["steps"][-1]["result"]["rows"] == [[15400]]
    assert said["citations"] == said["steps"][-1]["result"]["chunks"][0]


def test_steps_come_as_events(folder: Path, authorization: dict[str, str]) -> None:
    headers = {**authorization, "Accept": "text/event-stream"}
    with scripted_server(*SCRIPT) as server, client_of(folder, **set_to(server.url)) as client:
        answer = client.post("/v1/reason", json={"question": QUESTION}, headers=headers)
    lines = [each.split("\n") for each in answer.text.strip().split("\n\n")]
    assert [name.removeprefix("event: ") for name, _ in lines] == [*["step"] * 4, "answer"]
    said = [json.loads(data.removeprefix("data: ")) for _, data in lines]
    for step in said[:-1]:
        fits(step, "ReasoningStep")
    assert said[-1]["steps"] == said[:-1]


def test_an_error_after_the_first_event_is_one(folder: Path, authorization: dict[str, str]) -> None:
    headers = {**authorization, "Accept": "text/event-stream"}
    script: Script = [SCRIPT[0], Failure(500)]
    with scripted_server(*script) as server, client_of(folder, **set_to(server.url)) as client:
        answer = client.post("/v1/reason", json={"question": QUESTION}, headers=headers)
        whole = client.post("/v1/reason", json={"question": QUESTION}, headers=authorization)
    assert answer.text.count("event: step") == 2
    assert "event: problem" in answer.text
    assert whole.status_code == 503


def test_it_needs_a_token_and_a_model(folder: Path, authorization: dict[str, str]) -> None:
    with client_of(folder) as client:
        assert client.post("/v1/reason", json={"question": QUESTION}).status_code == 401
        answer = client.post("/v1/reason", json={"question": QUESTION}, headers=authorization)
        assert (answer.status_code, "SAGE_LD_LANGUAGE_MODEL" in answer.text) == (404, True)
        wrong = client.post("/v1/reason", json={"question": QUESTION, "calls": 1000}, headers=authorization)
        assert (wrong.status_code, "language_calls" in wrong.text) == (413, True)


def test_who_asks_the_model_leaves_others_room(folder: Path, authorization: dict[str, str]) -> None:
    """Whichever way it is asked: a request holds a thread of the service for as long as the model takes."""
    other = {"Authorization": f"Bearer {create_token(folder, 'other', AccessRole.WRITE, '2026-11-24')}"}
    asked, end = threading.Event(), threading.Event()

    def wait(_: dict[str, Any]) -> str:
        asked.set()
        assert end.wait(PATIENCE)
        return "no"

    sent = {
        "/v1/reason": {"question": QUESTION},
        "/v1/answer": {"q": QUESTION, "method": "model"},
        "/v1/query": {"question": QUESTION, "way": "model"},
    }
    with scripted_server(wait, "no") as server:
        settings = {**set_to(server.url), "web_model_requests": 2}
        with client_of(folder, **settings) as client, ThreadPoolExecutor(1) as pool:

            def post(path: str, headers: dict[str, str]) -> int:
                made = client.application.test_client()
                return made.post(path, json=sent[path], headers=headers).status_code

            try:
                first = pool.submit(post, "/v1/reason", authorization)
                assert asked.wait(PATIENCE)
                assert {path: post(path, authorization) for path in sent} == dict.fromkeys(sent, 503)
                assert post("/v1/answer", other) == 200
            finally:
                end.set()
            assert first.result(PATIENCE) == 200
            assert {path: post(path, authorization) for path in sent} == dict.fromkeys(sent, 200)


def test_calls_of_the_model_are_kept_as_the_settings_say(folder: Path, authorization: dict[str, str]) -> None:
    with (
        scripted_server(*SCRIPT) as server,
        client_of(folder, keep_model_calls=True, **set_to(server.url)) as client,
    ):
        before = len(service_of(client.application).graph.retrievals.model_calls(50))
        client.post("/v1/reason", json={"question": QUESTION}, headers=authorization)
        kept = service_of(client.application).graph.retrievals.model_calls(50)
    assert len(kept) - before == len(server.requests)
