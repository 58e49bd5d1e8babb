"""Decomposition: which questions are split, how the parts' rankings are fused, and when it is not done."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.foundation.question import Mode
from sage_ld.foundation.recipes import Ranking
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.results import retrieval_node
from sage_ld.retrieval.questions.decomposition import MOST_PARTS, fused, parts
from sage_ld.retrieval.rankings.method import Ranked

TWO = "Who wrote the music of Night Bus to Hask? Which film won the Golden Heron in 1988?"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Mira Tolland vs. Nils Garrow", ["Mira Tolland", "Nils Garrow"]),
        ("Compare rafts versus ferries!", ["rafts", "ferries"]),
        ("compare the town of Hask with Sennet", ["the town of Hask", "Sennet"]),
        ("What is the difference between rock and roll and jazz?", ["rock", "roll and jazz"]),
        ("Similarities between a pier and a quay", ["a pier", "a quay"]),
        ("Who was she? And where did she live?", ["Who was she?", "And where did she live?"]),
    ],
)
def test_what_is_split(question: str, expected: list[str]) -> None:
    assert parts(question, "en") == tuple(expected)
    assert parts(question, "en-GB") == tuple(expected)
    assert parts(question, "de") == parts(question, None) == (question,)


@pytest.mark.parametrize(
    "question",
    [
        "Which wars were fought between 1900 and 1910?",
        "What is the difference between rafts?",
        "vs Hask",
        "Hask vs",
        "A vs B vs C",
        "compare Hask",
        "compare and contrast",
        "between",
        "Who was she?",
        "???",
        "Who was it? Who is it? Who has it? Who had it? Who did it?",
        "Who directed the film Who Is This That I Love? from Hask",
        "Who composed Herova? Zerova? got?",
        "Who was the runner-up of Rachael vs . Guy",
        "",
    ],
)
def test_what_stays_whole(question: str) -> None:
    assert parts(question, "en") == (question,)


@given(st.lists(st.sampled_from(["vs", "compare", "between", "and", "?", "difference", "x", ".", ","])))
def test_no_part_is_empty_and_there_are_few(words: list[str]) -> None:
    question = " ".join(words)
    found = parts(question, "en")
    assert 1 <= len(found) <= MOST_PARTS
    assert found == (question,) or all(each.strip(" ?.,;!") for each in found)


def test_ranks_are_fused_by_hand() -> None:
    """a: 1/61 + 1/62; b: 1/61; c: 1/62; over 2/61."""
    a, b, c = (Ranked(f"x:{name}", 0.5, {"bm25": 1.0}) for name in "abc")
    found = fused([[a, c], [b, a]], 60)
    assert [each.iri for each in found] == ["x:a", "x:b", "x:c"]
    assert [each.score for each in found] == pytest.approx([(1 + 61 / 62) / 2, 0.5, 61 / 62 / 2])
    assert fused([[a], [replace(a, score=0.9)]], 60) == [replace(a, score=1.0)]


@pytest.mark.parametrize("ranking", [Ranking.LEARNED, Ranking.SAGEDB])
def test_each_part_is_asked_and_both_are_answered(graph: KnowledgeGraph, ranking: Ranking) -> None:
    def first(question: str, **changes: object) -> list[str]:
        given = replace(graph.recipe.retrieval, ranking=ranking, **changes)  # type: ignore[arg-type]
        results = Retriever(graph, given).retrieve(question, 4, 3, question_language="en").results
        assert [each.score for each in results] == sorted((each.score for each in results), reverse=True)
        return [each.view.iri for each in results]

    both = first(TWO, decompose=True)
    for part in parts(TWO, "en"):
        assert first(part)[0] in both
    whole = "Who wrote the music of the film that won the Golden Heron in 1987?"
    assert first(whole, decompose=True) == first(whole)


def test_pages_fit_together_and_flat_modes_are_decomposed_too(graph: KnowledgeGraph) -> None:
    given = replace(graph.recipe.retrieval, decompose=True)

    def asked(mode: Mode, k: int, offset: int = 0) -> list[str]:
        answer = Retriever(graph, given).retrieve(TWO, k, 0, mode=mode, offset=offset, question_language="en")
        assert retrieval_node(answer)["decompose"] is True
        return [each.view.iri for each in answer.results]

    for mode in (Mode.BM25, Mode.HYBRID, Mode.SAGE):
        assert asked(mode, 2) + asked(mode, 2, 2) == asked(mode, 4)
    assert Retriever(graph).retrieve(TWO, 2, 0, mode=Mode.BM25).results[0].score > 1
