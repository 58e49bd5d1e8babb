"""Section trees: what a section inherits, how well it fits a question, and where that counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from graph.corpus import built, write_files
from pyoxigraph import NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.foundation.recipes import Ranking
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store import reading
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.results import answer_jsonld
from sage_ld.retrieval.scoring.scores import relative
from sage_ld.retrieval.scoring.section_tree import SectionTree, effective, inherited, overlap

HEAT = """# Heat

## 13 Steam engines

Savery patented a pump.

## 13.1 Losses

A valve leaks.

## 14 Entropy

Clausius coined the word.
"""
QUESTION = "Which pump did Savery build for steam engines?"


@pytest.fixture(scope="module")
def heat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("heat")
    made = built(folder / "graph", write_files(folder / "corpus", {"heat.md": HEAT}))
    yield made
    made.close()


def test_keywords_are_inherited_upward_and_scores_downward() -> None:
    """A document, its chapter, in that a section on a and b, and one on c; the question has a and c."""
    parents = np.array([-1, 0, 1, 1])
    nodes, keywords = inherited(parents, np.array([2, 2, 3, 2]), np.array([0, 1, 2, 0]))
    assert list(zip(nodes.tolist(), keywords.tolist(), strict=True)) == [
        *((0, 0), (1, 0), (2, 0)),
        *((0, 1), (1, 1), (2, 1)),
        *((0, 2), (1, 2), (3, 2)),
    ]
    sizes = np.bincount(nodes, minlength=4)
    assert sizes.tolist() == [3, 3, 2, 1]
    shared = np.bincount(nodes[keywords != 1], minlength=4)
    own = overlap(shared, 2, sizes, 0.5)
    assert own.tolist() == pytest.approx([5 / 6, 5 / 6, 1 / 2, 3 / 4])
    assert overlap(shared, 2, sizes, 1.0).tolist() == [1.0, 1.0, 0.5, 0.5]
    reached = effective(own, parents, 0.5)
    assert reached.tolist() == pytest.approx([5 / 6, 5 / 4, 9 / 8, 11 / 8])
    assert relative(reached).tolist() == pytest.approx([20 / 33, 10 / 11, 9 / 11, 1.0])


def test_a_tree_without_words_has_no_scores() -> None:
    none = np.zeros(0, np.int64)
    assert [each.tolist() for each in inherited(np.array([-1]), none, none)] == [[], []]
    assert overlap(np.zeros(2, np.int64), 0, np.zeros(2, np.int64), 0.5).tolist() == [0.0, 0.0]


def test_an_outline_has_the_scores_that_the_formulas_give(heat: KnowledgeGraph) -> None:
    """Of keywords the question names `pump`; of its five words, a heading has `steam` and `engines`."""
    nodes = Retriever(heat).outline("heat.md", QUESTION)
    assert [(each.name, each.depth, each.chunks) for each in nodes] == [
        ("Heat", 0, 0),
        ("Heat", 1, 0),
        ("13 Steam engines", 2, 1),
        ("13.1 Losses", 3, 1),
        ("14 Entropy", 2, 1),
    ]
    tree = SectionTree.of(heat.snapshot())
    words = tree.keywords.sizes.tolist()
    assert words[2:] == [3, 1, 2]  # `savery patented`, `pump`, and `valve leaks` of the section below
    assert words[:2] == [5, 5]
    document, title, steam, losses, entropy = nodes
    assert document.keyword == title.keyword == pytest.approx(0.5 + 0.5 / 5)
    assert steam.keyword == pytest.approx(0.5 + 0.5 / 3)
    assert steam.heading == pytest.approx(0.5 * 2 / 5 + 0.5 * 2 / 3)  # 13, steam, engines
    assert (losses.keyword, losses.heading, entropy.own) == (0.0, 0.0, 0.0)
    assert steam.own == pytest.approx((steam.keyword + steam.heading) / 2)
    best = steam.own + 0.5 * title.own + 0.25 * document.own
    assert steam.score == 1.0
    assert document.score == pytest.approx(document.own / best)
    assert losses.score == pytest.approx(0.5)
    assert entropy.score == pytest.approx((0.5 * title.own + 0.25 * document.own) / best)


def test_an_outline_takes_the_numbers_of_the_recipe(heat: KnowledgeGraph) -> None:
    given = replace(heat.recipe.retrieval, coverage_share=1.0, heading_share=1.0, inheritance_decay=0.0)
    nodes = Retriever(heat, given).outline(heat.iris.document("heat.md"), QUESTION)
    assert [each.own for each in nodes] == [0, 0, pytest.approx(2 / 5), 0, 0]
    assert [each.score for each in nodes] == [0, 0, 1, 0, 0]


def test_an_outline_of_nothing_is_refused(heat: KnowledgeGraph) -> None:
    with pytest.raises(NotFoundError, match=r"no document 'light\.md'"):
        Retriever(heat).outline("light.md", QUESTION)
    with pytest.raises(InputError, match="the question is empty"):
        Retriever(heat).outline("heat.md", " ")


def test_chunks_are_ranked_by_their_sections(heat: KnowledgeGraph) -> None:
    nodes = {each.iri: each.score for each in Retriever(heat).outline("heat.md", QUESTION)}
    given = replace(heat.recipe.retrieval, ranking=Ranking.SECTIONS)
    results = Retriever(heat, given).retrieve(QUESTION, 3, 2).results
    assert [each.score for each in results] == [nodes[each.view.section or ""] for each in results]
    assert [each.view.section_name for each in results] == ["13 Steam engines", "13.1 Losses", "14 Entropy"]
    assert all(each.parts["section"] == pytest.approx(each.score, abs=1e-5) for each in results)


@pytest.mark.parametrize(
    "ranking", sorted(set(Ranking) - {Ranking.SECTIONS, Ranking.SAGEDB_VECTOR, Ranking.ENSEMBLE})
)
def test_a_section_counts_by_its_weight(graph: KnowledgeGraph, ranking: Ranking) -> None:
    """The candidates stay, and each score is a mean of the section's and its own over the highest."""
    question = "Which film won the Golden Heron, and who directed Salt Over Sennet?"
    plain = replace(graph.recipe.retrieval, ranking=ranking, channels=("link",))
    before = Retriever(graph, plain).retrieve(question, 25, 20)
    after = Retriever(graph, replace(plain, section_weight=0.25)).retrieve(question, 25, 20)
    highest = max(each.score for each in before.results)
    scores = {each.view.iri: each.score / highest for each in before.results}
    assert scores.keys() == {each.view.iri for each in after.results}
    seeds = [each for each in after.results if ranking is not Ranking.SHARED or not each.path]
    for each in seeds:
        expected = 0.25 * each.parts["section"] + 0.75 * scores[each.view.iri]
        assert each.score == pytest.approx(expected, abs=1e-5)
    assert any(each.parts["section"] for each in after.results)
    said = answer_jsonld(after)["wasGeneratedBy"]
    assert (said["sectionWeight"], said["inheritanceDecay"]) == (0.25, 0.5)
    assert "sectionWeight" not in answer_jsonld(before)["wasGeneratedBy"]


