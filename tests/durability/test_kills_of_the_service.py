"""`kill -9` to each process of a service, and to commands, at random moments under load.

Nothing acknowledged is lost, every restart is clean, and nothing stays behind.
"""

from __future__ import annotations

import logging
import os
import random
import re
import signal
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from durability.clients import DOCUMENT_CHUNKS, IS, Clients, ask, clients, document_name, insert, insist
from durability.commands import CommandLine
from durability.writing import LONG, disk_use, leftovers, number_of, small_graph, write_once
from pyoxigraph import NamedNode
from service.processes import parent, with_variable
from service.serving import Server, serving

from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store import reading
from sage_ld.graph.store.protocol import WritableStore
from sage_ld.service.access.tokens import AccessRole

MODULES = {
    "web process": "sage_ld.service.web_process",
    "query worker": "sage_ld.service.workers.query_process",
    "write worker": "sage_ld.service.workers.update_process",
    "reader": "sage_ld.build.readers.reader_process",
}
SOME = {
    **{"web process": 1, "query worker": 2, "write worker": 2, "reader": 1},
    **{"supervisor": 1, "command line": 1},
}
KILLS = dict.fromkeys(SOME, 40) if LONG else SOME
"""How many of each kind; now and then another process is killed at the same moment, too."""
SEED = int(os.environ.get("SAGE_LD_TEST_SEED", "10"))
WEB_PROCESSES = 2
LONGEST = 0.3  # seconds at most from when all is well to the next kill
_log = logging.getLogger("sage_ld.tests")

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="the system does not show the processes of a service"
)


@dataclass
class Victim:
    """A served graph whose processes are killed."""

    server: Server
    shared: Clients
    line: CommandLine
    temporary: Path
    """The folder for temporary files, which is that of this service alone."""
    chance: random.Random
    kills: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KILLS, 0))
    seconds: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KILLS})
    """From a kill until all is well again; of the supervisor and of commands, from their next start."""
    alone: list[float] = field(default_factory=list)
    """Seconds for which processes outlive the supervisor."""

    def kill(self, kind: str) -> None:
        """Kills a process of one kind at a random moment, and waits until all is well again."""
        time.sleep(self.chance.uniform(0, LONGEST))
        if kind == "supervisor":
            seconds = self._kill_supervisor()
        elif kind == "command line":
            seconds = self.line.kill_one()
        else:
            self._kill_one_of(kind)
            if self.chance.random() < 0.2:
                self._kill_one_of(self.chance.choice(sorted(MODULES)))
            seconds = insist(self.is_well)
        self.kills[kind] += kind not in MODULES
        self.seconds[kind].append(seconds)

    def is_well(self) -> bool:
        """Whether all processes are there, none is left alone, and a query and a write are answered.

        A web process has workers once it has opened the graph.
        """
        running = self.processes()
        web = set(self.processes(MODULES["web process"]))
        workers = self.processes(MODULES["query worker"])
        return (
            len(web) == WEB_PROCESSES
            and web == {parent(each) for each in workers}
            and all(parent(each) in running for each in running if each != self.server.process.pid)
            and ask(self.server, "ASK {}").json["boolean"] is True
            and insert(self.shared)
        )

    def processes(self, module: str = "") -> list[int]:
        """The processes of the service that run a module."""
        running = with_variable("TMPDIR", str(self.temporary))
        return [number for number, command in running.items() if module in command]

    def _kill_one_of(self, kind: str) -> None:
        insist(lambda: bool(self.processes(MODULES[kind])))
        running = self.processes(MODULES[kind])  # the last one may just have ended by itself
        for process in self.chance.sample(running, min(len(running), 1)):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
                self.kills[kind] += 1

    def _kill_supervisor(self) -> float:
        """Kills the first process and starts it again, once the others have ended by themselves."""
        self.server.process.kill()
        self.server.process.wait()
        self.alone.append(insist(lambda: not self.processes()))
        begun = time.monotonic()
        self.server.start()
        insist(self.is_well)
        return time.monotonic() - begun

    def check(self) -> None:
        """Holds what the service shows now to what clients were told."""
        insist(lambda: self.shared.ledger.check(self.shared.numbers) is None)
        assert self.shared.faults == []


@contextmanager
def victim(folder: Path) -> Iterator[Victim]:
    """The graph in `folder`, served to clients that write and read all the while."""
    temporary, commands, chance = folder.parent / "tmp", folder.parent / "commands", random.Random(SEED)
    temporary.mkdir()
    commands.mkdir()
    with serving(folder, (AccessRole.WRITE,), WEB_PROCESSES, around=["env", f"TMPDIR={temporary}"]) as server:
        chunks = reading.chunk_iris(KnowledgeGraph.open(folder).snapshot().store)
        with clients(server, chunks, SEED) as shared:
            line = CommandLine(shared, folder, commands, chance)
            yield Victim(server, shared, line, temporary, chance)
        assert shared.faults == []
        metrics = list(temporary.glob("sage-ld-metrics-*/*.db"))
        assert len(metrics) <= 4 * (WEB_PROCESSES + 1)  # those of processes that ended are added up
        assert server.stop() == 0
    insist(lambda: not with_variable("TMPDIR", str(temporary)))  # what a dead process leaves ends soon
    assert list(temporary.iterdir()) == []
    assert "Traceback" not in server.log.read_text()


