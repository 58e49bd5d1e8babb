"""A service under load: what stays in its processes after many changes, and who gives way to whom."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from service.processes import children
from service.web import client_of
from waiting import PATIENCE, waited_for

from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.processes.worker_process import WorkerProcess
from sage_ld.foundation.question import Answer
from sage_ld.graph import Snapshot
from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.api.retrieval import RetrievalRequest
from sage_ld.service.context import service_of


@pytest.fixture(scope="module")
def token(folder: Path) -> str:
    return create_token(folder, "writer", AccessRole.WRITE, "2026-01-01")


@pytest.fixture
def client(folder: Path) -> Iterator[FlaskClient]:
    with client_of(folder) as made:
        yield made


@pytest.fixture
def hurried(folder: Path) -> Iterator[Flask]:
    """The application with two places to search, for which nobody waits long."""
    with client_of(folder, web_searches=2, queue_timeout=0.3) as made:
        yield made.application


def put(client: FlaskClient, token: str, number: int) -> None:
    answer = client.put(
        "/v1/documents/counted",
        json={"text": f"The heron of Osmere was seen {number} times."},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert answer.status_code in (200, 201)


def of_the_graph(folder: Path) -> int:
    """How many files of a graph this process and its children have open or mapped."""
    count = 0
    for process in (os.getpid(), *children(os.getpid())):
        opened = [os.readlink(each) for each in Path(f"/proc/{process}/fd").iterdir() if each.is_symlink()]
        mapped = Path(f"/proc/{process}/maps").read_text().splitlines()
        count += sum(str(folder) in each for each in (*opened, *mapped))
    return count


def snapshots_in_memory() -> int:
    """Those of other tests included."""
    gc.collect()
    return sum(type(each) is Snapshot for each in gc.get_objects())


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="Linux shows what a process has open")
def test_what_stays_of_revisions_does_not_grow_with_their_number(
    client: FlaskClient, token: str, folder: Path
) -> None:
    before = snapshots_in_memory()
    files = []
    for number in range(8):
        put(client, token, number)
        assert client.get("/v1/retrieve?q=heron").status_code == 200
        assert client.get("/sparql?query=SELECT*{?a+?b+?c}LIMIT+3").status_code == 200
        assert client.get("/v1/documents/counted").status_code == 200
        files.append(of_the_graph(folder))
    assert max(files[4:]) <= max(files[:4])
    assert snapshots_in_memory() <= before + 2


def test_a_short_write_does_not_give_way_to_readers(
    client: FlaskClient, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slowed: list[int] = []
    monkeypatch.setattr(WorkerProcess, "slow_down", lambda worker, priority: slowed.append(worker.pid))
    put(client, token, -1)
    [writer] = service_of(client.application).writes._idle.started()
    assert writer.pid not in slowed


class Searches:
    """Searches that go on until they are let go, and how many of them run."""

    def __init__(self) -> None:
        self.running = 0
        self.most = 0
        self.begun = threading.Semaphore(0)
        self.end = threading.Event()
        self._guard = threading.Lock()
        self._answer = RetrievalRequest.answer

    def answer(self, question: RetrievalRequest, snapshot: Snapshot, check: Check = unchecked) -> Answer:
        """What `RetrievalRequest.answer` returns, once the searches are let go."""
        with self._guard:
            self.running += 1
            self.most = max(self.most, self.running)
        self.begun.release()
        try:
            assert self.end.wait(PATIENCE)
            return self._answer(question, snapshot, check)
        finally:
            with self._guard:
                self.running -= 1


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> Iterator[Searches]:
    made = Searches()
    monkeypatch.setattr(RetrievalRequest, "answer", lambda *arguments: made.answer(*arguments))
    yield made
    made.end.set()


def asking(app: Flask, address: str, number: int, statuses: list[int]) -> threading.Thread:
    """A client at an address that asks a question of its own, in a thread."""

    def ask() -> None:
        path = f"/v1/retrieve?q=heron+{number}"
        statuses.append(app.test_client().get(path, environ_base={"REMOTE_ADDR": address}).status_code)

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


def test_a_client_that_asks_much_leaves_a_place_to_others_and_none_waits_without_end(
    hurried: Flask, searches: Searches
) -> None:
    first: list[int] = []
    threads = [asking(hurried, "192.0.2.1", number, first) for number in range(3)]
    assert searches.begun.acquire(timeout=PATIENCE)
    other: list[int] = []
    threads.append(asking(hurried, "192.0.2.2", 9, other))
    assert searches.begun.acquire(timeout=PATIENCE)  # while the first client has a place and waits for others
    busy = hurried.test_client().get("/v1/retrieve?q=heron+10", environ_base={"REMOTE_ADDR": "192.0.2.3"})
    assert busy.status_code == 503
    assert "web_searches" in busy.get_json(force=True)["detail"]
    assert int(busy.headers["Retry-After"]) > 0
    searches.end.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert other == [200]
    assert 200 in first
    assert set(first) <= {200, 503}
    assert searches.most == 2
    assert service_of(hurried).searches.taken == 0


def test_a_client_that_waits_to_search_leaves_threads_to_others(folder: Path, searches: Searches) -> None:
    first: list[int] = []
    with client_of(folder, web_searches=2, web_threads=8, queue_timeout=20) as made:
        here, app = service_of(made.application), made.application
        threads = [asking(app, "192.0.2.1", number, first) for number in range(3)]
        assert waited_for(lambda: len(here.searches._waiting) == 2)
        busy = app.test_client().get("/v1/retrieve?q=heron+4", environ_base={"REMOTE_ADDR": "192.0.2.1"})
        assert (busy.status_code, "web_threads" in busy.get_json(force=True)["detail"]) == (503, True)
        threads.append(asking(app, "192.0.2.2", 5, first))
        assert searches.begun.acquire(timeout=PATIENCE)
        searches.end.set()
        for thread in threads:
            thread.join(PATIENCE)
        assert first == [200] * 4
        assert (here.searches.taken, here.search_queue.taken) == (0, 0)


def test_a_question_has_its_time_from_when_it_searches(folder: Path, searches: Searches) -> None:
    with client_of(folder, web_searches=1, queue_timeout=0.05, retrieve_timeout=0.01) as made:
        here = service_of(made.application)
        assert here.searches.take("another")
        assert made.get("/v1/retrieve?q=heron").status_code == 503


def test_a_batch_of_cached_answers_needs_no_place(folder: Path) -> None:
    with client_of(folder, web_searches=1, queue_timeout=0.05) as made:
        path, here = "/v1/retrieve", service_of(made.application)
        batch = {"questions": ["heron", "tide"]}
        assert made.post(path, json=batch).status_code == 200
        assert here.searches.take("another")
        assert made.post(path, json=batch).status_code == 200
