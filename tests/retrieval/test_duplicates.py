"""Near-duplicates: which texts are told as equal, who moves up, and that nothing changes unasked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from graph.corpus import built, write_files
from hypothesis import given
from hypothesis import strategies as st
from service.web import client_of

from sage_ld.foundation.question import Answer
from sage_ld.foundation.recipes import Ranking
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.indexes.vectors import dot
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.results import retrieval_node
from sage_ld.retrieval.chunks import duplicates
from sage_ld.retrieval.chunks.duplicates import distinct, normalised
from sage_ld.retrieval.rankings import table

QUESTION = "When does the ferry to Hask leave?"
NOTICE = "The ferry to Hask leaves at nine, and the ferry to Sennet at ten."
FILES = {
    **{f"copy-{number}.txt": NOTICE for number in range(6)},
    "spaced.txt": NOTICE.upper().replace(" ", "  "),
    "close.txt": NOTICE + " Bicycles travel free.",
    "town.txt": "Hask is a town on the river Lirr. A ferry crosses the river.",
    "pier.txt": "The pier of Hask was built of oak. It is long.",
    "cook.txt": "A recipe for bread asks for flour, water, salt and time.",
}


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("duplicates")
    return built(folder / "graph", write_files(folder / "corpus", FILES))


def names(answer: Answer) -> list[str]:
    return [each.view.identifier for each in answer.results]


def ask(graph: KnowledgeGraph, **changes: object) -> Answer:
    retrieval = replace(graph.recipe.retrieval, **changes)  # type: ignore[arg-type]
    return Retriever(graph, retrieval).retrieve(QUESTION, 4, 2)


def test_texts_are_equal_but_for_case_space_and_forms() -> None:
    assert normalised("A\u00a0 ﬁsh\n") == normalised("a FISH")
    assert normalised("a fish") != normalised("a dish")


@given(st.lists(st.integers(0, 5), max_size=12), st.integers(1, 12))
def test_the_first_of_equal_vectors_stays(kinds: list[int], most: int) -> None:
    vectors = np.eye(6, dtype=np.float32)[kinds].reshape(-1, 6)
    texts = [f"text {place}" for place in range(len(kinds))]
    expected = [place for place, kind in enumerate(kinds) if kind not in kinds[:place]]
    assert distinct(texts, vectors, dot, 0.95, most) == expected[:most]
    assert distinct(texts, vectors, dot, 1.1, most) == list(range(len(kinds)))[:most]


@pytest.mark.parametrize("ranking", [Ranking.LEARNED, Ranking.SAGEDB])
def test_the_next_candidates_move_up(copies: KnowledgeGraph, ranking: Ranking) -> None:
    plain = ask(copies, ranking=ranking)
    assert len({each.view.text for each in plain.results}) < 4
    found = ask(copies, ranking=ranking, deduplicate=True)
    assert len({normalised(each.view.text) for each in found.results}) == len(found.results) == 4
    assert found.results[0] == plain.results[0]
    assert [each.rank for each in found.results] == [1, 2, 3, 4]
    strict = ask(copies, ranking=ranking, deduplicate=True, duplicate_threshold=0.6)
    assert "close.txt" in names(found)
    assert "close.txt" not in names(strict)


def test_where_shares_are_fixed_neighbours_take_the_places_of_seeds(copies: KnowledgeGraph) -> None:
    found = ask(copies, ranking=Ranking.SHARED, deduplicate=True).results
    assert len({normalised(each.view.text) for each in found}) == len(found) > 1
    assert [str(each.role) for each in found] == ["seed", *["neighbour"] * (len(found) - 1)]


def test_pages_of_an_answer_fit_together(copies: KnowledgeGraph) -> None:
    ranked = Retriever(copies, replace(copies.recipe.retrieval, deduplicate=True))
    pages = [ranked.retrieve(QUESTION, 2, 1, offset=offset) for offset in (0, 2, 4)]
    whole = ranked.retrieve(QUESTION, 6, 5)
    assert [name for page in pages for name in names(page)] == names(whole)


def test_nothing_is_read_where_it_is_not_asked_for(
    copies: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "distinct_ranked", None)
    monkeypatch.setattr(duplicates, "select", None)
    answer = ask(copies)
    assert "deduplicate" not in retrieval_node(answer)


def test_over_http(copies: KnowledgeGraph) -> None:
    with client_of(Path(copies.directory.path)) as client:
        asked = {"q": QUESTION, "k": 4, "from_graph": 2, "deduplicate": True}
        answer = client.post("/v1/retrieve", json=asked).get_json(force=True)
        assert [each["item"]["id"] for each in answer["itemListElement"]] == [
            each.view.iri for each in ask(copies, deduplicate=True).results
        ]
        said = answer["wasGeneratedBy"]
        assert (said["deduplicate"], said["duplicateThreshold"]) == (True, 0.95)
        again = client.get(f"/v1/retrieve?q={QUESTION}&k=4&from_graph=2&deduplicate=true")
        assert again.get_json(force=True) == answer
        wrong = {**asked, "deduplicate": "yes"}
        assert client.post("/v1/retrieve", json=wrong).status_code == 400
