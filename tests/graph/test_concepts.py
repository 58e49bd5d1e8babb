"""Concepts of a graph: what its RDF says, and that they follow any change as a fresh build would."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyoxigraph import NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate

PLAYS = "Mira Tolland plays the thirteen-string lyre. A lyre maker repairs the lyre."
PLURAL = "Nils Garrow met Mira Tolland at the Osmere Film-Festival. Osmere film festivals are famous."
SINGULAR = "The Osmere Film Festival is held in June. Ruth Calloway opened the Osmere Film Festival."
OTHER = "The jury of the Sennet-Awards met in June. Ruth Calloway won the Sennet Awards in 1999."
RECIPE = "[concepts]\nderive = true\nleast_chunks = 1\n"


def made(path: Path, recipe: str = RECIPE) -> KnowledgeGraph:
    (path.parent / f"{path.name}.toml").write_text(recipe, encoding="utf-8")
    graph = KnowledgeGraph.create(path, encoder="jaccard", recipe=str(path) + ".toml")
    graph.settings = replace(graph.settings, relink_share=9.0)
    return graph


def concepts(graph: KnowledgeGraph) -> set[str]:
    store = graph.snapshot().store
    return set(map(str, store.quads_for_pattern(None, None, None, NamedNode(graph.iris.concepts_graph))))


def labels(graph: KnowledgeGraph) -> dict[str, set[str]]:
    store, result = graph.snapshot().store, dict[str, set[str]]()
    for quad in store.quads_for_pattern(None, None, None, NamedNode(graph.iris.concepts_graph)):
        if quad.predicate.value in (v.PREF_LABEL, v.ALT_LABEL):
            result.setdefault(quad.subject.value, set()).add(quad.object.value.casefold())
    return result


def test_chunks_that_write_a_name_in_several_ways_are_about_one_concept(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph")
    graph.add(SINGULAR, identifier="singular")
    graph.add(PLURAL, identifier="plural")
    (concept,) = (iri for iri, terms in labels(graph).items() if "osmere film festival" in terms)
    assert "osmere film-festival" in labels(graph)[concept]
    store = graph.snapshot().store
    about = store.quads_for_pattern(None, NamedNode(v.ABOUT), NamedNode(concept))
    assert len({quad.subject for quad in about}) == 2
    assert str(validate(store)).startswith("conforms")


def test_an_acronym_that_a_text_introduces_is_an_alias(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph")
    graph.add("Mira Tolland tested the VFD. The Variable Frequency Drive was quiet.", identifier="both")
    assert not graph.concepts("vfd")
    graph.add("Nils Garrow sells a Variable Frequency Drive (VFD).", identifier="introduced")
    (concept,) = graph.concepts("vfd")
    assert set(concept.terms) == {"VFD", "Variable Frequency Drive"}
    (evidence,) = graph.explain_term("vfd").evidence
    assert evidence.reason == "introduced in a text"
    graph.delete(["introduced"])
    assert not graph.concepts("vfd")


def test_an_acronym_with_dots_that_a_text_introduces_is_an_alias(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph")
    graph.add("Nils met the U.S.A. team. The United States of America (U.S.A.) won.", identifier="one")
    (concept,) = graph.concepts("U.S.A.")
    assert set(concept.terms) == {"U.S.A.", "United States of America"}


def test_an_acronym_of_two_things_is_an_alias_of_none(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph")
    graph.add("Nils Garrow sells a Variable Frequency Drive (VFD).", identifier="drive")
    assert graph.concepts("vfd")
    graph.add("Mira Tolland went to the Velmoor Film Days (VFD).", identifier="days")
    assert not graph.concepts("vfd")
    graph.delete(["drive"])
    (concept,) = graph.concepts("vfd")
    assert set(concept.terms) == {"VFD", "Velmoor Film Days"}


def test_an_entity_has_the_name_that_users_rdf_prefers(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph")
    labels = f'<{v.PREF_LABEL}> "Osmere Film Festival"@en, "Filmfest Osmere"@de'
    turtle = f"<http://example.org/one> a <http://example.org/Thing> ; {labels} ."
    graph.add(turtle, identifier="labels", media_type="text/turtle")
    graph.add(SINGULAR, identifier="singular")
    graph.add(PLURAL, identifier="plural")
    terms = {term for each in graph.concepts() for term in each.terms}
    assert "Osmere Film Festival" in terms


def test_there_are_none_unless_the_recipe_asks(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph", "")
    graph.add(SINGULAR, identifier="singular")
    graph.add(PLURAL, identifier="plural")
    assert concepts(graph) == set()


@pytest.mark.parametrize("order", [("singular", "plural", "other"), ("other", "plural", "singular")])
def test_after_any_change_they_are_those_of_a_fresh_build(order: tuple[str, ...], tmp_path: Path) -> None:
    texts = {"singular": SINGULAR, "plural": PLURAL, "other": OTHER}
    graph, states = made(tmp_path / "graph"), []
    graph.add(PLAYS, identifier="plays")
    steps = [lambda name=name: graph.add(texts[name], identifier=name) for name in order]
    steps += [lambda: graph.delete(["plural"]), lambda: graph.add(PLAYS, identifier="singular")]
    for step in steps:
        step()
        states.append(concepts(graph))
        graph.relink()
        assert concepts(graph) == states[-1]
    fresh = made(tmp_path / "fresh")
    fresh.add(PLAYS, identifier="plays")
    fresh.add(PLAYS, identifier="singular")
    fresh.add(OTHER, identifier="other")
    assert concepts(fresh) == states[-1] != set()
    assert len(set(map(frozenset, states))) > 1


def test_rebasing_moves_concepts_to_the_iris_of_a_graph_made_there(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph")
    graph.add(PLURAL, identifier="plural")
    graph.add(SINGULAR, identifier="singular")
    graph.rebase("https://example.org/kg/")
    moved = concepts(graph)
    graph.relink()
    assert concepts(graph) == moved != set()
