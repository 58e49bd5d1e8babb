"""The cache of answers to questions: what it keeps, what passes it by, and that nothing in it is stale."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from service.web import client_of, small_graph

from sage_ld.foundation.deadline import Check
from sage_ld.foundation.model import PathStep
from sage_ld.foundation.question import Answer
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.answer_cache import (
    NOTHING,
    AnswerCache,
    CacheLimits,
    QueryKey,
    held_bytes,
    query_bytes,
)
from sage_ld.service.api.retrieval import RetrievalRequest
from sage_ld.service.http import responses

QUESTION = "Who composed the film that won the Golden Heron in 1987?"


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that are answered, and not found in the cache."""
    asked: list[str] = []
    one, several = RetrievalRequest.answer, RetrievalRequest.answers

    def answer(self: RetrievalRequest, snapshot: Snapshot, check: Check) -> Answer:
        asked.extend(each.text for each in self.asked)
        return one(self, snapshot, check)

    def answers(self: RetrievalRequest, snapshot: Snapshot, check: Check, missing: Any) -> Any:
        asked.extend(missing)
        return several(self, snapshot, check, missing)

    monkeypatch.setattr(RetrievalRequest, "answer", answer)
    monkeypatch.setattr(RetrievalRequest, "answers", answers)
    return asked


@pytest.fixture
def client(folder: Path) -> Iterator[FlaskClient]:
    with client_of(folder) as opened:
        yield opened


def ask(client: FlaskClient, headers: dict[str, str] | None = None, **parameters: Any) -> Any:
    answer = client.post("/v1/retrieve", json=parameters, headers=headers or {})
    assert answer.status_code == 200
    return answer.get_json(force=True)


def test_the_same_question_is_answered_once(client: FlaskClient, computed: list[str]) -> None:
    first = ask(client, q=QUESTION)
    assert ask(client, q=QUESTION) == first
    assert computed == [QUESTION]
    got = client.get("/v1/retrieve", query_string={"q": QUESTION})
    plain = ask(client, {"Accept": "application/json"}, q=QUESTION, highlight=True)
    assert (got.get_json(force=True), plain["question"]) == (first, QUESTION)
    assert computed == [QUESTION]
    ask(client, q=QUESTION, k=4)
    assert computed == 2 * [QUESTION]


def test_of_several_questions_those_are_answered_that_are_not_there(
    client: FlaskClient, computed: list[str]
) -> None:
    plain = {"Accept": "application/json"}
    one = ask(client, plain, q="a", k=2)
    found = ask(client, plain, questions=["b", "a", "b"], k=2)["answers"]
    assert [each["question"] for each in found] == ["b", "a", "b"]
    assert found[1] == one
    assert computed == ["a", "b"]
    assert ask(client, plain, q="b", k=2) == found[0]
    assert computed == ["a", "b"]


@pytest.mark.parametrize(("wish", "times"), [("no-cache", 2), ("max-age=0", 2), ("no-store", 1)])
def test_a_client_may_have_an_answer_computed_anew(
    client: FlaskClient, computed: list[str], wish: str, times: int
) -> None:
    ask(client, q=QUESTION)
    ask(client, {"Cache-Control": wish}, q=QUESTION)
    assert len(computed) == times
    ask(client, {"Cache-Control": "no-store"}, q="kept nowhere")
    ask(client, q="kept nowhere")
    assert computed[-2:] == 2 * ["kept nowhere"]


def test_a_new_revision_has_other_answers(tmp_path: Path, computed: list[str]) -> None:
    with client_of(small_graph(tmp_path)) as client:
        before = ask(client, q="theremin", mode="bm25")
        graph = KnowledgeGraph.open(tmp_path / "graph")
        (tmp_path / "new.md").write_text("# Theremin\n\nThe theremin, the theremin.\n")
        graph.ingest([tmp_path / "new.md"])
        graph.close()
        after = ask(client, q="theremin", mode="bm25")
        assert after["wasGeneratedBy"]["revision"] == before["wasGeneratedBy"]["revision"] + 1
        assert "The theremin, the theremin." in after["itemListElement"][0]["item"]["text"]
        assert len(computed) == 2


def test_clearing_reaches_every_process(folder: Path, client: FlaskClient, computed: list[str]) -> None:
    """Two applications of one graph stand for two web processes."""
    head = {"Authorization": f"Bearer {create_token(folder, 'root', AccessRole.ADMIN, '2026-11-23')}"}
    with client_of(folder) as other:
        for each in (client, other, client, other):
            ask(each, q=QUESTION)
        assert len(computed) == 2
        assert client.delete("/v1/cache", headers=head).status_code == 204
        for each in (client, other, client, other):
            ask(each, q=QUESTION)
        assert len(computed) == 4
    assert client.delete("/v1/cache").status_code == 401
    assert client.delete("/v1/cache?all=1", headers=head).status_code == 400


