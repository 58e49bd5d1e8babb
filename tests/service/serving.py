"""A real server on a free loopback port, and what tests ask it with."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from generated import generate
from pyoxigraph import Store
from waiting import PATIENCE, waited_for

from sage_ld.graph import KnowledgeGraph
from sage_ld.service.access.tokens import AccessRole, create_token

QUERY = "application/sparql-query"
UPDATE = "application/sparql-update"
FORM = "application/x-www-form-urlencoded"


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def rows(self) -> list[dict[str, str]]:
        return [
            {name: value["value"] for name, value in row.items()} for row in self.json["results"]["bindings"]
        ]


@dataclass
class Server:
    """A served graph: `tokens` by role."""

    folder: Path
    port: int
    command: list[str]
    environment: dict[str, str]
    log: Path
    tokens: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] = field(init=False)

    def start(self) -> None:
        """Starts it, for the first time or again, and waits until it is ready."""
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(self.command, stderr=output, env=self.environment)
        if not waited_for(self._is_ready):
            pytest.fail(f"the server did not start:\n{self.log.read_text()}")

    def _is_ready(self) -> bool:
        if self.process.poll() is not None:
            pytest.fail(f"the server ended:\n{self.log.read_text()}")
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.send("GET", "/health/ready").status == 200
        return False

    def send(
        self,
        method: str,
        path: str,
        body: bytes | str | None = None,
        *,
        token: str | None = None,
        timeout: float = PATIENCE,
        **headers: str,
    ) -> Answer:
        """One request on a connection of its own; `Content_Type="…"` gives a header."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is not None:
            sent["Authorization"] = f"Bearer {self.tokens.get(token, token)}"
        try:
            connection.request(method, path, body.encode() if isinstance(body, str) else body, sent)
            response = connection.getresponse()
            return Answer(
                response.status,
                {name.lower(): value for name, value in response.getheaders()},
                response.read(),
            )
        finally:
            connection.close()

    def query(self, text: str, **headers: str) -> Answer:
        return self.send("POST", "/sparql", text, Content_Type=QUERY, **headers)

    def update(self, text: str, parameters: str = "") -> Answer:
        return self.send("POST", f"/update{parameters}", text, token="write", Content_Type=UPDATE)

    def alive(self) -> bool:
        """Whether a small query is answered at once."""
        return self.send("GET", "/sparql?" + urlencode({"query": "ASK {}"})).json["boolean"]

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def serving(
    folder: Path,
    roles: tuple[AccessRole, ...] = (),
    processes: int = 1,
    around: Sequence[str] = (),
    **settings: object,
) -> Iterator[Server]:
    """A server of the graph in `folder`, with a token of each role; `around` is a command that starts it."""
    tokens = {role.name.lower(): create_token(folder, role.name, role, "2026-01-01") for role in roles}
    port = free_port()
    log = folder.parent / f"{folder.name}-{port}.log"
    environment = {f"SAGE_LD_{name.upper()}": str(value) for name, value in settings.items()}
    options = ["--port", str(port), "--processes", str(processes)]
    command = [*around, sys.executable, "-m", "sage_ld.cli", "serve", str(folder), *options]
    server = Server(folder, port, command, {**os.environ, **environment}, log, tokens)
    try:
        server.start()
        yield server
    finally:
        if server.process.poll() is None:
            try:
                server.stop()
            except subprocess.TimeoutExpired:
                server.process.kill()
                server.process.wait()


def empty_graph(folder: Path) -> Path:
    """A graph with a revision in which nothing is."""
    with KnowledgeGraph.create(folder, encoder="jaccard").writer() as writer:
        writer.change()
        writer.publish()
    return folder


def generated_graph(folder: Path, documents: int = 12, edges: int = 60) -> Path:
    """A graph with documents, chunks and edges, in the store and the indexes."""
    source = Store()
    iris = generate(source, documents, edges)
    with KnowledgeGraph.create(folder, encoder="jaccard").writer() as writer:
        writer.change().extend(source)
        writer.refresh(iris)
        writer.publish()
    return folder
