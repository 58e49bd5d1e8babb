"""Worker processes: answers come whole or not at all, and nothing that runs in one stops the others."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Store, Triple
from waiting import waited_for

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import (
    AbandonedError,
    BusyError,
    InputError,
    NotFoundError,
    ResultLimitError,
    StorageError,
    TimeLimitError,
    UnavailableError,
    WorkerEndedError,
)
from sage_ld.foundation.processes.idle_workers import WorkerKind
from sage_ld.foundation.processes.pool import Pool
from sage_ld.foundation.processes.priorities import can_be_raised
from sage_ld.foundation.processes.task import Task
from sage_ld.foundation.processes.usage import processor_time

KIND = WorkerKind(
    "sage_ld.service.workers.query_process",
    (str(2**30), os.devnull),
    "worker_memory",
    nests=True,
    repeatable=True,
)
NUMBERS = " ".join(map(str, range(400)))
ENDLESS = f"SELECT (COUNT(*) AS ?n) {{ {' '.join(f'VALUES ?{x} {{ {NUMBERS} }}' for x in 'abcde')} }}"
GREEDY = f"SELECT * {{ {' '.join(f'VALUES ?{x} {{ {NUMBERS} }}' for x in 'abcde')} }} ORDER BY ?e ?a"
EXAMPLE = "http://example.org/"


class Observed:
    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.most_waiting = 0
        self.at_work = 0

    def waiting(self, requests: int) -> None:
        self.most_waiting = max(self.most_waiting, requests)

    def working(self, jobs: int) -> None:
        self.at_work = jobs

    def ended(self, reason: str) -> None:
        self.reasons.append(reason)


@pytest.fixture
def observed() -> Observed:
    return Observed()


@pytest.fixture
def pool(observed: Observed) -> Iterator[Pool]:
    result = Pool(KIND, 1, 1, observed)
    yield result
    result.close()


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A revision of three triples in two graphs; one of them has a triple term."""
    a, b, edge = (NamedNode(EXAMPLE + name) for name in "abe")
    store = Store(str(tmp_path / "live"))
    one, two = NamedNode(EXAMPLE + "1"), NamedNode(EXAMPLE + "2")
    store.add(Quad(a, NamedNode(v.SIMILAR_TO), b, one))
    store.add(Quad(edge, NamedNode(v.REIFIES), Triple(a, NamedNode(v.SIMILAR_TO), b), one))
    store.add(Quad(a, NamedNode(v.NAME), Literal('},{"x'), two))
    (tmp_path / "in-use").touch()
    store.flush()
    store.backup(str(tmp_path / "store"))
    return str(tmp_path)


def pid_of(pool: Pool) -> int:
    """The process of a pool of one worker that is idle."""
    [worker] = pool._idle.started()
    return worker.pid


def has_started(pool: Pool) -> bool:
    """Waits for the workers of a pool."""
    return waited_for(lambda: all(each.is_ready() for each in pool._idle.started()))


def job(query: str, **changes: Any) -> dict[str, Any]:
    defaults: dict[str, Any] = {
        "op": "query", "folder": None, "base": EXAMPLE, "format": "json", "version": "1.1", "prefixes": {},
        "default_graphs": None, "named_graphs": None, "max_merged": 1000, "max_rows": 1000,
        "max_bytes": 10**6,
    }  # fmt: skip
    return {**defaults, "query": query, **changes}


def run(pool: Pool, query: str, *, seconds: float = 20, client: str | None = None, **changes: Any) -> bytes:
    with pool.run(job(query, **changes), seconds, client=client) as answer:
        return answer.read()


def rows(content: bytes) -> list[dict[str, Any]]:
    return json.loads(content)["results"]["bindings"]


def test_an_answer_comes_in_each_format(pool: Pool) -> None:
    query = "SELECT ('a,\"b' AS ?x) {}"
    assert rows(run(pool, query)) == [{"x": {"type": "literal", "value": 'a,"b'}}]
    assert run(pool, query, format="csv") == b'x\r\n"a,""b"\r\n'
    assert run(pool, query, format="tsv") == b'?x\n"a,\\"b"\n'
    assert b"<literal>a,&quot;b</literal>" in run(pool, query, format="xml")
    assert b"true" in run(pool, "ASK {}", format="xml")


