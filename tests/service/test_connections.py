"""Connections: none of them holds up the others, and the end of a web process ends nothing else."""

from __future__ import annotations

import http.client
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import pytest
from service.processes import children, runs
from service.serving import QUERY, Server, empty_graph, serving
from waiting import PATIENCE, waited_for

from sage_ld.service.access.tokens import AccessRole

READ_TIMEOUT = 60.0  # seconds: far longer than that
MANY = 2_000
CROWD = {
    "nothing": b"",
    "half a head": b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ",
    "a body that never comes": b"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n",
    "half a body": b"POST /v1/retrieve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
    "a refused body": b"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n",
    "garbage": b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
}


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = empty_graph(tmp_path_factory.mktemp("connections") / "graph")
    with serving(folder, read_timeout=READ_TIMEOUT, write_timeout=READ_TIMEOUT) as served:
        yield served


class Client:
    """A connection that stays."""

    def __init__(self, server: Server) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        self.connection.connect()

    @property
    def socket(self) -> socket.socket:
        return self.connection.sock

    def send(self, number: int) -> None:
        self.connection.request("POST", "/sparql", f"SELECT ({number} AS ?x) {{}}", {"Content-Type": QUERY})

    def receive(self) -> int:
        found = json.loads(self.connection.getresponse().read())
        return int(found["results"]["bindings"][0]["x"]["value"])

    def ask(self, number: int) -> int:
        self.send(number)
        return self.receive()

    def close(self) -> None:
        self.connection.close()


@pytest.fixture
def clients(patient: Server) -> Iterator[list[Client]]:
    with ExitStack() as stack:
        yield [stack.enter_context(closing(Client(patient))) for _ in range(6)]


def raw(text: str, more: str = "") -> bytes:
    head = f"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: {QUERY}\r\n{more}"
    return f"{head}Content-Length: {len(text)}\r\n\r\n{text}".encode()


def answered(clients: list[Client]) -> bool:
    """Whether every one of them is answered, several times, each with its own."""
    return all(each.ask(number) == number for _ in range(3) for number, each in enumerate(clients))


def test_each_gets_its_own_answers(clients: list[Client]) -> None:
    for round_ in range(20):
        for number, each in enumerate(clients):
            each.send(number + round_ % 3)
        assert [each.receive() for each in clients] == [number + round_ % 3 for number in range(len(clients))]


def test_a_request_that_comes_slowly_holds_up_nobody(clients: list[Client]) -> None:
    slow, *others = clients
    sent = raw("SELECT (7 AS ?x) {}")
    for end in (30, len(sent) - 5):  # in its head, in its body
        slow.socket.sendall(sent[:end])
        assert answered(others)
        slow.socket.sendall(sent[end:])
        answer = http.client.HTTPResponse(slow.socket)
        answer.begin()
        assert b'"7"' in answer.read()


def test_requests_sent_ahead_are_answered_in_their_order(clients: list[Client]) -> None:
    eager, *others = clients
    eager.socket.sendall(b"".join(raw(f"SELECT ({number} AS ?x) {{}}") for number in range(8)))
    assert answered(others)
    with eager.socket.makefile("rb") as stream:
        for number in range(8):
            length = 0
            while (line := stream.readline().lower()) != b"\r\n":
                if line.startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            assert f'"{number}"'.encode() in stream.read(length)


