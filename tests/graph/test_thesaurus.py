"""A user's thesaurus: its concepts stand above the rules, and follow its file."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph.test_concepts import concepts, made

from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate

RECIPE = "[concepts]\nderive = true\nleast_chunks = 1\n"
HEAD = f"PREFIX skos: <{v.SKOS}>\nPREFIX ex: <http://example.org/>\n"
THESAURUS = (
    HEAD
    + """
ex:feast a skos:Concept ; skos:prefLabel "Osmere Feast" ;
    skos:altLabel "Osmere Film Festival", "Lantern Days" .
ex:fair a skos:Concept ; skos:prefLabel "Osmere Film-Festival" ; skos:altLabel "Osmere Fair" .
"""
)
TEXTS = {
    "one": "Ruth Calloway opened the Osmere Film Festival.",
    "two": "The jury of the Osmere Film-Festival met in June.",
    "three": "Nils Garrow met Mira Tolland at the Lantern Days of Hask.",
}


@pytest.fixture
def graph(tmp_path: Path) -> KnowledgeGraph:
    graph = made(tmp_path / "graph", RECIPE)
    for name, text in TEXTS.items():
        graph.add(text, identifier=name)
    return graph


def groups(graph: KnowledgeGraph) -> dict[str, set[str]]:
    return {each.label: set(each.aliases) for each in graph.concepts("osmere f")}


def test_it_stands_above_the_rules_and_goes_with_its_document(graph: KnowledgeGraph, tmp_path: Path) -> None:
    assert groups(graph) == {"Osmere Film Festival": {"Osmere Film-Festival"}}
    before = concepts(graph)
    graph.add(THESAURUS, identifier="thesaurus", media_type="text/turtle")
    feast = {"Osmere Film Festival", "Lantern Days"}
    assert groups(graph) == {"Osmere Feast": feast, "Osmere Film-Festival": {"Osmere Fair"}}
    assert {each.reason for each in graph.explain_term("osmere feast").evidence} == {"thesaurus"}
    (concept,) = graph.concepts("osmere feast")
    assert "http://example.org/feast" in concept.matches
    assert str(validate(graph.snapshot().store)).startswith("conforms")
    state = concepts(graph)
    graph.relink()
    assert concepts(graph) == state
    fresh = made(tmp_path / "fresh", RECIPE)
    fresh.add(THESAURUS, identifier="thesaurus", media_type="text/turtle")
    for name, text in reversed(TEXTS.items()):
        fresh.add(text, identifier=name)
    assert concepts(fresh) == state
    graph.delete(["thesaurus"])
    assert concepts(graph) == before


def test_an_alias_of_one_of_its_terms_is_one_of_the_whole_concept(graph: KnowledgeGraph) -> None:
    thesaurus = THESAURUS.replace("ex:fair", "ex:other").replace("Osmere Film-Festival", "Osmere Fayre")
    graph.add(thesaurus, identifier="thesaurus", media_type="text/turtle")
    assert groups(graph)["Osmere Feast"] >= {"Osmere Film-Festival", "Osmere Film Festival", "Lantern Days"}
    pairs = {frozenset(each[:2]) for each in graph.explain_term("Lantern Days").evidence}
    assert frozenset(("Osmere Film Festival", "Osmere Film-Festival")) in pairs
    assert frozenset(("Lantern Days", "Osmere Film-Festival")) not in pairs


def test_a_label_of_two_concepts_decides_nothing(graph: KnowledgeGraph) -> None:
    both = THESAURUS.replace('"Osmere Fair"', '"Osmere Fair", "lantern days"')
    graph.add(both, identifier="thesaurus", media_type="text/turtle")
    assert groups(graph)["Osmere Feast"] == {"Osmere Film Festival"}
