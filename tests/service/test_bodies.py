"""Bodies: refused by the head alone without the right to send them, and no more held than there is room."""

from __future__ import annotations

import http.client
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from service.processes import children
from service.serving import UPDATE, Server, empty_graph, serving
from waiting import PATIENCE

from sage_ld.service.access.tokens import AccessRole

READ_TIMEOUT = 60.0  # seconds: far longer than that
LENGTH = "Content-Length: 8000"
CHUNKED = "Transfer-Encoding: chunked"
JSON = "application/json"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = empty_graph(tmp_path_factory.mktemp("bodies") / "graph")
    with serving(
        folder, (AccessRole.READ, AccessRole.WRITE), read_timeout=READ_TIMEOUT, max_buffered_bytes=2**20
    ) as running:
        yield running


def connected(served: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", served.port), PATIENCE)


def head(served: Server, method: str, path: str, *headers: str, token: str | None = None) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    if token is not None:
        lines.append(f"Authorization: Bearer {served.tokens.get(token, token)}")
    return "\r\n".join([*lines, "", ""]).encode()


@pytest.mark.parametrize(
    ("method", "path", "token", "status"),
    [
        ("POST", "/update", None, 401),
        ("POST", "/update", "sage_wrong", 401),
        ("POST", "/update/", "read", 403),
        ("PUT", "/data?default", None, 401),
        ("POST", "/data/below", "read", 403),
        ("PATCH", "/data?default", "sage_wrong", 401),
        ("DELETE", "/data?graph=g:1", None, 401),
        ("POST", "/v1/evaluate", None, 401),
        ("POST", "/v1/retrieve", "sage_wrong", 401),
        ("POST", "/sparql", "sage_wrong", 401),
    ],
)
@pytest.mark.parametrize("length", [LENGTH, CHUNKED, f"{LENGTH}\r\nExpect: 100-continue"])
def test_a_body_is_refused_before_it_is_sent(
    served: Server, method: str, path: str, token: str | None, status: int, length: str
) -> None:
    with connected(served) as client:
        client.sendall(head(served, method, path, length, f"Content-Type: {UPDATE}", token=token))
        answer = http.client.HTTPResponse(client, method=method)
        answer.begin()
        assert (answer.status, answer.getheader("Connection")) == (status, "close")
        assert answer.getheader("Content-Type") == "application/problem+json"
        answer.read()
        assert client.recv(1) == b""  # the connection ends with the answer


def test_strangers_leave_room_for_bodies_with_a_token(served: Server) -> None:
    with ExitStack() as stack:
        sent = head(served, "POST", "/v1/retrieve", "Content-Length: 250000", f"Content-Type: {JSON}")
        for _ in range(50):  # two that stay fit into half of the room
            stack.enter_context(connected(served)).sendall(sent + b" " * 200_000)
            answer = served.send("POST", "/v1/retrieve", " " * 200_000, Content_Type=JSON)
            if answer.status == 503:
                break
        assert "max_buffered_bytes" in answer.json["detail"]
        assert served.update("INSERT DATA { <a:> <b:> 1 } #" + " " * 400_000).status == 200
    assert served.update("INSERT DATA { <a:> <b:> 2 }").status == 200


def open_files(process: int) -> list[int]:
    return sorted(int(each.name) for each in Path(f"/proc/{process}/fd").iterdir())


def test_a_body_takes_a_file_only_once_it_has_come(served: Server) -> None:
    [web] = children(served.process.pid)
    assert served.alive()
    before = len(open_files(web))
    with ExitStack() as stack:
        for _ in range(40):
            client = stack.enter_context(connected(served))
            client.sendall(
                head(served, "PUT", "/data?default", "Content-Length: 2000000", token="write") + b"<a:>"
            )
        for _ in range(10):
            assert served.alive()
        assert len(open_files(web)) - before < 60


@pytest.mark.servers
def test_without_open_files_a_request_is_told_to_come_again(tmp_path: Path) -> None:
    """Whatever it needs a file for: here to read the tokens, and then for its body."""
    text = "INSERT DATA { <a:> <b:> 1 } #" + " " * 2_000_000
    with serving(empty_graph(tmp_path / "graph"), (AccessRole.WRITE,)) as served:
        headers = {"Authorization": f"Bearer {served.tokens['write']}", "Content-Type": UPDATE}
        [web] = children(served.process.pid)
        for _ in range(2):
            with closing(http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE)) as client:
                client.request("GET", "/health/live")
                assert client.getresponse().read()
                used = open_files(web)
                free = next(number for number in range(len(used) + 1) if number not in used)
                soft, hard = resource.prlimit(web, resource.RLIMIT_NOFILE)
                resource.prlimit(web, resource.RLIMIT_NOFILE, (free, hard))
                client.request("POST", "/update", text, headers)
                answer = client.getresponse()
                assert answer.status == 503
                told = answer.read()  # the second: a worker that is replaced meanwhile needs files, too
                assert b"no open file left" in told or b"no worker can be started" in told
                resource.prlimit(web, resource.RLIMIT_NOFILE, (soft, hard))
            assert served.update(text).status == 200
