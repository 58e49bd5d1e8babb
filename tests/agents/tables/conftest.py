"""The graph and the workers that tests of tables share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sage_ld.agents.tables import TableWorkers
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot
from tests.agents.tables.corpus import tables_graph


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    made = tables_graph(tmp_path_factory.mktemp("tables"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def snapshot(knowledge: KnowledgeGraph) -> Snapshot:
    return knowledge.snapshot()


@pytest.fixture(scope="session")
def workers() -> Iterator[TableWorkers]:
    """Two workers, with time enough for a slow machine."""
    with TableWorkers(replace(Settings(), table_timeout=60.0, queue_timeout=120.0)) as made:
        yield made
