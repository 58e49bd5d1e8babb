"""The walk against its closed form, what it starts from, and the paths that it shows."""

from __future__ import annotations

import gc
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix

from sage_ld.foundation.channels import CHANNEL_NAMES
from sage_ld.foundation.model import Role
from sage_ld.foundation.recipes import Ranking
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.lab.rankings.channel_edges import edge_matrices
from sage_ld.lab.rankings.pagerank import restarts, walk
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.channels.relations import MOST_FOLLOWED, FollowedRelations, kept


@given(
    arrays(np.float64, (6, 6), elements=st.sampled_from([0.0, 0.0, 0.5, 1.0])),
    st.integers(0, 5),
    st.floats(0.0, 0.9),
)
def test_the_walk_is_the_solution_of_its_equation(weights: np.ndarray, start: int, damping: float) -> None:
    sums = weights.sum(axis=1, keepdims=True)
    rows = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
    share = np.eye(6)[start]
    complete = rows + (sums == 0) * share  # from a chunk without edges the walk restarts
    exact = np.linalg.solve(np.eye(6) - damping * complete.T, (1 - damping) * share)
    found = walk(csr_matrix(rows), share, damping)
    assert found.sum() == pytest.approx(1)
    np.testing.assert_allclose(found, exact, atol=1e-4)


def test_restarts_follow_the_scores() -> None:
    hybrid = np.array([0.8, 0.4, 0.9, 0.0])
    np.testing.assert_allclose(restarts(hybrid, np.array([0, 1]), 1.0), [2 / 3, 1 / 3, 0, 0])
    np.testing.assert_allclose(restarts(hybrid, np.array([0, 1]), 0.0), [0.5, 0.5, 0, 0])
    np.testing.assert_allclose(restarts(hybrid, np.array([3]), 2.0), [0, 0, 0, 1])


@pytest.mark.parametrize("channel", CHANNEL_NAMES)
def test_the_matrix_has_the_edges_that_a_question_is_expanded_over(
    graph: KnowledgeGraph, channel: str
) -> None:
    snapshot, recipe = graph.snapshot(), graph.recipe.retrieval
    matrix = edge_matrices(snapshot, [channel], recipe).transitions
    sums = np.asarray(matrix.sum(axis=1)).ravel()
    assert set(sums.round(9).tolist()) <= {0.0, 1.0}
    given = replace(recipe, ranking=Ranking.PAGERANK, pool=1)
    answer = Retriever(graph, given).retrieve("Night Bus to Hask", 31, 30, channels=[channel])
    rows = snapshot.vectors.rows
    for result in answer.results:
        for step in result.path:
            assert step.channel == channel
            assert matrix[int(rows([step.seed])[0]), int(rows([step.chunk])[0])] > 0


def test_where_most_of_the_walk_starts_is_a_seed(graph: KnowledgeGraph) -> None:
    """And every part of the score is told: own and walk, each over its highest, make it."""
    question = "Who wrote the music of the film that won the Golden Heron in 1987?"
    for damping in (0.05, 0.9):
        given = replace(
            graph.recipe.retrieval,
            ranking=Ranking.PAGERANK,
            pool=3,
            damping=damping,
            channels=("link", "entity"),
        )
        results = Retriever(graph, given).retrieve(question, 8, 7).results
        seeds = [each for each in results if each.role is Role.SEED and "graph" in each.parts]
        assert len(seeds) == (3 if damping < 0.5 else 1)
        highest = max(each.parts["hybrid"] for each in results)
        for each in results:
            own, walked = each.parts["hybrid"] / highest, each.parts.get("graph", 0.0)
            expected = (1 - given.walk_share) * own + given.walk_share * walked
            assert each.score == pytest.approx(expected, abs=1e-5)


def test_neighbours_are_reached_over_several_edges(graph: KnowledgeGraph) -> None:
    """From the table of prizes to the film, from the film to its composer."""
    question = "Golden Heron winners Year Film Director 1987 Night Bus to Hask Nils Garrow 1988 Lamplighter"
    given = replace(graph.recipe.retrieval, ranking=Ranking.PAGERANK, pool=1)
    answer = Retriever(graph, given).retrieve(question, 21, 20)
    paths = {each.view.identifier: each.path for each in answer.results if each.role is Role.NEIGHBOUR}
    assert len(paths["films/night-bus.md"]) == 1
    assert len(paths["people/mira-tolland.md"]) > 1
    assert {path[0].seed for path in paths.values()} == {answer.results[0].view.iri}


def test_of_many_choices_of_channels_the_matrices_of_a_few_are_kept(graph: KnowledgeGraph) -> None:
    snapshot, given = graph.snapshot(), graph.recipe.retrieval
    choices = [choice for size in (1, 2) for choice in combinations(CHANNEL_NAMES, size)]
    matrices = [weakref.ref(edge_matrices(snapshot, each, given).transitions) for each in choices]
    gc.collect()
    assert len(matrices) > MOST_FOLLOWED
    assert 0 < sum(each() is not None for each in matrices) <= MOST_FOLLOWED
    assert edge_matrices(snapshot, choices[-1], given).transitions is matrices[-1]()


def test_questions_of_one_day_read_the_graph_once_and_another_day_leaves_the_last_ones(
    graph: KnowledgeGraph,
) -> None:
    days = [FollowedRelations(day=f"2024-05-{number:02}") for number in range(1, MOST_FOLLOWED + 2)]
    snapshot, calls = graph.snapshot(), list[int]()

    def make(_snapshot: Snapshot) -> list[int]:
        calls.append(1)
        time.sleep(0.05)
        return calls

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(kept, snapshot, make, "counted", days[0]) for _ in range(4)]
        assert all(each.result() is calls for each in asked)
    assert len(calls) == 1
    for day in days[1:]:
        kept(snapshot, make, "counted", day)
    count = len(calls)
    for day in days[1:]:
        kept(snapshot, make, "counted", day)
    assert len(calls) == count
