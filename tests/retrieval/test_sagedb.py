"""SageDB's scores against its own worked examples, and its rankings against its procedure done by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import exp
from pathlib import Path

import numpy as np
import pytest
from graph.corpus import write_files
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from sage_ld.foundation.model import Role
from sage_ld.foundation.question import Filter, Mode
from sage_ld.foundation.recipes import Centrality, Ranking, Retrieval
from sage_ld.graph import KnowledgeGraph
from sage_ld.lab.rankings.channel_edges import edge_matrices
from sage_ld.lab.rankings.pagerank import global_rank
from sage_ld.lab.rankings.sagedb import (
    connectivity,
    degree_centrality,
    nearness,
    relationship,
    weighted,
)
from sage_ld.lab.rankings.trails import trails
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.results import answer_context, answer_jsonld, retrieval_node

QUESTION = "Who wrote the music of the film that won the Golden Heron in 1987?"
RANKINGS = (Ranking.SAGEDB, Ranking.SAGEDB_GRAPH, Ranking.SAGEDB_LEGACY, Ranking.SAGEDB_VECTOR)


def test_the_worked_example_of_connectivity() -> None:
    """Activation Functions: 1.0 from Deep Learning, 1.1 from Backpropagation, 1.05 from CNNs; 0.35."""
    one = np.zeros(3, np.int64)
    alike = connectivity(one, np.array([1.0, 1.1, 1.05]), np.ones(3), 1)
    assert alike[0] == pytest.approx(0.35, abs=0.005)
    nearer = connectivity(one, np.array([1.0, 1.1, 1.05]), np.array([0.9, 0.1, 0.0]), 1)
    assert nearer[0] == pytest.approx(exp(-(0.9 * 1.0 + 0.1 * 1.1)))
    assert connectivity(one[:2], np.array([1.0, 3.0]), np.zeros(2), 2).tolist() == [exp(-2.0), 0.0]


def test_the_worked_example_of_centrality() -> None:
    """Degrees 23 (15 in, 8 out), 5 (3 in, 2 out) and 3 (2 in, 1 out) of 23: 1.0, 0.22, 0.13."""
    edges = [(each, 0) for each in range(3, 18)] + [(0, each) for each in range(3, 11)]
    edges += [(3, 1), (4, 1), (5, 1), (1, 6), (1, 7), (3, 2), (4, 2), (2, 5)]
    source, target = np.array(edges).T
    matrix = csr_matrix((np.ones(len(edges)), (source, target)), shape=(18, 18))
    assert degree_centrality(matrix)[:3] == pytest.approx([23 / 23, 5 / 23, 3 / 23])


def test_the_worked_example_of_fusion() -> None:
    """The table of its five nodes, with alpha 0.7 and beta 0.3."""
    vector = np.array([1.00, 0.94, 0.74, 0.81, 0.69])
    graph = np.array([0.65, 0.55, 0.57, 0.55, 0.39])
    final = [0.90, 0.82, 0.69, 0.73, 0.60]
    assert weighted(vector, graph, 0.7, 0.3) == pytest.approx(final, abs=0.0051)
    assert weighted(vector, graph, 1.4, 0.6) == pytest.approx(final, abs=0.0051)
    assert weighted(vector, graph, 0.0, 0.0).tolist() == [0.0] * 5


def test_the_strongest_direct_edge_counts_in_either_direction() -> None:
    edges = csr_matrix(np.array([[0, 0.5, 0, 0], [0, 0, 0, 0], [0.9, 0.3, 0, 0], [0, 0, 0, 0]]))
    candidates = np.array([0, 1, 2, 3])
    assert relationship(edges, candidates, np.array([0])).tolist() == [0.0, 0.5, 0.9, 0.0]
    assert relationship(edges, candidates, np.array([0, 1])).tolist() == [0.5, 0.5, 0.9, 0.0]


def test_nearness_is_that_of_the_nearest() -> None:
    found = nearness(np.array([1, 1]), np.array([2.0, 1.5]), 2)
    assert found.tolist() == [0.0, exp(-1.5)]


@given(arrays(np.float64, (7, 7), elements=st.sampled_from([0.0, 0.0, 0.0, 0.25, 0.5, 1.0])))
def test_with_depth_enough_the_trails_are_shortest_paths(weights: np.ndarray) -> None:
    np.fill_diagonal(weights, 0.0)
    found = trails(csr_matrix(weights), np.array([2, 5]), 6)
    costs = np.divide(1.0, weights, out=np.zeros_like(weights), where=weights > 0)
    exact = dijkstra(csr_matrix(costs), indices=[2, 5])
    lengths = np.full((2, 7), np.inf)
    best = found.shortest
    lengths[found.seed[best], found.row[best]] = found.distance[best]
    np.testing.assert_allclose(lengths, exact)
    for number in best.tolist():
        way = found.rows_of(number)
        assert way[0] == (2, 5)[found.seed[number]]
        assert way[-1] == found.row[number]
        length = sum(1 / weights[a, b] for a, b in pairwise(way))
        assert length == pytest.approx(found.distance[number])


def test_trails_have_no_more_edges_than_their_depth_and_go_over_what_is_allowed() -> None:
    """A strong way of three edges, and a weak one of one."""
    edges = csr_matrix(np.array([[0, 1, 0, 0.1], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]))
    start = np.array([0])

    def to_the_last(depth: int, allowed: np.ndarray | None = None) -> tuple[float, list[int]]:
        found = trails(edges, start, depth, allowed)
        (number,) = found.shortest[found.row[found.shortest] == 3]
        return float(found.distance[number]), found.rows_of(number)

    assert to_the_last(1) == to_the_last(2) == (10.0, [0, 3])
    assert to_the_last(3) == (3.0, [0, 1, 2, 3])
    assert to_the_last(3, np.array([True, True, False, True])) == (10.0, [0, 3])


def test_a_step_looks_at_no_more_edges_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearer of two nodes is prolonged, which has fewer edges; the other one would be too many."""
    weights = np.zeros((12, 12))
    weights[0, 1], weights[0, 2], weights[1, 3], weights[2, 4:] = 0.9, 0.5, 0.5, 1.0
    edges, start = csr_matrix(weights), np.array([0])
    assert set(trails(edges, start, 2).row.tolist()) == set(range(12))
    monkeypatch.setattr("sage_ld.lab.rankings.trails.MOST_EDGES", 5)
    assert set(trails(edges, start, 2).row.tolist()) == {0, 1, 2, 3}


