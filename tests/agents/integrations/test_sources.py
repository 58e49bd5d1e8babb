"""The sources of the adapters: a service over HTTP gives what the graph gives in this process."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import doctest
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import ModuleType
from urllib.parse import quote, unquote

import pytest
from graph.corpus import PRIZES, built, write_files
from service.serving import Server, free_port, serving

from sage_ld import (
    Filter,
    ForbiddenError,
    InputError,
    KnowledgeGraph,
    NotFoundError,
    Retriever,
    UnavailableError,
)
from sage_ld.agents.integrations import haystack_filters, search
from sage_ld.agents.integrations.search import Search
from sage_ld.agents.integrations.sources import LocalGraph, RemoteGraph, source_of
from sage_ld.service.access.tokens import AccessRole

QUESTION = "Who has the Golden Heron?"
SEARCHES = [
    Search(),
    Search(k=3, from_graph=0, mode="bm25"),
    Search(k=4, channels=("entity",), window=1, question_language="en"),
    Search(only=Filter(documents=("rope.md",))),
    Search(only=Filter(kinds=("text",), where=('schema:mentions/skos:prefLabel "Golden Heron"',))),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sources")
    graph = built(place / "graph", write_files(place / "files", PRIZES))
    graph.close()
    return place / "graph"


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with serving(folder, (AccessRole.READ,), public_read="false", max_batch_questions=20) as running:
        yield running


@pytest.fixture
def remote(server: Server, monkeypatch: pytest.MonkeyPatch) -> RemoteGraph:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return RemoteGraph(f"http://127.0.0.1:{server.port}/", server.tokens["read"])


@pytest.fixture
def local(folder: Path) -> LocalGraph:
    return LocalGraph(Retriever(KnowledgeGraph.open(folder)))


@pytest.mark.parametrize("search", SEARCHES, ids=["default", "bm25", "entity", "document", "where"])
def test_a_service_gives_what_the_graph_gives(local: LocalGraph, remote: RemoteGraph, search: Search) -> None:
    questions = [QUESTION, "What is a rope made of?"]
    found = local.search(questions, search)
    assert all(found)
    assert remote.search(questions, search) == found
    assert asyncio.run(remote.asearch(questions, search)) == found
    assert asyncio.run(local.asearch(questions, search)) == found


def test_more_questions_than_a_request_may_have_are_sent_in_several(
    local: LocalGraph, remote: RemoteGraph
) -> None:
    questions = [f"Who has the Golden Heron of {year}?" for year in range(1950, 1995)]
    assert remote.search(questions, Search(k=1)) == local.search(questions, Search(k=1))


def test_a_document_is_read(local: LocalGraph, remote: RemoteGraph) -> None:
    assert "A rope is made of hemp." in local.read("rope.md")
    assert remote.read("rope.md").split() == local.read("rope.md").split()
    for each in (local, remote):
        with pytest.raises(NotFoundError, match=r"no-such\.md|404"):
            each.read("no-such.md")


def test_errors_are_those_of_the_graph(local: LocalGraph, remote: RemoteGraph) -> None:
    for each in (local, remote):
        with pytest.raises(InputError, match=r"does not exist|mode"):
            each.search([QUESTION], Search(mode="magic"))
        with pytest.raises(InputError, match=r"max_results|1,000|1000"):
            each.search([QUESTION], Search(k=100_000))
        with pytest.raises(InputError, match=r"empty|pattern|questions/0"):
            each.search([" "], Search())


def test_a_service_is_told_who_asks(server: Server, remote: RemoteGraph) -> None:
    for token in (None, "wrong"):
        with pytest.raises(ForbiddenError, match=r"answered 401: .*token"):
            RemoteGraph(remote.address, token).search([QUESTION], Search())
        with pytest.raises(ForbiddenError, match="answered 401"):
            asyncio.run(RemoteGraph(remote.address, token).asearch([QUESTION], Search()))
    assert server.tokens["read"] not in repr(remote)


def test_a_service_that_is_not_there_is_unavailable() -> None:
    gone = RemoteGraph(f"http://127.0.0.1:{free_port()}", timeout=5)
    with pytest.raises(UnavailableError, match=r"does not answer \(ConnectError\); check the address"):
        gone.search([QUESTION], Search())
    with pytest.raises(UnavailableError, match=r"does not answer \(InvalidURL\)"):
        RemoteGraph("http://127.0.0.1:port").search([QUESTION], Search())
    with pytest.raises(UnavailableError, match="does not answer"):
        asyncio.run(gone.asearch([QUESTION], Search()))


class Redirecting(BaseHTTPRequestHandler):
    """Sends every request elsewhere, and keeps whether it got there; what asks for a greeting gets one."""

    seen: list[str]

    def do_POST(self) -> None:
        self.seen.append(self.path)
        if self.path.startswith("/hello"):
            self.send_response(200)
            self.send_header("Content-Length", "5")
            self.end_headers()
            self.wfile.write(b"hello")
            return
        self.send_response(307)
        self.send_header("Location", f"http://127.0.0.1:{self.server.server_address[1]}/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""


def test_a_token_follows_no_redirect_and_another_server_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    Redirecting.seen = []
    with HTTPServer(("127.0.0.1", 0), Redirecting) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        with pytest.raises(UnavailableError, match="answered 307"):
            RemoteGraph(f"http://127.0.0.1:{other.server_port}", "secret").search([QUESTION], Search())
        with pytest.raises(UnavailableError, match="/hello/v1/retrieve gives no answers"):
            RemoteGraph(f"http://127.0.0.1:{other.server_port}/hello").search([QUESTION], Search())
        other.shutdown()
    assert Redirecting.seen == ["/v1/retrieve", "/hello/v1/retrieve"]


RESULT = {"document": "d", "chunk": "c", "kind": "text", "role": "seed", "text": "t", "score": 1, "rank": 1}
HOSTILE: dict[str, tuple[int, str | None, str]] = {
    "no JSON": (200, "<html>", "gives no answers"),
    "deep": (200, "[" * 100_000, "gives no answers"),
    "no results": (200, json.dumps({"answers": [{"results": "none"}]}), "gives no answers"),
    "no text": (200, json.dumps({"answers": [{"results": [{**RESULT, "text": 5}]}]}), "gives no answers"),
    "two answers": (200, json.dumps({"answers": [{"results": [RESULT]}] * 2}), "gives no answers"),
    "escapes": (500, json.dumps({"detail": "\x1b[2J\u202egone"}), r"answered 500:  \[2J gone"),
    "deep error": (500, "[" * 100_000, "answered 500: Internal Server Error"),
    "huge": (200, None, "gives more than"),
    "slow": (200, None, "does not end its answer"),
    "compressed": (200, None, "compressed"),
}


class Hostile(BaseHTTPRequestHandler):
    """Answers as the path of the address says."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        name = unquote(self.path.split("/")[1])
        status, text, _ = HOSTILE[name]
        self.send_response(status)
        if name == "compressed":
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        with contextlib.suppress(OSError):
            if text is not None:
                self.wfile.write(text.encode())
            for _ in range(100 if name == "huge" else 0):
                self.wfile.write(b" " * 2**20)
            for _ in range(100 if name == "slow" else 0):
                self.wfile.write(b" ")
                time.sleep(0.1)

    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_service_is_unavailable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with HTTPServer(("127.0.0.1", 0), Hostile) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{other.server_port}/{quote(name)}"
        asked = RemoteGraph(address, timeout=1 if name == "slow" else 60)
        with pytest.raises(UnavailableError, match=HOSTILE[name][2]):
            asked.search([QUESTION], Search())
        with pytest.raises(UnavailableError, match=HOSTILE[name][2]):
            asyncio.run(asked.asearch([QUESTION], Search()))
        other.shutdown()


def test_a_source_is_made_of_what_names_a_graph(folder: Path, local: LocalGraph) -> None:
    graph = local.retriever.graph
    made = [source_of(each) for each in (folder, str(folder), graph, local.retriever, local)]
    assert {str(each.folder) for each in made if isinstance(each, LocalGraph)} == {str(folder)}
    assert len(made) == 5
    assert made[-1] is local
    assert isinstance(source_of("https://example.org/kg"), RemoteGraph)
    assert copy.deepcopy(local) is local
    with pytest.raises(InputError, match="graph: 5 is of type int"):
        source_of(5)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        source_of(folder / "no-graph")


@pytest.mark.parametrize("module", [search, haystack_filters])
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


def test_the_parameters_of_a_search_are_checked() -> None:
    for wrong in (-1, 11):
        with pytest.raises(InputError, match=f"from_graph is {wrong} of 10 results"):
            Search(k=10, from_graph=wrong)
    with pytest.warns(DeprecationWarning, match="neighbours is called from_graph now"):
        assert Search(k=10, neighbours=2).parameters() == {"k": 10, "from_graph": 2}
    with pytest.raises(InputError, match=r"give a sage_ld\.Filter"):
        Search(only={"documents": ["rope.md"]})  # type: ignore[arg-type]
