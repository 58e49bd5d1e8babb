"""The small mixed corpus as a graph."""

from __future__ import annotations

import pytest
from graph.corpus import write

from sage_ld.graph import KnowledgeGraph


@pytest.fixture(scope="package")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    """Read-only: all tests of the package ask it."""
    folder = tmp_path_factory.mktemp("retrieval")
    made = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    made.ingest([write(folder / "corpus")])
    return made
