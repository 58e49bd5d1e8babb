"""Chunks that derivations go through again: from a file, in batches, as if all were read at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph.canonical import canonical
from graph.corpus import write

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.derivations import derivation
from sage_ld.graph.derivations.derivation import Corpus
from sage_ld.graph.store import reading


@pytest.fixture
def graph(tmp_path: Path) -> KnowledgeGraph:
    graph = KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")
    graph.ingest([write(tmp_path / "corpus")])
    return graph


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 3])
def test_batches_hold_what_the_store_holds(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(derivation, "_BATCH_CHUNKS", size)
    with graph.writer() as writer, Corpus(writer, graph.recipe, "jaccard", with_links=True) as corpus:
        stored = reading.chunks(writer.store)
        assert list(corpus.chunks) == list(corpus.chunks) == stored
        assert {len(each) for each in corpus.chunks.batches()} <= {size, len(stored) % size}


def test_the_graph_is_the_same_whatever_the_size_of_batches(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = canonical(graph)
    monkeypatch.setattr(derivation, "_BATCH_CHUNKS", 2)
    graph.relink()
    assert canonical(graph) == before