@contextmanager
def open_files(count: int) -> Iterator[None]:
    """Has this process open so many files at once; skips where the system does not let it."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] != resource.RLIM_INFINITY and before[1] < count:
        pytest.skip(f"the system allows {before[1]} open files, this needs {count}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize("beginning", CROWD.values(), ids=CROWD)
def test_a_crowd_that_says_nothing_useful_holds_up_nobody(patient: Server, beginning: bytes) -> None:
    with open_files(MANY + 500), ExitStack() as stack:
        for _ in range(MANY):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", patient.port), PATIENCE))
            if beginning:
                client.sendall(beginning)
        for _ in range(3):
            assert patient.send("GET", "/health/live").status == 200
            assert patient.alive()


FEW_FILES = ["bash", "-c", 'ulimit -n 80; exec "$0" "$@"']


def test_connections_beyond_the_open_files_wait_and_end_nothing(tmp_path: Path) -> None:
    """Those without a whole head are closed in time, and then those that waited are served."""
    with serving(empty_graph(tmp_path / "graph"), read_timeout=2, around=FEW_FILES) as served:
        process = children(served.process.pid)
        with ExitStack() as stack:
            for _ in range(80):
                client = stack.enter_context(socket.create_connection(("127.0.0.1", served.port), PATIENCE))
                client.sendall(CROWD["half a head"])
            assert served.send("GET", "/health/live").status == 200
        assert children(served.process.pid) == process


@pytest.mark.skipif(not hasattr(socket, "TCP_DEFER_ACCEPT"), reason="the system cannot put off accepting")
def test_silent_connections_take_no_places_even_where_open_files_are_few(tmp_path: Path) -> None:
    with (
        open_files(MANY + 500),
        serving(empty_graph(tmp_path / "graph"), read_timeout=READ_TIMEOUT, around=FEW_FILES) as served,
        ExitStack() as stack,
    ):
        for _ in range(MANY):
            stack.enter_context(socket.create_connection(("127.0.0.1", served.port), PATIENCE))
        assert served.send("GET", "/health/live").status == 200


def test_a_client_that_reads_slowly_but_does_read_gets_its_whole_answer(tmp_path: Path) -> None:
    """What the system holds for it is no more than it takes within write_timeout."""
    values = " ".join(map(str, range(500)))
    text = (
        f"SELECT ?a ('{'x' * 400}' AS ?x) {{ VALUES ?a {{ {values} }} VALUES ?b {{ {values} }} }} LIMIT 15000"
    )
    with serving(empty_graph(tmp_path / "graph"), write_timeout=5) as served, socket.socket() as client:
        client.settimeout(PATIENCE)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        client.connect(("127.0.0.1", served.port))
        client.sendall(raw(text))
        answer = http.client.HTTPResponse(client)
        answer.begin()
        size = 0
        for _ in range(70):  # longer than write_timeout
            size += len(answer.read(10_000))
            time.sleep(0.1)
        assert size + len(answer.read()) > 15_000 * 400


def test_a_crowd_that_reads_slowly_leaves_room_for_other_addresses(tmp_path: Path) -> None:
    values = " ".join(map(str, range(300)))
    text = f"SELECT ?a ('{'x' * 400}' AS ?x) {{ VALUES ?a {{ {values} }} VALUES ?b {{ {values} }} }}"
    with (
        open_files(MANY + 500),
        serving(empty_graph(tmp_path / "graph"), sparql_timeout=READ_TIMEOUT) as served,
        ExitStack() as stack,
    ):
        readers = []
        for _ in range(MANY // 4):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.bind(("127.0.0.2", 0))
            client.connect(("127.0.0.1", served.port))
            client.sendall(raw(text))
            client.setblocking(False)
            readers.append(client)
        statuses = []
        for _ in range(10):
            for each in readers:
                with suppress(OSError):
                    each.recv(1024)
            statuses.append(served.send("GET", "/health/live").status)
            statuses.append(served.query("SELECT (1 AS ?x) {}").status)
        assert set(statuses) == {200}


ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGSEGV, signal.SIGKILL)
"""What ends it in order, interrupts Python, is a crash, and cannot be handled."""


def test_a_web_process_that_ends_is_replaced_however_it_ends(tmp_path: Path) -> None:
    with serving(empty_graph(tmp_path / "graph"), (AccessRole.WRITE,)) as served:
        for number in ENDS:
            [process] = children(served.process.pid)
            os.kill(process, number)
            assert replaced(served, process), number.name
        [process] = children(served.process.pid)
        os.kill(served.process.pid, signal.SIGHUP)
        assert replaced(served, process)
        assert served.update("INSERT DATA { <a:> <b:> 1 }").status == 200
        assert served.stop() == 0


def test_a_client_that_comes_while_no_web_process_is_there_waits(tmp_path: Path) -> None:
    """The socket that listens is the supervisor's."""
    with serving(empty_graph(tmp_path / "graph")) as served:
        [process] = children(served.process.pid)
        os.kill(process, signal.SIGKILL)
        assert waited_for(lambda: not runs(process))
        assert served.send("GET", "/health/live").status == 200


def replaced(served: Server, process: int) -> bool:
    """Whether another web process comes to answer in the place of `process`."""

    def answers() -> bool:
        others = children(served.process.pid)
        if others and process not in others:
            with suppress(OSError, http.client.HTTPException):
                return served.send("GET", "/health/live").status == 200
        return False

    return waited_for(answers)


def test_no_process_outlives_the_first_one(tmp_path: Path) -> None:
    with serving(empty_graph(tmp_path / "graph")) as served:
        [web] = children(served.process.pid)
        family = [web, *children(web)]
        served.process.kill()
        served.process.wait()
        assert waited_for(lambda: not any(runs(each) for each in family)), f"of {family} some run on"


def test_a_request_that_stays_keeps_no_process_alive(tmp_path: Path) -> None:
    """A web process whose supervisor has died ends at once, whatever it was about."""
    with (
        serving(empty_graph(tmp_path / "graph"), read_timeout=READ_TIMEOUT) as served,
        socket.create_connection(("127.0.0.1", served.port), PATIENCE) as client,
    ):
        client.sendall(CROWD["a body that never comes"])
        assert served.alive()
        [web] = children(served.process.pid)
        served.process.kill()
        served.process.wait()
        assert waited_for(lambda: not runs(web))


def test_a_port_that_is_taken_is_named(tmp_path: Path, patient: Server) -> None:
    folder = empty_graph(tmp_path / "graph")
    start = f"from sage_ld.service.server import serve; serve({str(folder)!r}, port={patient.port})"
    done = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode != 0
    assert f"port {patient.port} cannot be opened" in done.stderr
