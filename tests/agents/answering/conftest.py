"""The films of examples/films as a graph that answers are looked for in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from graph.corpus import built

from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever

FILMS = Path(__file__).parents[3] / "examples" / "films"


@pytest.fixture(scope="package")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    """Read-only: all tests of the package ask it."""
    made = built(tmp_path_factory.mktemp("answering") / "graph", FILMS)
    yield made
    made.close()


@pytest.fixture(scope="package")
def retriever(films: KnowledgeGraph) -> Retriever:
    return Retriever(films)
