"""The servers and small graphs that tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from service.serving import Server, empty_graph, generated_graph, serving
from service.web import Headers, client_of, small_graph

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.protocol import Store
from sage_ld.service.access.tokens import AccessRole, create_token


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A generated graph, with a token of each role; for tests that change nothing which others look at."""
    folder = generated_graph(tmp_path_factory.mktemp("served") / "graph")
    with serving(folder, (AccessRole.READ, AccessRole.WRITE, AccessRole.ADMIN)) as running:
        yield running


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An empty graph with a token that writes; each test puts in what it needs, after CLEAR ALL."""
    folder = empty_graph(tmp_path_factory.mktemp("served") / "blank")
    with serving(folder, (AccessRole.WRITE,)) as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small graph, one for each module of tests."""
    return small_graph(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[FlaskClient]:
    """A client of that graph."""
    with client_of(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def store(folder: Path) -> Iterator[Store]:
    """The store of that graph."""
    graph = KnowledgeGraph.open(folder)
    yield graph.snapshot().store
    graph.close()


@pytest.fixture(scope="module")
def headers(folder: Path) -> Headers:
    """For each role, a header with a token of that graph, named as the role."""
    tokens = {role: create_token(folder, role.name, role, "2026-11-24") for role in AccessRole if role}
    return {role: {"Authorization": f"Bearer {token}"} for role, token in tokens.items()}
