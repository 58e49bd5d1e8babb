"""Analogies of a graph: what its RDF says, and that they follow changes."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from pyoxigraph import NamedNode

from sage_ld.build.annotators.skeletons import by_rule
from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.derivations.builds import analogy_thresholds
from sage_ld.graph.exports.neighbourhoods import as_json
from sage_ld.graph.shapes.shacl import validate
from sage_ld.retrieval import Retriever

TALE = """{0}. Because demand increased, supply declined until reserves collapsed:
growth consumed its source, and {1} depended on what they depleted."""
TEXTS = {
    "guano": TALE.format("Guano made wheat thrive", "farmers"),
    "memory": TALE.format("Rehearsal fills attention", "learners"),
    "reef": TALE.format("Trawlers emptied reefs", "fishermen"),
    "quay": "The ferry lies at the quay. It has two funnels.",
}
RECIPE = "[analogies]\nderive = true\npercentile = 0.0\n"


def made(path: Path, recipe: str = RECIPE, names: tuple[str, ...] = ()) -> KnowledgeGraph:
    (path.parent / f"{path.name}.toml").write_text(recipe, encoding="utf-8")
    graph = KnowledgeGraph.create(path, encoder="jaccard", recipe=str(path) + ".toml")
    graph.settings = replace(graph.settings, relink_share=9.0)
    for name in names:
        graph.add(TEXTS[name], identifier=name)
    return graph


def analogies(graph: KnowledgeGraph) -> set[str]:
    store, found = graph.snapshot().store, set[str]()
    for edge in store.quads_for_pattern(None, NamedNode(v.TYPE), NamedNode(v.ANALOGOUS_EDGE)):
        found |= {str(quad) for quad in store.quads_for_pattern(edge.subject, None, None)}
    return found | set(map(str, store.quads_for_pattern(None, NamedNode(v.ANALOGOUS_TO), None)))


def test_an_edge_has_both_similarities_and_their_difference(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph", names=("guano", "memory", "quay"))
    graph.relink()
    store = graph.snapshot().store
    (quad,) = store.quads_for_pattern(None, NamedNode(v.TYPE), NamedNode(v.ANALOGOUS_EDGE))
    values = {each.predicate.value: each.object for each in store.quads_for_pattern(quad.subject, None, None)}
    delta, skeleton, raw = (
        float(values[name].value) for name in (v.WEIGHT, v.SKELETON_SIMILARITY, v.CONTENT_SIMILARITY)
    )
    assert delta == pytest.approx(skeleton - raw)
    assert 0.8 < skeleton < 1
    assert 0 < raw < 0.7
    thresholds = analogy_thresholds(store)
    assert thresholds == (skeleton, delta)
    assert str(validate(store)).startswith("conforms")
    assert graph.check().clean
    around = as_json(graph.neighbourhood(values[v.SOURCE].value, kinds=["analogy"]))
    assert [each["origin"] for each in around["edges"]] == ["analogous"]  # type: ignore[attr-defined]


def test_the_channel_leads_from_one_to_the_other(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph", names=("guano", "memory", "quay"))
    graph.relink()
    answer = Retriever(graph).retrieve("wheat farmers", 4, 3, channels=["analogy"])
    (step,) = (step for result in answer.results for step in result.path)
    assert (step.channel, step.kind) == ("analogy", "analogous to")
    default = Retriever(graph).retrieve("wheat farmers", 4, 3)
    assert not any(step.channel == "analogy" for result in default.results for step in result.path)


def skeletons(graph: KnowledgeGraph) -> dict[str, str]:
    stated = graph.snapshot().store.quads_for_pattern(None, NamedNode(v.SKELETON), None)
    return {quad.subject.value: quad.object.value for quad in stated}  # type: ignore[union-attr]


@pytest.mark.slow
def test_a_function_is_asked_once_and_what_it_says_is_kept(tmp_path: Path) -> None:
    graph, asked = made(tmp_path / "graph"), list[str]()

    def mechanism(text: str, language: str) -> str:
        asked.append(language)
        return "growth consumes its source" if "source" in text else ""

    graph.make_skeleton = mechanism
    for name in ("guano", "memory", "quay"):
        graph.add(TEXTS[name], identifier=name)
    kept, edges = skeletons(graph), analogies(graph)
    assert set(kept.values()) == {"growth consumes its source"}
    assert (len(kept), asked) == (2, ["en"] * 3)
    assert str(validate(graph.snapshot().store)).startswith("conforms")
    graph.relink()
    assert analogies(graph) == edges != set()
    graph.close()
    shutil.rmtree(graph.directory.live / "aspects")
    opened = KnowledgeGraph.open(graph.directory.path)  # without it, as the command line does
    opened.relink()
    assert (skeletons(opened), analogies(opened)) == (kept, edges)
    opened.reencode("static")
    assert skeletons(opened) == kept
    opened.add(TEXTS["reef"], identifier="reef")
    assert set(skeletons(opened).values()) == {"growth consumes its source", by_rule(TEXTS["reef"])}
    assert len(asked) == 3


def test_there_are_none_unless_the_recipe_asks(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph", "")
    graph.make_skeleton = lambda text, language: pytest.fail("asked for a skeleton")
    for name in ("guano", "memory"):
        graph.add(TEXTS[name], identifier=name)
    graph.relink()
    assert analogies(graph) == set()
    assert skeletons(graph) == {}
    assert analogy_thresholds(graph.snapshot().store) is None


def test_a_relink_after_any_changes_is_a_fresh_build(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph", names=("quay", "guano", "memory"))
    graph.relink()
    two = analogies(graph)
    graph.add(TEXTS["reef"], identifier="reef")
    three = analogies(graph)
    assert two < three
    graph.delete(["memory"])
    left = analogies(graph)
    assert left < three
    assert left != two
    graph.relink()
    assert analogies(graph) == left
    fresh = made(tmp_path / "fresh", names=("reef", "guano", "quay"))
    fresh.relink()
    assert analogies(fresh) == left != set()


def test_rebasing_moves_them_to_the_iris_of_a_graph_made_there(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph", names=("guano", "memory"))
    graph.relink()
    graph.rebase("https://example.org/kg/")
    moved = analogies(graph)
    graph.relink()
    assert analogies(graph) == moved != set()
