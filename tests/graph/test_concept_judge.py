"""A judge of near terms: what it says is kept, followed by every change, and not asked again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from graph.test_concepts import concepts, made
from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.build.concepts.grouping import Judge
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate

RECIPE = "[concepts]\nderive = true\nleast_chunks = 1\njudge_threshold = 0.3\n"
ONE = "Ruth Calloway opened the Osmere Film Gala."
OTHER = "The jury of the Osmere Film Fair met in June."
THIRD = "Nils Garrow met Mira Tolland at the Sennet Awards."


class Jury:
    """Takes what begins alike for one thing, and notes about what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, groups: Sequence[Sequence[str]]) -> list[list[list[str]]]:
        self.asked += map(tuple, groups)
        return [[[each for each in group if each.startswith("Osmere Film ")]] for group in groups]


@pytest.fixture
def judged(tmp_path: Path) -> tuple[KnowledgeGraph, Jury]:
    graph, jury = made(tmp_path / "graph", RECIPE), Jury()
    graph.judge = jury
    graph.add(ONE, identifier="one")
    graph.add(OTHER, identifier="other")
    return graph, jury


def aliases(graph: KnowledgeGraph) -> list[set[str]]:
    return [set(each.terms) for each in graph.concepts("osmere film")]


def test_it_joins_what_no_rule_decides(judged: tuple[KnowledgeGraph, Jury]) -> None:
    graph, _ = judged
    assert aliases(graph) == [{"Osmere Film Gala", "Osmere Film Fair"}]
    (evidence,) = graph.explain_term("osmere film gala").evidence
    assert evidence.reason == "judged"
    assert str(validate(graph.snapshot().store)).startswith("conforms")


def test_it_is_asked_about_a_group_once(judged: tuple[KnowledgeGraph, Jury]) -> None:
    graph, jury = judged
    before = concepts(graph)
    graph.add(THIRD, identifier="third")
    graph.relink()
    graph.delete(["third"])
    assert len(jury.asked) == len(set(jury.asked))
    assert concepts(graph) == before


def test_any_changes_leave_what_a_fresh_build_with_it_has(
    judged: tuple[KnowledgeGraph, Jury], tmp_path: Path
) -> None:
    graph, _ = judged
    graph.delete(["one"])
    graph.add(THIRD, identifier="third")
    graph.add(ONE, identifier="late")
    state = concepts(graph)
    graph.relink()
    assert concepts(graph) == state
    fresh = made(tmp_path / "fresh", RECIPE)
    fresh.judge = Jury()
    fresh.add(THIRD, identifier="third")
    fresh.add(ONE, identifier="late")
    fresh.add(OTHER, identifier="other")
    assert concepts(fresh) == state


def test_a_writer_without_it_keeps_what_it_said(judged: tuple[KnowledgeGraph, Jury]) -> None:
    graph, _ = judged
    before = concepts(graph)
    graph.judge = None
    graph.relink()
    assert concepts(graph) == before
    graph.delete(["other"])
    assert aliases(graph) == []
    graph.add(OTHER, identifier="other")
    assert concepts(graph) == before


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda groups: None, "None is not a list of answers"),
        (lambda groups: [], "0 answers about 2 lists of terms"),
        (lambda groups: [list(group) for group in groups], "is not a group of terms"),
        (lambda groups: [[[1, 2]] for _ in groups], r"\[1, 2\] is not a group of terms"),
    ],
)
def test_an_answer_that_is_none_changes_nothing(answer: Judge, message: str, tmp_path: Path) -> None:
    graph = made(tmp_path / "graph", RECIPE)
    graph.add(ONE, identifier="one")
    graph.judge = answer
    with pytest.raises(InputError, match=f"judge: .*{message}"):
        graph.add(OTHER, identifier="other")
    assert list(graph.documents) == ["one"]
    graph.judge = Jury()
    graph.add(OTHER, identifier="other")
    assert aliases(graph) == [{"Osmere Film Gala", "Osmere Film Fair"}]


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        pytest.param("[" * 100_000, id="deep"),
        "{}",
        "[]",
        '{"asked": ["a"], "aliases": [[["a"]]]}',
        '{"asked": 1, "aliases": 1}',
    ],
)
def test_what_is_no_judgement_counts_for_nothing(text: str, tmp_path: Path) -> None:
    """An update may write anything there; changes go on, and it goes with the next relink."""
    graph = made(tmp_path / "graph")
    graph.add(ONE, identifier="one")
    name = NamedNode(graph.iris.concepts_graph)
    with graph.writer() as writer:
        writer.change().add(Quad(name, NamedNode(v.JUDGEMENT), Literal(text), name))
        writer.publish()
    graph.add(OTHER, identifier="other")
    assert len(graph.snapshot().vectors.iris) == 2
    graph.relink()
    assert list(graph.snapshot().store.quads_for_pattern(None, NamedNode(v.JUDGEMENT), None, name)) == []