def test_the_default_graph_is_the_union_or_what_the_protocol_says(pool: Pool, folder: str) -> None:
    query = "SELECT ?o { ?s ?p ?o FILTER(!isTRIPLE(?o)) }"
    one = [EXAMPLE + "1"]
    assert len(rows(run(pool, query, folder=folder))) == 2
    assert len(rows(run(pool, query, folder=folder, default_graphs=one, named_graphs=[]))) == 1
    assert rows(run(pool, query, folder=folder, default_graphs=[], named_graphs=one)) == []
    assert rows(run(pool, query, folder=None)) == []


def test_rdf_11_has_no_triple_terms(pool: Pool, folder: str) -> None:
    query = "SELECT * { ?s ?p ?o }"
    assert len(rows(run(pool, query, folder=folder))) == 2
    assert len(rows(run(pool, query, folder=folder, version="1.2"))) == 3
    graph = "CONSTRUCT WHERE { ?s ?p ?o }"
    assert run(pool, graph, folder=folder, format="ntriples").count(b"\n") == 2
    assert run(pool, graph, folder=folder, format="ntriples", version="1.2").count(b"\n") == 3
    assert json.loads(run(pool, graph, folder=folder, format="jsonld"))


def test_a_graph_is_read_by_its_name(pool: Pool, folder: str) -> None:
    read = {"op": "graph", "folder": folder, "format": "ntriples", "head": False}
    assert run(pool, "", graph=EXAMPLE + "2", **read).count(b"\n") == 1
    assert run(pool, "", graph=None, **read).count(b"\n") == 2
    assert run(pool, "", graph=EXAMPLE + "2", **{**read, "head": True}) == b""
    with pytest.raises(NotFoundError):
        run(pool, "", graph=EXAMPLE + "3", **read)


def test_rows_and_bytes_are_counted_and_too_many_are_an_error(pool: Pool) -> None:
    text = "SELECT * { VALUES ?x { " + " ".join('"},{\\"x"' for _ in range(50)) + " } }"
    assert len(rows(run(pool, text, max_rows=50))) == 50
    with pytest.raises(ResultLimitError, match="more than 49 rows"):
        run(pool, text, max_rows=49)
    with pytest.raises(ResultLimitError, match="more than 300 bytes"):
        run(pool, text, max_bytes=300)
    with pytest.raises(ResultLimitError, match="more than 49 triples"):
        run(
            pool,
            "CONSTRUCT { ?x ?x ?y } { VALUES (?x ?y) {" + " ".join(f"(<a:> {n})" for n in range(50)) + "} }",
            max_rows=49,
            format="turtle",
        )
    assert rows(run(pool, "SELECT * {}")) == [{}]


def test_a_query_ends_at_its_deadline_and_the_next_one_is_answered(pool: Pool, observed: Observed) -> None:
    assert has_started(pool)
    with pytest.raises(TimeLimitError, match=r"stopped after 0\.5 s; .* sparql_timeout"):
        run(pool, ENDLESS, seconds=0.5)
    assert observed.reasons == ["timeout"]
    assert b"true" in run(pool, "ASK {}")


@pytest.mark.parametrize("text", ["SELECT * " + "{" * 5000 + "}" * 5000, GREEDY], ids=["stack", "memory"])
def test_a_query_that_ends_its_process_hurts_no_other(pool: Pool, observed: Observed, text: str) -> None:
    with pytest.raises(ResultLimitError, match=r"ended its worker.*nests too deep or .* worker_memory"):
        run(pool, text, max_rows=10**9, max_bytes=10**10, seconds=100)
    assert observed.reasons == ["crash"]
    assert b"true" in run(pool, "ASK {}")


@pytest.mark.skipif(not can_be_raised(), reason="the system lets nobody raise a priority again")
def test_a_query_that_does_not_end_at_once_gives_way_to_others(observed: Observed) -> None:
    pool = Pool(replace(KIND, gives_way=True), 1, 1, observed)
    pid, ordinary = pid_of(pool), priority_of(0)
    with pytest.raises(AbandonedError):
        pool.run(job(ENDLESS), 300, gone=lambda: priority_of(pid) != ordinary)
    assert observed.reasons == ["abandoned"]
    numbers = " ".join(map(str, range(150)))
    slow = f"SELECT (COUNT(*) AS ?n) {{ {' '.join(f'VALUES ?{x} {{ {numbers} }}' for x in 'abc')} }}"
    assert b"3375000" in run(pool, slow, seconds=120)
    assert b"true" in run(pool, "ASK {}")
    [worker] = pool._idle.started()
    assert worker.speed_up()
    assert priority_of(worker.pid) == ordinary
    pool.close()


