"""How hard a question is: the features of a subgraph, the points, and what an analysis says of a question."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from graph.corpus import PRIZES, write_files

from sage_ld.foundation.errors import InputError
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.questions import question_analysis
from sage_ld.retrieval.questions.difficulty import (
    DIMENSIONS,
    Difficulty,
    DifficultyModel,
    Dimension,
    SubgraphFeatures,
    adjacency,
    default_model,
    effective_documents,
    points,
    rivals,
    subgraph_features,
)


def test_features_are_those_of_the_subgraph() -> None:
    """Entities 0, 1 and 2; chunks 3 to 6: 0–3–1, 1–4–5, 2–6; the chunks are of three documents."""
    edges = adjacency(np.array([[0, 3], [3, 1], [1, 4], [4, 5], [5, 4], [2, 6]]), 7)
    assert subgraph_features(edges, np.array([0, 1, 2]), np.array([8, 8, 9, 7])) == SubgraphFeatures(
        query_node_count=3,
        max_path_length=2,
        mean_path_length=2.0,
        component_count=2,
        mean_degree=10 / 7,
        max_degree=2,
        subgraph_node_count=7,
        subgraph_edge_count=5,
        doc_count=3,
    )
    further = subgraph_features(edges, np.array([0, 1, 5]), np.array([8]))
    assert (further.max_path_length, further.mean_path_length) == (4, pytest.approx((2 + 4 + 2) / 3))


def test_a_subgraph_of_nothing_has_no_features() -> None:
    none = np.zeros(0, np.int64)
    found = subgraph_features(adjacency(none.reshape(-1, 2), 0), none, none)
    assert found == SubgraphFeatures(0, 0, 0.0, 0, 0.0, 0, 0, 0, 0)


def test_rivals_and_the_spread_of_scores() -> None:
    """Of weights 2 : 1 : 1, the last two of one document, both documents have half: e^(ln 2) = 2."""
    scores = np.array([0.9, 0.9 - np.log(2) / 10, 0.9 - np.log(2) / 10])
    assert effective_documents(scores, np.array([3, 5, 5])) == pytest.approx(2.0)
    assert effective_documents(scores, np.array([3, 3, 3])) == pytest.approx(1.0)
    assert effective_documents(np.zeros(0), np.zeros(0, np.int64)) == 0.0
    assert [
        rivals(scores, 0.7),
        rivals(scores, 0.99),
        rivals(np.zeros(4), 0.7),
        rivals(np.zeros(0), 0.7),
    ] == [3, 1, 0, 0]


def test_cuts_make_points_and_points_a_class() -> None:
    assert points([0.5, 1.0, 1.5, 2.0], (1.0, 2.0)).tolist() == [0, 1, 1, 2]
    assert points([0.5, 1.0, 1.5, 2.0], (1.5, 0.5)).tolist() == [2, 1, 1, 0]
    model = DifficultyModel(
        {"multihop": Dimension("max_path_length", (3, 5)), "branching": Dimension("mean_degree", (2.0, 1.0))},
        (1, 3),
    )
    assert model.points({"max_path_length": 4, "mean_degree": 0.5}) == {"multihop": 1, "branching": 2}
    assert [model.difficulty(total) for total in range(5)] == [
        *(Difficulty.EASY, Difficulty.MEDIUM, Difficulty.MEDIUM, Difficulty.HARD, Difficulty.HARD)
    ]
    assert DifficultyModel.from_json(model.to_json()) == model
    assert tuple(default_model().dimensions) == DIMENSIONS


def test_an_analysis_says_what_a_question_names(prizes: KnowledgeGraph) -> None:
    found = Retriever(prizes).analyse("Did Mira Tolland win the Golden Heron?")
    assert {each.label for each in found.nodes} == {"Mira Tolland", "Golden Heron"}
    assert [each.chunks for each in found.nodes] == [2, 2]
    assert (found.features["query_node_count"], found.features["max_path_length"]) == (2, 2)
    assert found.features["subgraph_node_count"] == 2 + len(prizes.snapshot().vectors.iris)
    assert found.total == sum(found.points.values())
    assert found.difficulty is default_model().difficulty(found.total)


def test_a_question_that_names_nothing_starts_from_the_flat_ranking(prizes: KnowledgeGraph) -> None:
    found = Retriever(prizes).analyse("What is made of it?")
    assert found.nodes == ()
    assert found.features["query_node_count"] == len(prizes.snapshot().vectors.iris)


def test_of_many_chunks_those_with_the_highest_scores_are_in_the_subgraph(
    prizes: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_analysis, "MOST_CHUNKS", 1)
    monkeypatch.setattr(question_analysis, "FLAT", 0)
    inquiry = Retriever(prizes).inquiry(prizes.snapshot(), "Did Mira Tolland win the Golden Heron?")
    touched = question_analysis.TouchedSubgraph.of(inquiry)
    mentioning = np.unique(touched.named.rows)
    assert len(mentioning) > 1
    assert touched.rows.tolist() == [mentioning[inquiry.question().hybrid[mentioning].argmax()]]


def test_a_question_of_which_no_text_has_a_word_is_hard(prizes: KnowledgeGraph) -> None:
    found = Retriever(prizes).analyse("Zyx qwv?")
    assert found.difficulty is Difficulty.HARD
    assert found.difficulty is not default_model().difficulty(found.total)


def test_an_empty_question_is_refused(prizes: KnowledgeGraph) -> None:
    with pytest.raises(InputError, match="the question is empty"):
        Retriever(prizes).analyse(" ")


def test_a_graph_whose_documents_were_deleted_can_be_asked(tmp_path: Path) -> None:
    with closing(KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")) as made:
        made.ingest([write_files(tmp_path / "corpus", {"rope.md": PRIZES["rope.md"]})])
        made.delete(["rope.md"])
        found = Retriever(made).analyse("What is a rope?")
    assert found.features["subgraph_node_count"] == 0
