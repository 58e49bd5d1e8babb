"""The channel `concept`: what it finds beside the channel `entity`, and how far it goes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sage_ld.foundation.channels import Hubs
from sage_ld.foundation.model import PathStep
from sage_ld.foundation.recipes import Ranking
from sage_ld.graph import KnowledgeGraph
from sage_ld.lab.rankings.channel_edges import edge_matrices
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.channels.expansion import expand

TEXTS = {
    "jury": "The jury of the Osmere Film-Festival met in June.",
    "opening": "Ruth Calloway opened the Osmere Film Festival.",
    "ferry": "The ferry to Hask leaves at nine.",
}


@pytest.fixture
def festivals(tmp_path: Path) -> KnowledgeGraph:
    (tmp_path / "recipe.toml").write_text("[concepts]\nderive = true\n", encoding="utf-8")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard", recipe=str(tmp_path / "recipe.toml"))
    for name, text in TEXTS.items():
        graph.add(text, identifier=name)
    return graph


def hops(graph: KnowledgeGraph, channel: str, hub: int = 20) -> list[PathStep]:
    snapshot = graph.snapshot()
    iris = snapshot.vectors.iris
    return expand(snapshot.store, iris, [channel], iris, Hubs(hub, 0))


def test_it_joins_chunks_that_write_a_name_in_two_ways(festivals: KnowledgeGraph) -> None:
    assert hops(festivals, "entity") == []
    there, back = hops(festivals, "concept")
    assert (there.seed, there.chunk) == (back.chunk, back.seed)
    assert there.kind == "about too"
    assert there.via == (festivals.iris.concept("Osmere Film Festival"),)
    assert there.weight == pytest.approx(0.36907, abs=1e-5)  # ln(3 / 2) / ln 3
    matrix = edge_matrices(festivals.snapshot(), ["concept"], festivals.recipe.retrieval).evidence
    assert sorted(matrix.data.tolist()) == [there.weight, back.weight]


def test_a_concept_of_many_chunks_is_a_hub(festivals: KnowledgeGraph) -> None:
    assert len(hops(festivals, "concept", hub=2)) == 2
    assert hops(festivals, "concept", hub=1) == []


@pytest.mark.parametrize("ranking", [Ranking.LEARNED, Ranking.SHARED, Ranking.PAGERANK])
def test_a_path_shows_the_concept(festivals: KnowledgeGraph, ranking: Ranking) -> None:
    given = festivals.recipe.retrieval
    assert "concept" not in given.channels
    retriever = Retriever(festivals, replace(given, ranking=ranking, pool=1, channels=("concept",)))
    answer = retriever.retrieve("Which jury met?", 2, 1)
    assert festivals.iris.concept("Osmere Film Festival") in {
        node for result in answer.results for step in result.path for node in step.via
    }