@pytest.mark.skipif(not can_be_raised(), reason="the system lets nobody raise a priority again")
def test_a_job_has_the_ordinary_priority_for_as_long_as_its_kind_says(observed: Observed) -> None:
    pool = Pool(replace(KIND, gives_way=True, ordinary_seconds=0.5), 1, 1, observed)
    assert b"true" in run(pool, "ASK {}")
    pid, ordinary = pid_of(pool), priority_of(0)
    before, after = processor_time(pid), 0.0

    def gave_way() -> bool:
        nonlocal after
        after = processor_time(pid)
        return priority_of(pid) != ordinary

    with pytest.raises(AbandonedError):
        pool.run(job(ENDLESS), 300, gone=gave_way)
    assert after - before >= 0.5
    pool.close()


@pytest.mark.skipif(sys.platform != "linux" or not can_be_raised(), reason="the policy is Linux's")
def test_a_long_query_has_the_time_that_nobody_else_wants(observed: Observed) -> None:
    pool = Pool(replace(KIND, gives_way=True), 2, 1, observed, max_long=1)
    workers = [each.pid for each in pool._idle.started()]

    def has_it() -> bool:
        return any(os.sched_getscheduler(each) == os.SCHED_IDLE for each in workers)

    assert not has_it()
    with pytest.raises(AbandonedError):
        pool.run(job(ENDLESS), 300, gone=has_it)
    pool.close()


def priority_of(process: int) -> tuple[int, int]:
    """The nice value of a process, and its scheduling policy where the system has several."""
    policy = os.sched_getscheduler(process) if sys.platform == "linux" else 0
    return os.getpriority(os.PRIO_PROCESS, process), policy


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a file of Linux's that is always full")
def test_an_answer_that_the_disk_cannot_take_is_an_error_of_storage(pool: Pool, observed: Observed) -> None:
    with open("/dev/full", "r+b", buffering=0) as full, pytest.raises(StorageError, match="disk is full"):
        pool.run(job("SELECT * { VALUES ?x {1 2} }"), 300, output=full)
    assert observed.reasons == ["storage"]
    assert b"true" in run(pool, "ASK {}")