def test_without_room_nothing_is_kept(folder: Path, computed: list[str]) -> None:
    with client_of(folder, max_retrieved_bytes=0) as client:
        assert ask(client, q=QUESTION) == ask(client, q=QUESTION)
        assert len(computed) == 2


def figure(client: FlaskClient, name: str) -> float:
    """A figure of the caches at /metrics."""
    said = re.search(rf"^sage_ld_cache_{name}}} ([\d.e+]+)$", client.get("/metrics").text, re.M)
    return float(said[1]) if said else 0.0


def test_the_figures_say_what_the_cache_did(client: FlaskClient) -> None:
    hits, misses = (f'requests_total{{cache="retrievals",result="{each}"' for each in ("hit", "miss"))
    before = figure(client, hits), figure(client, misses)
    for _ in range(3):
        ask(client, q=QUESTION)
    assert (figure(client, hits) - before[0], figure(client, misses) - before[1]) == (2, 1)
    assert figure(client, 'entries{cache="retrievals"') == 1
    assert figure(client, 'bytes{cache="retrievals"') > 5_000


def test_filters_count_as_memory(folder: Path) -> None:
    """Answers whose results are few and whose filters are long do not fill the memory."""
    room, filters = 4 * 2**20, 30
    with client_of(folder, max_retrieved_bytes=room) as client:
        for number in range(filters):
            ask(client, q="a", keywords=[f"{number} {word}".ljust(2_000, "k") for word in range(100)])
        entries, size = (figure(client, f'{name}{{cache="retrievals"') for name in ("entries", "bytes"))
    assert 0 < entries * 200_000 < size <= room < filters * 200_000


def test_the_graphs_and_the_base_of_a_query_count_as_memory() -> None:
    graphs = tuple(f"http://x/{number}".ljust(200, "g") for number in range(990))
    plain = QueryKey("ASK {}", "http://x/", None, "json", "1.1")
    without = query_bytes(plain, NOTHING)
    for each in ((graphs, ()), ((), graphs)):
        assert query_bytes(plain._replace(graphs=each), NOTHING) > without + 990 * 240
    assert query_bytes(plain._replace(base="http://x/" + "b" * 9_000), NOTHING) > without + 8_900


def test_keys_and_tags_are_too_long_to_collide(client: FlaskClient) -> None:
    assert len(bytes.fromhex(responses.digest({"q": "a"}))) == 32
    etag, _ = client.get("/v1/retrieve?q=a").get_etag()
    assert re.search("-[0-9a-f]{32,}$", etag or "")


@pytest.mark.parametrize("letter", ["a", "é", "語", "😀"])
def test_texts_count_with_their_copy_in_utf_8(letter: str) -> None:
    text = letter * 1000
    copy = 0 if letter == "a" else len(text.encode())
    step = PathStep("seed", "chunk", "link", text, 1.0, edges=(text,))
    assert held_bytes({text: [step]}) > 3 * (sys.getsizeof(text) + copy)


def caching(**limits: Any) -> AnswerCache[str, bytes]:
    return AnswerCache(CacheLimits(**{"room": 100_000, **limits}), lambda key, content: len(content))


def test_what_was_asked_for_longest_ago_goes_first() -> None:
    few = caching(entries=2)
    for key in "ab":
        few.put(1, key, b"x")
    assert few.get(1, "a")
    few.put(1, "c", b"x")
    assert (few.get(1, "a"), few.get(1, "b"), few.get(1, "c")) == (b"x", None, b"x")


def test_no_more_bytes_are_kept_than_there_is_room() -> None:
    cache = caching()
    for number in range(30):
        cache.put(1, str(number), b"x" * 5_000)
    kept = [number for number in range(30) if cache.get(1, str(number))]
    assert kept == list(range(30 - len(kept), 30))
    assert 10 < len(kept) <= 100_000 // 5_000
    cache.put(1, "large", b"x" * 10_000)
    assert cache.get(1, "large") is None


def test_an_answer_that_is_too_old_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("sage_ld.service.answer_cache.time.monotonic", lambda: now[0])
    cache = caching(seconds=60.0)
    cache.put(1, "a", b"x")
    now[0] += 59
    assert cache.get(1, "a") == b"x"
    now[0] += 2
    assert cache.get(1, "a") is None


def test_answers_of_one_state_are_kept() -> None:
    cache = caching()
    cache.put(1, "a", b"old")
    cache.put(2, "b", b"new")
    assert (cache.get(1, "a"), cache.get(2, "a"), cache.get(2, "b")) == (None, None, b"new")
    cache.clear()
    assert cache.get(2, "b") is None
