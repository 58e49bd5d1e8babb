"""The servers that tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from service.serving import Server, empty_graph, generated_graph, serving

from sage_ld.service.access.tokens import AccessRole


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
