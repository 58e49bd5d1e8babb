"""Connections that share a thread get what is theirs, and none of them can hold up the others."""

from __future__ import annotations

import http.client
import json
import os
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from service.serving import QUERY, Server, empty_graph, serving

PATIENCE = 5.0  # seconds in which the others must be answered
READ_TIMEOUT = 20.0
LARGE = f'SELECT ("{"x" * 9_000}" AS ?x) {{}}'


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = empty_graph(tmp_path_factory.mktemp("turns") / "graph")
    limits = {"read_timeout": READ_TIMEOUT, "write_timeout": READ_TIMEOUT, "sparql_timeout": READ_TIMEOUT}
    with serving(folder, **limits) as served:
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
    """Connections that one thread serves: each has just been answered from what is kept."""
    with ExitStack() as stack:
        made = [stack.enter_context(closing(Client(patient))) for _ in range(6)]
        for _ in range(3):
            for number, each in enumerate(made):
                each.send(number)
            assert [each.receive() for each in made] == list(range(6))
        yield made


def raw(text: str, end: str = "") -> bytes:
    head = (
        f"POST /sparql HTTP/1.1\r\nHost: a\r\nContent-Type: {QUERY}\r\nContent-Length: {len(text)}\r\n{end}"
    )
    return f"{head}\r\n{text}".encode()


def answered(clients: list[Client]) -> bool:
    """Whether every one of them is answered, several times, each with its own."""
    return all(each.ask(number) == number for _ in range(5) for number, each in enumerate(clients))


def test_each_gets_its_own_answers(clients: list[Client]) -> None:
    for round_ in range(40):
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


def test_a_client_that_takes_no_answers_holds_up_nobody(clients: list[Client]) -> None:
    greedy, *others = clients
    greedy.socket.settimeout(0.5)
    with pytest.raises(TimeoutError):  # answers pile up until the server takes no further request
        _ask_on(greedy, others[0])
    assert answered(others)


def _ask_on(greedy: Client, other: Client) -> None:
    for _ in range(5_000):
        greedy.socket.sendall(raw(LARGE))
        assert other.ask(0) == 0  # so that both are served in turn


def test_a_long_query_holds_up_nobody(clients: list[Client]) -> None:
    long, *others = clients
    rows = " ".join(map(str, range(150)))
    endless = f"SELECT (COUNT(*) AS ?x) {{ {' '.join(f'VALUES ?{x} {{ {rows} }}' for x in 'abcd')} }}"
    long.socket.sendall(raw(endless).replace(b"/sparql", b"/sparql?timeout=8", 1))
    assert answered(others)
    long.socket.settimeout(0.01)
    with pytest.raises(TimeoutError):  # it was under way all the time
        long.socket.recv(1)


@pytest.mark.parametrize("sent", [raw("ASK {}", "Connection: close\r\n"), b"nonsense\r\n\r\n"])
def test_a_connection_that_ends_holds_up_nobody(clients: list[Client], sent: bytes) -> None:
    last, *others = clients
    last.socket.sendall(sent)
    assert answered(others)
    assert last.socket.recv(1 << 16).startswith(b"HTTP/1.1 ")
    assert last.socket.recv(1 << 16) == b""


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


def test_web_processes_share_the_connections(tmp_path: Path) -> None:
    with serving(empty_graph(tmp_path / "graph"), processes=2) as served:
        for _ in range(50):  # the second process may not be there yet
            with ExitStack() as stack:
                for number in range(12):
                    assert stack.enter_context(closing(Client(served))).ask(number) == number
                taken = _connections(served)
            if len(taken) == 2 and min(taken.values()) >= 4:
                return
        pytest.fail(f"of 12 connections they have {taken}")


def _connections(served: Server) -> Counter[str]:
    """How many of the server's connections each of its processes has."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    established = {row[9] for row in rows if row[1].endswith(f":{served.port:04X}") and row[3] == "01"}
    children = Path(f"/proc/{served.process.pid}/task/{served.process.pid}/children").read_text().split()
    links = [(child, each) for child in children for each in Path(f"/proc/{child}/fd").iterdir()]
    return Counter(child for child, each in links if os.readlink(each)[8:-1] in established)
