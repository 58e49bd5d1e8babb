"""Concepts, which are of the class of entities: they show up as concepts, and among entities nowhere."""

from __future__ import annotations

import io
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.exports import export
from sage_ld.graph.exports.streams import checked_format, source
from sage_ld.graph.store.statistics import summary
from sage_ld.graph.store.stored_documents import describe
from sage_ld.service.representations.lists import all_entities

TEXTS = ("The Osmere Film-Festival is in June.", "Ruth Calloway opened the Osmere Film Festival.")
NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    return made(tmp_path_factory.mktemp("with"), "[concepts]\nderive = true\n")


def made(folder: Path, recipe: str) -> KnowledgeGraph:
    (folder / "recipe.toml").write_text(recipe, encoding="utf-8")
    graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard", recipe=str(folder / "recipe.toml"))
    for number, text in enumerate(TEXTS):
        graph.add(text, identifier=str(number))
    return graph


def test_entities_are_counted_and_listed_as_without_concepts(graph: KnowledgeGraph, tmp_path: Path) -> None:
    plain = made(tmp_path, "").snapshot()
    snapshot = graph.snapshot()
    assert all_entities(snapshot) == all_entities(plain)
    counts, usual = summary(snapshot.stores), summary(plain.stores)
    assert {**counts, "quads": 0, "concepts": 0} == {**usual, "quads": 0}
    assert counts["concepts"] == len(graph.concepts()) == 1


def test_graphml_has_them_as_concepts_with_their_chunks(graph: KnowledgeGraph) -> None:
    text, stores = io.BytesIO(), graph.snapshot().stores
    export(source(stores, checked_format("graphml", "1.1")), text, "graphml", "1.1")
    tree = ElementTree.fromstring(text.getvalue())
    nodes = tree.iter(f"{NAMESPACE}node")
    kinds = {each.get("id"): each.findtext(f"{NAMESPACE}data[@key='kind']") for each in nodes}
    (concept,) = graph.concepts()
    assert [iri for iri, kind in kinds.items() if kind == "Concept"] == [concept.iri]
    assert {kinds[entity] for entity in concept.matches} == {"Entity"}
    edges = [each for each in tree.iter(f"{NAMESPACE}edge") if each.get("target") == concept.iri]
    assert {each.get("source") for each in edges} == set(graph.snapshot().vectors.iris)
    assert len(edges) == concept.chunks == 2


def test_a_picture_and_a_description_show_what_it_is(graph: KnowledgeGraph) -> None:
    (concept,) = graph.concepts()
    around = graph.neighbourhood(concept.iri)
    assert around.nodes[0][:3] == (concept.iri, "concept", "Osmere Film Festival")
    assert {each.kind for each in around.nodes[1:]} == {"chunk", "entity"}
    assert {edge.kind for edge in around.edges if edge.target == concept.iri} == {"about"}
    described = describe(graph.snapshot().store, concept.iri, graph.iris)
    assert [name for _, name in described.incoming] == ["schema:about"] * 2
