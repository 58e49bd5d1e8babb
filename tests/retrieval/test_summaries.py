"""The ranking `summaries`: chunks by their own text and by the abstracts above them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from graph.corpus import FILES, built, write_files

from sage_ld.build.encoders import load_encoder
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.recipes import Ranking
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store import reading
from sage_ld.lab.rankings.summaries import best_above, collapsed
from sage_ld.retrieval import Mode, Retriever
from sage_ld.retrieval.answers.plain import plain_answer
from sage_ld.retrieval.answers.results import answer_jsonld

QUESTION = "Which festival gives the Golden Heron?"


@pytest.fixture(scope="module")
def summarised(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder: Path = tmp_path_factory.mktemp("summaries")
    (folder / "recipe.toml").write_text("[summaries]\nderive = true\nmax_words = 9\n", "utf-8")
    made = built(folder / "graph", write_files(folder / "corpus", FILES), recipe=str(folder / "recipe.toml"))
    yield made
    made.close()


def test_a_node_has_the_best_score_above_it() -> None:
    """0 holds 1, which holds 2; 3 holds 4."""
    parents = np.array([-1, 0, 1, -1, 3])
    assert best_above(np.array([0.2, 0.5, 0.1, 0.0, 0.3]), parents).tolist() == [0.2, 0.5, 0.5, 0.0, 0.3]


def test_both_scores_are_over_their_highest() -> None:
    """0.25 * 0.3 / 0.6 + 0.75 * 2 / 4 and 0.25 + 0.75 / 4; without an abstract the own score alone."""
    own, above = np.array([2.0, 1.0, 4.0]), np.array([0.3, 0.6, 0.0])
    assert collapsed(own, above, 0.25).tolist() == pytest.approx([0.5, 0.4375, 0.75])
    assert collapsed(own, np.zeros(3), 0.25).tolist() == pytest.approx([0.375, 0.1875, 0.75])


def test_scores_are_those_of_the_formula(summarised: KnowledgeGraph) -> None:
    given = replace(summarised.recipe.retrieval, ranking=Ranking.SUMMARIES, summary_weight=0.4)
    answer = Retriever(summarised, given).retrieve(QUESTION, 25, 20)
    store, encoder = summarised.snapshot().store, load_encoder("jaccard")
    texts = reading.abstracts(store)
    near = dict(
        zip(
            texts,
            encoder.similarity(encoder.encode_queries([QUESTION]), encoder.encode(list(texts.values())))[0],
            strict=True,
        )
    )
    heron = [each for each in answer.results if each.view.identifier == "heron.md"]
    sections = {each.view.section_name: each for each in heron}
    assert {"The Golden Heron", "Winners"} <= sections.keys()
    nodes = {name: each.view.section for name, each in sections.items()}
    document = near[heron[0].view.document]
    expected = {
        "The Golden Heron": max(document, near[nodes["The Golden Heron"]]),
        "Winners": max(document, near[nodes["The Golden Heron"]], near[nodes["Winners"]]),
    }
    for name, each in sections.items():
        assert each.parts["summary"] == pytest.approx(expected[name], abs=1e-4)
    highest = max(each.parts["hybrid"] for each in answer.results)
    above = max(each.parts["summary"] for each in answer.results)
    for each in answer.results:
        blended = 0.4 * each.parts["summary"] / above + 0.6 * each.parts["hybrid"] / highest
        assert each.score == pytest.approx(blended, abs=1e-3)
    assert answer_jsonld(answer)["wasGeneratedBy"]["summaryWeight"] == 0.4


def test_a_view_shows_the_abstracts_of_section_and_document(summarised: KnowledgeGraph) -> None:
    texts, retriever = reading.abstracts(summarised.snapshot().store), Retriever(summarised)
    answer = retriever.retrieve(QUESTION, 5, 3, view="summary")
    for each in answer.results:
        view = each.view
        assert view.document_abstract == texts[view.document]
        assert view.section_abstract == (None if view.section is None else texts[view.section])
    said = answer_jsonld(answer)
    assert said["wasGeneratedBy"]["view"] == "summary"  # type: ignore[index]
    assert "abstract" in said["@context"]  # type: ignore[operator]
    shown = {name for each in plain_answer(answer)["results"] for name in each}  # type: ignore[attr-defined]
    assert {"documentAbstract", "sectionAbstract"} <= shown
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summarised, "settings", replace(summarised.settings, max_abstract_length=9))
        cut = retriever.retrieve(QUESTION, 5, 3, view="summary").results[0].view
    assert cut.document_abstract == texts[cut.document][:9]
    usual = retriever.retrieve(QUESTION, 5, 3)
    assert not any(each.view.document_abstract for each in usual.results)
    assert "abstract" not in answer_jsonld(usual)["@context"]  # type: ignore[operator]
    with pytest.raises(InputError, match="view: 'short' is not a view; choose from text, summary"):
        retriever.retrieve(QUESTION, view="short")


def test_without_abstracts_the_order_is_the_flat_one(graph: KnowledgeGraph) -> None:
    given = replace(graph.recipe.retrieval, ranking=Ranking.SUMMARIES)
    found = Retriever(graph, given).retrieve(QUESTION, 6, 3).results
    flat = Retriever(graph).retrieve(QUESTION, 6, 3, mode=Mode.HYBRID).results
    assert [each.view.iri for each in found] == [each.view.iri for each in flat]