@pytest.mark.parametrize("ranking", sorted(set(Ranking) - {Ranking.SECTIONS, Ranking.ENSEMBLE}))
def test_without_a_weight_no_section_is_read(
    graph: KnowledgeGraph, ranking: Ranking, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("sections were read")

    monkeypatch.setattr("sage_ld.retrieval.scoring.section_tree.scores_of_sections", fail)
    given = replace(graph.recipe.retrieval, ranking=ranking)
    answer = Retriever(graph, given).retrieve(QUESTION, 5, 3)
    assert not any("section" in each.parts for each in answer.results)
    with pytest.raises(AssertionError, match="sections were read"):
        Retriever(graph, replace(given, ranking=Ranking.SECTIONS)).retrieve(QUESTION, 5, 3)


def test_a_tree_follows_a_change_and_is_that_of_a_fresh_graph(tmp_path: Path) -> None:
    files = {"heat.md": HEAT, "light.md": "# Light\n\nA prism splits light.\n"}
    changed = HEAT.replace("## 14 Entropy", "## 13.2 Entropy")
    made = built(tmp_path / "graph", write_files(tmp_path / "corpus", files))
    made.remove("light.md")
    made.ingest([write_files(tmp_path / "corpus", {"heat.md": changed}) / "heat.md"], replace=True)
    fresh = built(tmp_path / "fresh", write_files(tmp_path / "other", {"heat.md": changed}))
    outlines = [Retriever(each).outline("heat.md", QUESTION) for each in (made, fresh)]
    assert outlines[0] == outlines[1]
    assert [each.depth for each in outlines[0]] == [0, 1, 2, 3, 3]


def test_sections_nest_no_deeper_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sage_ld.retrieval.scoring.section_tree.DEEPEST", 2)
    made = built(tmp_path / "graph", write_files(tmp_path / "corpus", {"heat.md": HEAT}))
    nodes = Retriever(made).outline("heat.md", QUESTION)
    assert [(each.name, each.depth) for each in nodes[2:]] == [
        ("13 Steam engines", 2),
        ("13.1 Losses", 2),
        ("14 Entropy", 2),
    ]


def test_a_chunk_of_several_sections_stands_in_the_last(tmp_path: Path) -> None:
    made = built(tmp_path / "graph", write_files(tmp_path / "corpus", {"heat.md": HEAT}))
    sections = Retriever(made).outline("heat.md", QUESTION)[1:]
    statements = [
        Quad(NamedNode(chunk), NamedNode(v.IS_PART_OF), NamedNode(node.iri), NamedNode("urn:mine"))
        for chunk in made.snapshot().vectors.iris
        for node in sections
    ]
    with made.writer() as writer:
        writer.exchange([], statements)
        writer.publish()
    assert [each.chunks for each in Retriever(made).outline("heat.md", QUESTION)] == [0, 0, 0, 0, 3]


def test_a_chunk_stands_in_no_section_of_another_document(tmp_path: Path) -> None:
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    files = {"heat.md": HEAT, "light.md": "# Light\n\nA prism splits light.\n"}
    made.ingest([write_files(tmp_path / "corpus", files)])
    before = {name: Retriever(made).outline(name, QUESTION) for name in files}
    statements = [
        Quad(NamedNode(chunk), NamedNode(v.IS_PART_OF), NamedNode(node.iri), NamedNode("urn:mine"))
        for name, other in (("heat.md", "light.md"), ("light.md", "heat.md"))
        for chunk in reading.chunks_of(made.snapshot().store, made.iris.document(name))
        for node in before[other][1:]
    ]
    assert statements
    with made.writer() as writer:
        writer.exchange([], statements)
        writer.publish()
    assert {name: Retriever(made).outline(name, QUESTION) for name in files} == before