def settled(folder: Path) -> int:
    """Bytes of a graph that nobody uses, when what a test added has been removed and each text replaced."""
    graph = KnowledgeGraph.open(folder)
    documents = reading.documents(graph.snapshot().store)
    if added := [each.identifier for each in documents if each.identifier.startswith(("note-", "numbered-"))]:
        graph.delete(added)
    graph.edges.remove([each.iri for each in graph.edges.find()])
    with graph.writer() as writer:
        _remove_numbers(writer.change())
        writer.publish()
    graph.relink()  # which merges the store's files, so that nothing in them is deleted but takes space
    for _ in range(12):
        write_once(graph)
    number_of(graph.snapshot())
    graph.close()
    write_once(graph)
    assert leftovers(folder) == []
    return disk_use(folder)


def _remove_numbers(store: WritableStore) -> None:
    for quad in list(store.quads_for_pattern(None, NamedNode(IS), None, None)):
        store.remove(quad)
    for name in list(store.named_graphs()):
        if isinstance(name, NamedNode) and name.value.startswith("urn:x:"):
            store.remove_graph(name)


def check_graph(graph: KnowledgeGraph, shared: Clients) -> None:
    """Holds the graph itself to what clients were told, and its indexes to its store."""
    snapshot = graph.snapshot()
    store = snapshot.store
    quads = list(store.quads_for_pattern(None, NamedNode(IS), None, None))
    shared.ledger.check(lambda: {int(quad.object.value) for quad in quads})
    chunks = reading.chunk_iris(store)
    assert sorted(snapshot.vectors.iris) == sorted(snapshot.lexical.iris) == chunks
    for chunk, number in shared.texts.items():
        (quad,) = store.quads_for_pattern(NamedNode(chunk), NamedNode(v.HEADING), None, None)
        shown = int(re.findall(r"written(\d+)", quad.object.value)[0])
        assert shown >= number  # a later one may have had no answer
        assert snapshot.lexical.search(f"written{shown}", 5)[0] == [chunk]
    check_documents(graph, {int(quad.object.value) for quad in quads})
    health = graph.check()
    assert health.clean, health.findings


def check_documents(graph: KnowledgeGraph, numbers: set[int]) -> None:
    """Holds each document that a client put to its number: it is there as a whole, or not at all."""
    store = graph.snapshot().store
    documents = {each.identifier: each.iri for each in reading.documents(store)}
    put = {name for name in documents if name.startswith("numbered-")}
    for number in numbers:
        if (name := document_name(number)) in put:
            put.remove(name)
            texts = [
                each.chunk.text for each in reading.chunks(store, reading.chunks_of(store, documents[name]))
            ]
            assert len(texts) == DOCUMENT_CHUNKS
            assert all(f"of {number}." in each for each in texts)
    assert not put  # each has its metadata


LEFT_BY_A_WRITE = 1_024
"""Bytes at most that stay of what a write replaces: Oxigraph keeps the strings of all its former terms."""


@pytest.mark.parametrize("seed", [SEED])  # where its name shows it
def test_killed_at_random_moments(tmp_path: Path, seed: int) -> None:
    graph = small_graph(tmp_path / "graph")
    folder = graph.directory.path
    write_once(graph)
    before = settled(folder)
    with victim(folder) as each:
        kinds = [kind for kind, count in KILLS.items() for _ in range(count)]
        each.chance.shuffle(kinds)
        for number, kind in enumerate(kinds, 1):
            each.kill(kind)
            each.check()
            _log.info("%d of %d: %s, well after %.2f s", number, len(kinds), kind, each.seconds[kind][-1])
    check_graph(KnowledgeGraph.open(folder), each.shared)
    after = settled(folder)
    _report(each, before, after)
    writes = each.shared.ledger.outcomes.total()
    assert after < max(1.25 * before, before + LEFT_BY_A_WRITE * writes)


def _report(each: Victim, before: int, after: int) -> None:
    for kind, seconds in each.seconds.items():
        _log.info("%s: %d kills, well again after %s", kind, each.kills[kind], _times(seconds))
    _log.info("processes without their supervisor: %s", _times(each.alone))
    _log.info("commands: %s", dict(each.line.killed))
    _log.info("writes: %s; answers: %s", dict(each.shared.ledger.outcomes), dict(each.shared.answers))
    _log.info("disk: %d bytes before, %d after", before, after)


def _times(seconds: list[float]) -> str:
    return f"median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s"