@pytest.mark.parametrize("error", [OSError("no process"), MemoryError()])
def test_where_no_process_starts_no_place_in_the_pool_is_lost(
    observed: Observed, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr("sage_ld.foundation.processes.idle_workers.WorkerProcess", fail)
        pool = Pool(KIND, 1, 1, observed)
        for _ in range(3):
            with pytest.raises(UnavailableError, match="no worker can be started"):
                run(pool, "ASK {}")
    assert b"true" in run(pool, "ASK {}")
    pool.close()


def test_a_job_with_little_time_ends_no_worker_that_starts(pool: Pool, observed: Observed) -> None:
    first = pid_of(pool)
    with pytest.raises(BusyError, match=r"no worker became free within 0\.001 s"):
        run(pool, "ASK {}", seconds=0.001)
    assert b"true" in run(pool, "ASK {}", seconds=300)
    assert (pid_of(pool), observed.reasons) == (first, [])


def test_the_start_of_a_worker_that_comes_with_its_first_job_takes_none_of_its_time(
    observed: Observed,
) -> None:
    pool = Pool(replace(KIND, lazy=True), 1, 1, observed, max_wait=300)
    with pytest.raises(TimeLimitError, match=r"stopped after 0\.05 s"):
        run(pool, ENDLESS, seconds=0.05)
    pool.close()


def test_a_full_queue_refuses_at_once(pool: Pool, observed: Observed) -> None:
    failures: list[Exception] = []
    assert has_started(pool)

    def ask() -> None:
        try:
            run(pool, ENDLESS, seconds=2)
        except (BusyError, TimeLimitError) as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert observed.most_waiting == 1
    refusals = [str(each) for each in failures if isinstance(each, BusyError)]
    assert sum("too many requests are waiting" in each for each in refusals) == 2


def test_long_jobs_leave_a_worker_to_short_ones_and_wait_for_their_turn(observed: Observed) -> None:
    """Two long jobs have one turn: the second is stopped, and begins again once the first has ended."""
    pool = Pool(replace(KIND, gives_way=True), 2, 4, observed, max_long=1)
    let_go, failures = threading.Event(), []

    def ask() -> None:
        try:
            pool.run(job(ENDLESS), 300, gone=let_go.is_set)
        except AbandonedError as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert waited_for(lambda: observed.reasons == ["long"])
    for _ in range(20):
        assert b"true" in run(pool, "ASK {}", seconds=300)
    assert observed.at_work == 1
    numbers = " ".join(map(str, range(150)))
    slow = f"SELECT (COUNT(*) AS ?n) {{ {' '.join(f'VALUES ?{x} {{ {numbers} }}' for x in 'abc')} }}"
    threading.Timer(1, let_go.set).start()
    assert b"3375000" in run(pool, slow, seconds=300)
    for thread in threads:
        thread.join()
    assert len(failures) == 2
    assert observed.reasons.count("abandoned") >= 1
    assert observed.at_work == 0
    pool.close()


def test_long_jobs_fill_half_of_the_queue(observed: Observed) -> None:
    pool = Pool(replace(KIND, gives_way=True), 2, 2, observed, max_long=1)
    let_go = threading.Event()
    refused: list[str] = []

    def ask() -> None:
        try:
            pool.run(job(ENDLESS), 300, gone=let_go.is_set)
        except BusyError as error:
            refused.append(str(error))
        except AbandonedError:
            pass

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert waited_for(lambda: bool(refused))
    assert refused[0].startswith("too many long queries are waiting")
    assert b"true" in run(pool, "ASK {}", seconds=300)
    let_go.set()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    pool.close()


def test_long_jobs_that_wait_leave_less_of_the_queue_to_others(observed: Observed) -> None:
    pool = Pool(replace(KIND, gives_way=True), 2, 2, observed, max_long=1)
    let_go = threading.Event()

    def ask() -> None:
        with contextlib.suppress(AbandonedError):
            pool.run(job(ENDLESS), 300, gone=let_go.is_set)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert waited_for(lambda: pool._queue_of_long.taken == 1 and pool._short_jobs.taken == 0)
    assert pool._short_jobs.take(None)
    threads.append(threading.Thread(target=ask))
    threads[-1].start()
    assert waited_for(lambda: observed.most_waiting == 2)
    with pytest.raises(BusyError, match=r"too many requests are waiting \(the limit is 2"):
        run(pool, "ASK {}")
    let_go.set()
    for thread in threads:
        thread.join()
    pool._short_jobs.release(None)
    pool.close()


def test_one_client_leaves_workers_to_others(observed: Observed) -> None:
    """A client has all workers that it may have, and more queries wait; another client's do not."""
    pool = Pool(replace(KIND, gives_way=True), 5, 100, observed, max_long=2)
    let_go = threading.Event()

    def ask() -> None:
        with contextlib.suppress(AbandonedError):
            pool.run(job(ENDLESS), 300, gone=let_go.is_set, client="one")

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    assert waited_for(lambda: pool._long_jobs.taken == 1 and observed.most_waiting >= 8)
    assert b"true" in run(pool, "ASK {}", seconds=300, client="other")
    with pytest.raises(AbandonedError):
        pool.run(job(ENDLESS), 300, gone=lambda: pool._long_jobs.taken == 2, client="other")
    assert pool._short_jobs.taken == 2, "a place is free again when a worker is"
    let_go.set()
    for thread in threads:
        thread.join()
    assert waited_for(lambda: (pool._short_jobs.taken, pool._long_jobs.taken) == (0, 0))
    pool.close()


def test_a_place_is_free_again_when_another_worker_has_started(observed: Observed) -> None:
    """A client that ends workers waits for the next ones itself."""
    pool = Pool(replace(KIND, gives_way=True), 2, 4, observed)
    assert has_started(pool)
    with pytest.raises(TimeLimitError):
        run(pool, ENDLESS, seconds=2, client="one")
    starting = [each for each in pool._idle.started() if not each.is_ready()]
    assert pool._short_jobs.taken == len(starting)
    assert waited_for(lambda: pool._short_jobs.taken == 0)
    assert all(each.is_ready() for each in pool._idle.started())
    pool.close()


def test_a_pool_that_is_closed_ends_workers_that_come_back(observed: Observed) -> None:
    pool = Pool(KIND, 1, 1, observed)
    let_go, worker = threading.Event(), pid_of(pool)

    def ask() -> None:
        with contextlib.suppress(AbandonedError):
            pool.run(job(ENDLESS), 300, gone=let_go.is_set)

    thread = threading.Thread(target=ask)
    thread.start()
    assert waited_for(lambda: observed.at_work == 1 and not pool._idle.started())
    pool.close()
    let_go.set()
    thread.join()
    assert not pool._idle.started()
    with pytest.raises(ProcessLookupError):
        os.kill(worker, 0)
    with pytest.raises(UnavailableError, match="shutting down"):
        run(pool, "ASK {}")


def test_waits_and_runs_of_a_job_have_one_deadline(observed: Observed) -> None:
    """A job that waits for its turn as a long one is told so after `max_wait`; what it ran before counts."""
    pool = Pool(replace(KIND, gives_way=True), 2, 4, observed, max_long=1, max_wait=3)
    assert has_started(pool)
    let_go = threading.Event()

    def ask() -> None:
        with contextlib.suppress(AbandonedError):
            pool.run(job(ENDLESS), 300, gone=let_go.is_set)

    first = threading.Thread(target=ask)
    first.start()
    assert waited_for(lambda: pool._long_jobs.taken == 1)
    with pytest.raises(BusyError, match="no worker became free within 3 s"):
        run(pool, ENDLESS, seconds=300)
    let_go.set()
    first.join()
    pool.close()


def test_the_time_of_a_job_is_one_deadline_after_its_begin() -> None:
    task = Task({}, 1000, 400, None, None, None)
    assert 300 < task.time_to_wait() <= 400
    assert task.time_to_run() == 1000
    task.begin -= 400
    assert task.time_to_wait() <= 0
    assert 900 < task.time_to_run() <= 1000
    task.begin -= 800
    assert task.time_to_run() <= 200


def test_errors_say_what_is_wrong_in_one_line(pool: Pool) -> None:
    with pytest.raises(InputError, match=r"does not parse: error at 1:\d+") as caught:
        run(pool, "ASK {")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_call_to_another_server_is_refused(pool: Pool) -> None:
    with pytest.raises(InputError, match="calls no other server"):
        run(pool, "SELECT * { VALUES ?x { true } SERVICE <http://127.0.0.1:8000/> { ?s ?p ?o } }")
    assert rows(run(pool, "SELECT ('SERVICE' AS ?service) {}")) != []


@pytest.mark.skipif(sys.platform != "linux", reason="the filter is Linux's")
def test_a_process_without_network_makes_no_call_whatever_the_text_says() -> None:
    code = (
        "import pyoxigraph; from sage_ld.foundation.processes.sandbox import no_network\n"
        "assert no_network()\n"
        "list(pyoxigraph.Store().query('SELECT * { SERVICE <http://127.0.0.1:8000/> { ?s ?p ?o } }'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "denied" in done.stderr


def kill(pid: int, name: signal.Signals = signal.SIGKILL) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, name)


def test_a_query_whose_worker_is_killed_is_done_again(pool: Pool, observed: Observed) -> None:
    victims = [pid_of(pool)]
    numbers = " ".join(map(str, range(300)))
    slow = f"SELECT (COUNT(*) AS ?n) {{ {' '.join(f'VALUES ?{x} {{ {numbers} }}' for x in 'abc')} }}"

    def kill_once() -> bool:
        if victims:
            kill(victims.pop())
        return False

    with pool.run(job(slow), 300, gone=kill_once) as answer:
        assert b"27000000" in answer.read()
    assert (victims, observed.reasons) == ([], ["killed"])


def test_no_query_is_lost_where_idle_and_busy_workers_are_killed(pool: Pool) -> None:
    chance = random.Random(7)
    for number in range(12):
        delay = chance.random() / 10
        killer = threading.Timer(delay, kill, (pid_of(pool),))
        killer.start()
        if number % 3 == 0:
            killer.join()
        assert rows(run(pool, f"SELECT ({number} AS ?n) {{}}", seconds=300))[0]["n"]["value"] == str(number)
        killer.join()


def test_a_job_that_is_not_repeated_says_that_its_worker_was_killed(observed: Observed) -> None:
    pool = Pool(replace(KIND, repeatable=False), 1, 1, observed)
    victim, output = pid_of(pool), io.BytesIO()

    def stop() -> bool:
        kill(victim, signal.SIGTERM)
        return False

    with pytest.raises(WorkerEndedError, match=r"killed from outside \(SIGTERM\)"):
        pool.run(job(ENDLESS), 300, gone=stop, output=output)
    assert not output.closed
    assert b"true" in run(pool, "ASK {}")
    pool.close()


def test_a_worker_starts_light() -> None:
    """It is replaced while clients wait, so it imports the store's library and little else."""
    heavy = ("numpy", "flask", "torch", "rdflib", "tantivy", "sage_ld.graph.graph")
    code = (
        f"import sys, sage_ld.service.workers.query_process; print([m for m in {heavy} if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"[]\n"
