"""The ranking `ensemble`: other rankings fused by their ranks or scores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.recipes import Fusion, Ranking, Retrieval, adjusted, parse_recipe, write_recipe
from sage_ld.graph import KnowledgeGraph
from sage_ld.lab.rankings import bfs, ensemble, sagedb
from sage_ld.lab.rankings.ensemble import by_ranks, by_scores
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.results import answer_jsonld
from sage_ld.retrieval.rankings.method import Inquiry, Order
from sage_ld.retrieval.rankings.table import RANKINGS
from sage_ld.retrieval.scoring import section_tree

QUESTION = "Who directed Night Bus to Hask, which won the Golden Heron?"


def test_ranks_and_scores_are_fused_by_their_weights() -> None:
    """Two members, the second at three times the weight; the third chunk is only in its list."""
    places = np.array([[0, 1, -1], [1, 2, 0]])
    scores = np.array([[1.0, 0.5, 0.0], [0.4, 0.0, 1.0]])
    weights = np.array([1.0, 3.0])
    first, second, third = 1 / 61 + 3 / 62, 1 / 62 + 3 / 63, 3 / 61
    expected = [61 * each / 4 for each in (first, second, third)]
    assert by_ranks(places, scores, weights, 60).tolist() == pytest.approx(expected)
    assert by_scores(places, scores, weights, 60).tolist() == pytest.approx([2.2 / 4, 0.5 / 4, 3 / 4])


@pytest.mark.parametrize("fusion", Fusion)
def test_an_ensemble_of_one_is_that_ranking(graph: KnowledgeGraph, fusion: Fusion) -> None:
    alone = replace(graph.recipe.retrieval, ranking=Ranking.SAGEDB)
    fused = replace(alone, ranking=Ranking.ENSEMBLE, members={"sagedb": 0.5}, member_fusion=fusion)
    one, other = (Retriever(graph, each).retrieve(QUESTION, 9, 6).results for each in (alone, fused))
    assert [(each.view, each.role, each.path) for each in one] == [
        (each.view, each.role, each.path) for each in other
    ]
    assert other[0].score == 1.0


@pytest.mark.parametrize(("name", "expected"), [("shared", (50, 50)), ("bfs", (3, 97))])
def test_a_member_with_fixed_shares_gives_as_many_seeds_as_neighbours(
    graph: KnowledgeGraph, name: str, expected: tuple[int, int]
) -> None:
    asked = []

    def note(_inquiry: Inquiry, k: int, neighbours: int) -> Order:
        asked.append((k, neighbours))
        return Order([])

    given = replace(graph.recipe.retrieval, ranking=Ranking.ENSEMBLE, members={name: 1.0})
    inquiry = Retriever(graph, given).inquiry(graph.snapshot(), QUESTION)
    ensemble.order({Ranking(name): replace(RANKINGS[Ranking(name)], order=note)}, inquiry, 3, 6)
    assert asked == [expected]


def test_a_result_is_told_by_the_member_that_ranks_it_highest(graph: KnowledgeGraph) -> None:
    members = {"bfs": 1.0, "sections": 2.0}
    given = replace(graph.recipe.retrieval, ranking=Ranking.ENSEMBLE, members=members)
    answers = {
        name: Retriever(graph, replace(given, ranking=Ranking(name))).retrieve(QUESTION, 100, 97).results
        for name in members
    }
    ranks = {name: {each.view.iri: each for each in results} for name, results in answers.items()}
    answer = Retriever(graph, given).retrieve(QUESTION, 9, 6)
    for each in answer.results:
        first, second = (ranks[name][each.view.iri] for name in members)
        expected = 61 / 3 * (1 / (60 + first.rank) + 2 / (60 + second.rank))
        assert each.score == pytest.approx(expected)
        assert each.path == (first if first.rank <= second.rank else second).path
        assert each.parts["section"] == second.parts["section"]
    said = answer_jsonld(answer)["wasGeneratedBy"]
    assert (said["ensembleMembers"], said["memberFusion"]) == ("bfs=1, sections=2", "rrf")
    assert (said["neighbourWeight"], said["coverageShare"], said["rrfConstant"]) == (0.5, 0.5, 60)
    assert "rankingModel" not in said


def test_scores_are_made_once_and_paths_for_what_is_answered(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three members that all blend the scores of sections, of which two make paths."""
    scored: Counter[str] = Counter()
    reached: list[int] = []

    def counted(name: str, make: Callable[..., Any]) -> None:
        def call(*arguments: Any) -> Any:
            scored[name] += 1
            return make(*arguments)

        monkeypatch.setattr(f"sage_ld.retrieval.{name}", call)

    def noted(make: Callable[..., Any]) -> Callable[..., Any]:
        def call(inquiry: Inquiry, found: Any, iris: Sequence[str]) -> Any:
            reached.append(len(iris))
            return make(inquiry, found, iris)

        return call

    counted("scoring.section_tree.scores_of_sections", section_tree.scores_of_sections)
    for module in (bfs, sagedb):
        monkeypatch.setattr(module, "_paths", noted(module._paths))
    members = {"bfs": 1.0, "sections": 0.5, "sagedb": 1.0}
    given = replace(graph.recipe.retrieval, ranking=Ranking.ENSEMBLE, members=members, section_weight=0.3)
    answer = Retriever(graph, given).retrieve(QUESTION, 4, 2)
    assert any(each.path for each in answer.results)
    assert scored == {"scoring.section_tree.scores_of_sections": 1}
    assert 0 < sum(reached) <= 4


def test_an_answer_names_the_model_of_a_learned_member(graph: KnowledgeGraph) -> None:
    given = replace(graph.recipe.retrieval, ranking=Ranking.ENSEMBLE)
    assert answer_jsonld(Retriever(graph, given).retrieve(QUESTION))["wasGeneratedBy"]["rankingModel"]


def test_members_are_a_part_of_the_recipe() -> None:
    recipe = parse_recipe('[retrieval]\nranking = "ensemble"\nmembers = { learned = 1, bfs = 0.5 }')
    assert recipe.retrieval.members == {"learned": 1.0, "bfs": 0.5}
    assert parse_recipe(write_recipe(recipe), "custom") == recipe


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, "members is empty; name one or more of learned"),
        ({"ensemble": 1}, "members: 'ensemble' is not a member of an ensemble; choose from learned"),
        ({"magic": 1}, "members: 'magic' is not a member of an ensemble"),
        ({"bfs": 0}, r"members\.bfs: 0 is not a weight; give a number above 0"),
        ({"bfs": float("nan")}, r"members\.bfs: nan is not a weight"),
        ({"bfs": True}, r"members\.bfs: True is not a weight"),
        (["bfs"], "members: .* is of the wrong type"),
    ],
)
def test_a_member_that_cannot_be_is_named(graph: KnowledgeGraph, members: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        adjusted(graph.recipe.retrieval, {"members": members})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"members": {"bfs": 1.0}}, "members: the ranking learned takes no members"),
        ({"ranking": "ensemble", "members": {"bfs": 0.0001}}, "members.bfs: 0.0001 is outside 0.001..100"),
        ({"ranking": "ensemble", "members": {"bfs": 1e300}}, "members.bfs: 1e+300 is outside"),
    ],
)
def test_members_that_no_ranking_can_take_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        adjusted(Retrieval(), changes)