def test_the_score_of_each_result_is_made_of_its_parts(graph: KnowledgeGraph) -> None:
    """By the formula; and the candidates are the seeds and what two edges lead to."""
    parameters = replace(
        graph.recipe.retrieval, ranking=Ranking.SAGEDB, vector_seeds=3, expanded_seeds=2, expansion_depth=2
    )
    answer = Retriever(graph, parameters).retrieve(QUESTION, 32, 30)
    snapshot = graph.snapshot()
    matrices = edge_matrices(snapshot, parameters.channels, parameters)
    vector = [each.view.iri for each in Retriever(graph).retrieve(QUESTION, 3, 0, mode=Mode.DENSE).results]
    rows = snapshot.vectors.rows
    reached = trails(matrices.evidence, rows(vector[:2]), 2).row
    assert set(rows([each.view.iri for each in answer.results]).tolist()) == {
        *rows(vector).tolist(),
        *reached.tolist(),
    }
    importance = global_rank(snapshot, parameters.channels, parameters)
    for each in answer.results:
        part = each.parts
        graph_score = 0.5 * part["connectivity"] + 0.3 * part["centrality"] + 0.2 * part["relationship"]
        assert part["graph"] == pytest.approx(graph_score, abs=1e-5)
        assert each.score == pytest.approx(0.7 * part["vector"] + 0.3 * part["graph"], abs=1e-5)
        assert part["centrality"] == pytest.approx(importance[int(rows([each.view.iri])[0])], abs=1e-5)
        assert (each.role is Role.NEIGHBOUR) == bool(each.path)
        assert len(each.path) <= 2
    assert {each.role for each in answer.results} == {Role.SEED, Role.NEIGHBOUR}
    assert answer.results[0].parts["vector"] <= 1.0


def test_by_the_graph_alone_the_cosine_does_not_count(graph: KnowledgeGraph) -> None:
    both = replace(graph.recipe.retrieval, ranking=Ranking.SAGEDB, vector_weight=0.0, expanded_seeds=2)
    alone = replace(both, ranking=Ranking.SAGEDB_GRAPH)
    lists = [Retriever(graph, each).retrieve(QUESTION, 10, 8).results for each in (both, alone)]
    assert [each.view.iri for each in lists[0]] == [each.view.iri for each in lists[1]]
    assert lists[1][0].score == pytest.approx(lists[1][0].parts["graph"], abs=1e-5)


def test_legacy_only_reorders_the_vector_seeds(graph: KnowledgeGraph) -> None:
    parameters = replace(graph.recipe.retrieval, ranking=Ranking.SAGEDB_LEGACY, vector_seeds=4)
    legacy = Retriever(graph, parameters).retrieve(QUESTION, 22, 20).results
    vector = Retriever(graph).retrieve(QUESTION, 4, 0, mode=Mode.DENSE).results
    assert {each.view.iri for each in legacy} == {each.view.iri for each in vector}
    for each in legacy:
        part = each.parts
        assert part["graph"] == pytest.approx(0.7 * part["connectivity"] + 0.3 * part["centrality"], abs=1e-5)
        assert part["connectivity"] < 1  # its own place is no other seed


def test_vector_is_the_mode_dense(graph: KnowledgeGraph) -> None:
    parameters = replace(graph.recipe.retrieval, ranking=Ranking.SAGEDB_VECTOR)
    ranked = Retriever(graph, parameters).retrieve(QUESTION, 6, 3).results
    assert ranked == Retriever(graph).retrieve(QUESTION, 6, 3, mode=Mode.DENSE).results


