"""An Oxigraph server on loopback, which keeps its graphs in memory."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from waiting import waited_for


@dataclass(frozen=True)
class OxigraphServer:
    """The server, as long as its process lives."""

    port: int
    process: subprocess.Popen[bytes]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def store(self) -> str:
        return f"{self.address}/store"

    def send(self, method: str, path: str, body: str = "", kind: str = "text/turtle") -> str:
        """The content of an answer, which is none of an error."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        headers = {"Content-Type": kind, "Accept": "application/n-triples, application/sparql-results+json"}
        connection.request(method, path, body.encode(), headers)
        answer = connection.getresponse()
        content = answer.read().decode()
        connection.close()
        assert answer.status < 300, content
        return content

    def put(self, graph: str, turtle: str) -> None:
        self.send("PUT", f"/store?graph={quote(graph, safe='')}", turtle)

    def graph(self, graph: str) -> set[str]:
        content = self.send("GET", f"/store?graph={quote(graph, safe='')}")
        return set(filter(None, content.split("\n")))


@contextmanager
def oxigraph_server() -> Iterator[OxigraphServer]:
    """A server as long as the block lasts."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    program = Path(sys.executable).with_name("oxigraph")
    with subprocess.Popen(
        [program, "serve", "--bind", f"127.0.0.1:{port}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            assert waited_for(lambda: _answers(port))
            yield OxigraphServer(port, process)
        finally:
            process.kill()


def _answers(port: int) -> bool:
    with socket.socket() as attempt:
        return attempt.connect_ex(("127.0.0.1", port)) == 0
