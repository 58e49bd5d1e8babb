"""Snapshots and restores while clients write: none is half done, and no acknowledged write is lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from service.serving import Answer, Server, empty_graph, serving
from waiting import PATIENCE

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store import reading
from sage_ld.service.access.tokens import AccessRole

ROLES = (AccessRole.WRITE, AccessRole.ADMIN)
SNAPSHOTS = 8


class Writers:
    """Two clients that put numbered documents; `acknowledged` are in the order of the answers."""

    def __init__(self, server: Server) -> None:
        self.acknowledged: list[str] = []
        self.faults: list[str] = []
        self._server, self._stop = server, threading.Event()
        self._threads = [threading.Thread(target=self._put, args=(each,)) for each in "ab"]

    @contextmanager
    def working(self) -> Iterator[None]:
        for each in self._threads:
            each.start()
        try:
            yield
        finally:
            self._stop.set()
            for each in self._threads:
                each.join()

    def grown(self, more: int = 2) -> int:
        """Waits for some more acknowledged writes; returns the number of all."""
        wanted, end = len(self.acknowledged) + more, time.monotonic() + PATIENCE
        while len(self.acknowledged) < wanted and not self.faults and time.monotonic() < end:
            time.sleep(0.02)
        assert self.faults == []
        assert len(self.acknowledged) >= wanted, "nothing was written any more"
        return len(self.acknowledged)

    def _put(self, client: str) -> None:
        number = 0
        while not self._stop.is_set():
            name = f"{client}{number:04}.md"
            answer = self._server.send(
                "PUT", f"/v1/documents/{name}", f"# {name}\n\nIt lies beside the river.\n", token="write"
            )
            if answer.status in (200, 201):
                self.acknowledged.append(name)
                number += 1
            elif answer.status != 503:
                self.faults.append(f"{answer.status} {answer.content[:300]!r}")
                return


def admin(server: Server, method: str, path: str, body: str | None = None) -> Answer:
    """The answer of an administrator's call, which is asked again while another one is under way."""
    end = time.monotonic() + PATIENCE
    while True:
        answer = server.send(
            method, f"/v1/admin/{path}", body, token="admin", Content_Type="application/json"
        )
        if answer.status not in (409, 503) or time.monotonic() > end:
            return answer
        time.sleep(0.05)


def names_in(folder: Path) -> set[str]:
    graph = KnowledgeGraph.open(folder)
    try:
        assert graph.check().clean
        return {each.identifier for each in reading.documents(graph.snapshot().store)}
    finally:
        graph.close()


def without_gaps(names: set[str]) -> bool:
    """Whether each client's documents are the first that it put."""
    return all(
        sorted(each for each in names if each.startswith(client))
        == [f"{client}{number:04}.md" for number in range(sum(each.startswith(client) for each in names))]
        for client in "ab"
    )


@pytest.mark.slow
def test_a_snapshot_holds_all_that_was_acknowledged_before_it(tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    with serving(
        empty_graph(tmp_path / "graph"), ROLES, snapshot_dir=saved, max_snapshots=SNAPSHOTS
    ) as server:
        writers, taken = Writers(server), {}
        with writers.working():
            for _ in range(SNAPSHOTS):
                before = writers.grown()
                answer = admin(server, "POST", "snapshot")
                assert answer.status == 201, answer.content
                taken[answer.json["name"]] = before
        assert writers.faults == []
        assert server.stop() == 0
    for name, before in taken.items():
        names = names_in(saved / name)
        assert set(writers.acknowledged[:before]) <= names
        assert without_gaps(names)


@pytest.mark.slow
def test_what_is_written_after_a_restore_stays(tmp_path: Path) -> None:
    with serving(empty_graph(tmp_path / "graph"), ROLES, snapshot_dir=tmp_path / "saved") as server:
        writers = Writers(server)
        with writers.working():
            before = writers.grown()
            name = admin(server, "POST", "snapshot").json["name"]
            for _ in range(SNAPSHOTS // 2):
                writers.grown()
                answer = admin(server, "POST", "restore", f'{{"name": "{name}"}}')
                assert answer.status == 200, answer.content
                restored = len(writers.acknowledged)
                writers.grown(6)
        assert writers.faults == []
        assert server.stop() == 0
    names = names_in(tmp_path / "graph")
    assert set(writers.acknowledged[:before]) <= names
    under_way = 2  # a write that the restore overtook may be answered after it
    assert set(writers.acknowledged[restored + under_way :]) <= names