@pytest.mark.parametrize("centrality", Centrality)
def test_every_centrality_is_at_most_one_and_the_best_has_it(
    graph: KnowledgeGraph, centrality: Centrality
) -> None:
    parameters = replace(graph.recipe.retrieval, ranking=Ranking.SAGEDB, centrality=centrality)
    results = Retriever(graph, parameters).retrieve(QUESTION, 100, 95).results
    assert max(each.parts["centrality"] for each in results) == pytest.approx(1.0)
    assert all(0 <= each.parts["centrality"] <= 1 for each in results)


@pytest.mark.parametrize("centrality", Centrality)
def test_the_importance_is_that_of_the_relations_followed(tmp_path: Path, centrality: Centrality) -> None:
    """In whichever order they are asked for."""
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    made.ingest([write_files(tmp_path / "corpus", {f"{name}.txt": f"The {name} of it." for name in "abcd"})])
    for source, relation in (("a.txt", "part_of"), ("c.txt", "uses"), ("d.txt", "uses")):
        made.edges.add(source, relation, "b.txt", weight=0.9)
    given = replace(made.recipe.retrieval, ranking=Ranking.SAGEDB, centrality=centrality)

    def importance(relations: list[str] | None) -> dict[str, float]:
        results = (
            Retriever(made, given)
            .retrieve("The a of it", 10, 9, channels=["relation"], relations=relations)
            .results
        )
        return {each.view.identifier: each.parts["centrality"] for each in results}

    whole, part = importance(None), importance(["part_of"])
    made.close()
    assert (importance(["part_of"]), importance(None)) == (part, whole)
    assert part["a.txt"] > part["c.txt"]
    assert whole != part


@pytest.mark.parametrize("ranking", RANKINGS)
def test_a_filter_holds_for_candidates_and_what_lies_between(graph: KnowledgeGraph, ranking: Ranking) -> None:
    parameters = replace(graph.recipe.retrieval, ranking=ranking, vector_seeds=3)
    only = Filter(kinds=("text",))
    results = Retriever(graph, parameters).retrieve(QUESTION, 22, 20, only=only).results
    assert results
    assert {str(each.view.kind) for each in results} == {"text"}
    shown = {each.view.iri for each in results}
    assert {step.seed for each in results for step in each.path} <= shown


def test_a_share_of_the_global_rank_moves_what_is_important_up(graph: KnowledgeGraph) -> None:
    parameters = replace(graph.recipe.retrieval, ranking=Ranking.PAGERANK)
    importance = global_rank(graph.snapshot(), parameters.channels, parameters)
    assert importance.max() == pytest.approx(1.0)

    def mean(share: float) -> float:
        retriever = Retriever(graph, replace(parameters, global_share=share))
        iris = [each.view.iri for each in retriever.retrieve(QUESTION, 5, 3).results]
        return float(importance[graph.snapshot().vectors.rows(iris)].mean())

    assert mean(1.0) > mean(0.5) >= mean(0.0)


def test_an_answer_names_the_numbers_of_its_ranking_and_no_others(graph: KnowledgeGraph) -> None:
    def said(**changes: object) -> dict[str, object]:
        retriever = Retriever(graph, replace(graph.recipe.retrieval, **changes))  # type: ignore[arg-type]
        return retrieval_node(retriever.retrieve(QUESTION, 2, 1))

    hybrid = said(ranking=Ranking.SAGEDB)
    assert (hybrid["vectorSeeds"], hybrid["vectorWeight"], hybrid["centrality"]) == (50, 0.7, "pagerank")
    assert "legacyConnectivity" in said(ranking=Ranking.SAGEDB_LEGACY)
    default = said()
    assert not default.keys() & {"vectorSeeds", "centrality", "globalShare", "walkShare"}
    assert "globalShare" not in said(ranking=Ranking.PAGERANK)
    assert said(ranking=Ranking.PAGERANK, global_share=0.5)["globalShare"] == 0.5


def test_the_context_has_the_terms_of_options_only_where_they_are_used(graph: KnowledgeGraph) -> None:
    plain = answer_jsonld(Retriever(graph).retrieve(QUESTION, 2, 1))
    assert plain["@context"] == answer_context()
    assert "vectorSeeds" not in answer_context()
    parameters = replace(graph.recipe.retrieval, ranking=Ranking.SAGEDB)
    wide = answer_jsonld(Retriever(graph, parameters).retrieve(QUESTION, 2, 1))["@context"]
    assert isinstance(wide, dict)
    assert {"vectorSeeds", "connectivityScore"} <= wide.keys()


def test_the_defaults_are_those_of_sagedb() -> None:
    given = Retrieval()
    assert (given.vector_seeds, given.expanded_seeds, given.expansion_depth) == (50, 20, 2)
    assert (given.connectivity_weight, given.centrality_weight, given.relationship_weight) == (0.5, 0.3, 0.2)
    assert (given.vector_weight, given.graph_weight, given.centrality_damping) == (0.7, 0.3, 0.85)
