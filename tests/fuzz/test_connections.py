"""Any bytes on a connection: the server goes on, and answers no request twice."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from fuzz.asking import FRAGMENTS, REPEATED, changed
from fuzz.corpus import seeds
from hypothesis import given
from hypothesis import strategies as st
from service.serving import Server, generated_graph, serving
from waiting import PATIENCE


def written(seed: bytes) -> bytes:
    """A seed as it goes over a connection: lines end with CRLF, a body has a length."""
    head, gap, body = seed.replace(b"\n", b"\r\n").partition(b"\r\n\r\n")
    if body and not re.search(rb"(?i)\r\n(content-length|transfer-encoding):", head):
        head += b"\r\nContent-Length: %d" % len(body)
    return head.removesuffix(b"\r\n") + (gap or b"\r\n\r\n") + body


STREAMS = [written(seed) for seed in seeds("requests") if not seed.startswith(b"HEAD")]
"""Without HEAD, whose answers announce a body that does not come."""
SENT = st.one_of(
    changed(STREAMS),
    st.lists(st.one_of(st.sampled_from(STREAMS), changed(STREAMS)), min_size=2, max_size=3).map(b"".join),
    st.lists(st.one_of(FRAGMENTS, st.just(b"\r\n"), st.binary(max_size=9)), max_size=30).map(b"".join),
    st.builds(
        lambda text, many: text.replace(b"\r\n", b"\r\n" + many, 1), st.sampled_from(STREAMS), REPEATED
    ),
).filter(lambda text: b"HEAD" not in text)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = generated_graph(tmp_path_factory.mktemp("connections") / "graph", documents=3, edges=5)
    with serving(folder, read_timeout=5, sparql_timeout=5) as running:
        yield running
    log = running.log.read_text()
    assert "Traceback" not in log
    assert "unexpected error" not in log


@given(st.lists(SENT, min_size=1, max_size=3))
def test_whatever_is_sent_the_next_request_is_answered(served: Server, pieces: list[bytes]) -> None:
    before = web_process(served)
    received = exchanged(served, pieces)
    begun = b"".join(pieces).count(b"HTTP/1.")
    answers = heads(received)
    assert sum(b"\r\nserver: sage-ld" in head for head in answers) <= begun
    assert len(answers) <= begun + 1, "beside those of the application the server's refusal"
    assert {status(head) for head in answers} <= {*range(200, 500), 501, 503, 504}, received
    assert served.send("GET", "/health/live", timeout=PATIENCE).status == 200
    assert web_process(served) == before


def exchanged(served: Server, pieces: list[bytes]) -> bytes:
    """All that the server sends on a connection that is closed behind the pieces."""
    received = b""
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as client:
        with suppress(ConnectionError):
            for piece in pieces:
                client.sendall(piece)
        with suppress(OSError):  # it is closed already
            client.shutdown(socket.SHUT_WR)
        with suppress(ConnectionError):
            while block := client.recv(1 << 16):
                received += block
    return received


def heads(received: bytes) -> list[bytes]:
    """The heads of the answers, one behind the other; fails where something stands between them."""
    found = []
    while received:
        head, end, rest = received.partition(b"\r\n\r\n")
        if not end:
            break  # the connection was reset
        assert re.match(rb"HTTP/1\.[01] \d{3} [^\r\n]*(\r\n|$)", head), received
        if status(head) != 100:
            found.append(head)
        received = rest[length(head, rest) :]
    return found


def status(head: bytes) -> int:
    return int(head.split(b" ")[1])


def length(head: bytes, rest: bytes) -> int:
    """How many bytes of `rest` are the body of the answer with that head."""
    if status(head) in (100, 204, 304):
        return 0
    if (match := re.search(rb"(?i)\r\ncontent-length: (\d+)", head)) is not None:
        return int(match[1])
    if (match := re.match(rb"(?:[0-9a-fA-F]+\r\n.*?)*?0\r\n\r\n", rest, re.DOTALL)) is not None:
        return match.end()
    return len(rest)


def web_process(served: Server) -> str:
    """The numbers of the web processes."""
    process = served.process.pid
    return Path(f"/proc/{process}/task/{process}/children").read_text()
