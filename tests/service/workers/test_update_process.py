"""The process that writes: whatever ends a job, the next one is done, and what is told is what happened."""

from __future__ import annotations

import io
import json
import os
import resource
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from foundation.processes.test_pool import pid_of
from pyoxigraph import Literal, NamedNode, Quad, Store
from service.serving import empty_graph

from sage_ld.foundation.errors import (
    InputError,
    ResultLimitError,
    SageError,
    StorageError,
    WorkerEndedError,
)
from sage_ld.foundation.processes.idle_workers import WorkerKind
from sage_ld.foundation.processes.pool import Pool
from sage_ld.graph.store.directory import Directory
from sage_ld.service.workers.announcements import announced, outcome
from sage_ld.service.workers.effects import changes_of
from sage_ld.service.workers.update_text import operations
from sage_ld.service.workers.updates import without_network

MEMORY = 300 * 2**20
BASE = "http://example.org/"
LIMITS = {"bytes": 65536, "depth": 128, "patterns": 200}
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits that only Linux has")
INSERT = "INSERT DATA { GRAPH <x:g> { <x:a> <x:p> 1 } }"


class Ignored:
    def waiting(self, requests: int) -> None: ...

    def working(self, jobs: int) -> None: ...

    def ended(self, reason: str) -> None: ...


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return empty_graph(tmp_path / "graph")


@pytest.fixture
def pool(folder: Path) -> Iterator[Pool]:
    arguments = str(folder), str(MEMORY)
    kind = WorkerKind("sage_ld.service.workers.update_process", arguments, "write_worker_memory", MEMORY)
    result = Pool(kind, 1, 1, Ignored())
    yield result
    result.close()


def update(pool: Pool, text: str, **more: Any) -> int:
    """Carries an update out; returns the revision."""
    job = {"op": "update", "base": BASE, "using": None, "within": None, "limits": LIMITS, "may_remove": True}
    with pool.run(job, 300, io.BytesIO(text.encode()), **more) as answer:
        return int(json.loads(answer.read().splitlines()[-1])["revision"])


def put(pool: Pool, form: str, content: str) -> int:
    """Replaces a graph; returns the revision."""
    parts = [[form, len(content.encode())]]
    job = {"op": "graph", "action": "replace", "graph": "x:g", "base": BASE, "parts": parts}
    with pool.run({**job, "may_remove": True}, 300, io.BytesIO(content.encode())) as answer:
        return int(json.loads(answer.read().splitlines()[-1])["revision"])


@pytest.mark.parametrize("call", ["trueSERVICE ?z { ?a ?b ?c }", "true . SERVICE <x:> { ?a ?b ?c }"])
def test_after_an_update_that_would_call_a_server_the_next_is_done(pool: Pool, call: str) -> None:
    assert update(pool, "INSERT DATA { GRAPH <x:g> { <x:a> <x:p> true } }") == 2
    with pytest.raises(InputError, match="calls no other server"):
        update(pool, f"INSERT {{ ?s ?p 1 }} WHERE {{ GRAPH <x:g> {{ ?s ?p {call} }} }}")
    assert update(pool, INSERT) == 3


def test_an_error_in_the_middle_of_a_result_leaves_the_store_free(tmp_path: Path) -> None:
    """Results are bound to their thread: one that another thread lets go of would hold the store for good."""
    stores = [Store(str(tmp_path / "store"))]
    stores[0].add(Quad(NamedNode("x:a"), NamedNode("x:p"), Literal(True)))
    [operation] = operations("INSERT { ?s ?p 1 } WHERE { ?s ?p true SERVICE <x:> { ?a ?b ?c } }")
    with pytest.raises(OSError, match="URI scheme"):
        without_network(lambda: list(changes_of(stores[0], operation, BASE)))
    stores.clear()
    Store(str(tmp_path / "store"))


@LINUX
def test_a_full_disk_is_told_without_paths_and_the_next_write_is_done(pool: Pool, folder: Path) -> None:
    assert update(pool, INSERT) == 2
    pid = pid_of(pool)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, 4096))
    content = " ".join(f"<x:{number}> <x:p> '{'y' * 50}' ." for number in range(1000))
    with pytest.raises(StorageError, match="disk is full") as caught:
        put(pool, "turtle", content)
    assert str(folder) not in str(caught.value)
    assert "/" not in str(caught.value)
    assert put(pool, "turtle", content) == 3
    assert pid_of(pool) != pid


@LINUX
def test_an_update_that_needs_too_much_memory_is_stopped_and_the_next_is_done(pool: Pool) -> None:
    numbers = " ".join(map(str, range(1000)))
    values = " ".join(f"VALUES ?{name} {{ {numbers} }}" for name in "ab")
    subject = f"IRI(CONCAT('x:', '{'z' * 500}', STR(?a), 'y', STR(?b)))"
    text = f"INSERT {{ ?s <x:p> '{'y' * 500}' }} WHERE {{ {values} BIND({subject} AS ?s) }}"
    with pytest.raises(ResultLimitError, match="write_worker_memory"):
        update(pool, text)
    assert update(pool, INSERT) == 2


def bomb(levels: int) -> str:
    entities = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10}">' for level in range(1, levels))
    return rdf(f'<!ENTITY e0 "{"x" * 100}">{entities}', f"&e{levels - 1};")


def rdf(entities: str, text: str) -> str:
    return (
        f"<!DOCTYPE r [{entities}]><r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:x='x:'>"
        f"<r:Description r:about='x:a'><x:p>{text}</x:p></r:Description></r:RDF>"
    )


def test_entities_that_expand_without_end_are_refused(pool: Pool) -> None:
    with pytest.raises(InputError, match=r"RDF/XML.*(amplification|entity|memory)"):
        put(pool, "rdfxml", bomb(8))
    assert put(pool, "rdfxml", rdf('<!ENTITY ns "http://example.org/">', "&ns;a")) == 2


def test_a_write_whose_worker_is_killed_says_whether_it_was_done(pool: Pool, folder: Path) -> None:
    numbers = " ".join(map(str, range(400)))
    values = " ".join(f"VALUES ?{name} {{ {numbers} }}" for name in "abcd")
    output, victim = io.BytesIO(), pid_of(pool)

    def kill() -> bool:
        os.kill(victim, signal.SIGKILL)
        return False

    with pytest.raises(WorkerEndedError, match=r"killed from outside \(SIGKILL\)"):
        update(
            pool,
            f"INSERT {{ <x:a> <x:p> ?n }} WHERE {{ SELECT (COUNT(*) AS ?n) {{ {values} }} }}",
            gone=kill,
            output=output,
        )
    assert outcome(Directory(folder), announced(output.getvalue())) == "nothing was changed"
    assert update(pool, INSERT) == 2


def test_what_was_announced_and_is_there_may_be_of_the_write(folder: Path) -> None:
    directory = Directory(folder)
    assert directory.current() == 1
    assert "revision 1 was being published" in outcome(directory, announced(b'{"publishing": 1}\n{"revi'))
    for answered in (b'{"publishing": 2}\n', b'{"publishing": 1}', b""):
        assert outcome(directory, announced(answered)) == "nothing was changed"


def test_other_errors_leave_the_process_in_place(pool: Pool) -> None:
    pid = pid_of(pool)
    for text in (
        "INSERT DATA {",
        "DROP GRAPH <x:none>",
        "LOAD <x:y>",
        "DELETE { ?s ?p 'a } WHERE { ?s ?p 1 }",
    ):
        with pytest.raises(SageError):
            update(pool, text)
    assert update(pool, INSERT) == 2
    assert pid_of(pool) == pid
