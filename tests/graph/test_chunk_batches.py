"""Chunks that linking reads again: in batches, as if all were read at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph.canonical import canonical
from graph.corpus import write

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.derivations import links


@pytest.fixture
def graph(tmp_path: Path) -> KnowledgeGraph:
    graph = KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")
    graph.ingest([write(tmp_path / "corpus")])
    return graph


def test_the_graph_is_the_same_whatever_the_size_of_batches(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = canonical(graph)
    monkeypatch.setattr(links, "_BATCH_CHUNKS", 2)
    graph.relink()
    assert canonical(graph) == before
