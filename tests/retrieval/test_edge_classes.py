"""Edges made by hand, whose classes are not those that we write: a step of a path names their own class."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
import pytest
from graph.corpus import built, write
from service.web import client_of

from sage_ld import KnowledgeGraph, Retriever
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.channels import Hubs
from sage_ld.foundation.model import PathStep
from sage_ld.foundation.recipes import load_recipe
from sage_ld.graph.store import reading
from sage_ld.graph.store.iris import DEFAULT_BASE_IRI
from sage_ld.graph.store.terms import node
from sage_ld.retrieval.answers.results import answer_jsonld, triples
from sage_ld.retrieval.channels.expansion import expand

FOREIGN = "http://example.org/Cites"
ENDS = ("towns.csv", "people/mira-tolland.md")
EDGE = ox.NamedNode(f"{DEFAULT_BASE_IRI}edge/by-hand")


def graph_with(folder: Path, classes: list[str]) -> tuple[KnowledgeGraph, list[str]]:
    """A graph with an edge of these classes between two chunks that nothing else joins, and the two."""
    graph = built(folder / "graph", write(folder / "corpus"))
    ends = [reading.chunks_of(graph.snapshot().store, graph.iris.document(name))[0] for name in ENDS]
    with graph.writer() as writer:
        store = writer.change()
        home = node(graph.iris.edges_graph)
        values = [(v.SOURCE, node(ends[0])), (v.TARGET, node(ends[1])), (v.WEIGHT, ox.Literal(0.9))]
        values += [(v.TYPE, node(each)) for each in classes]
        store.extend(ox.Quad(EDGE, node(name), value, home) for name, value in values)
        if FOREIGN in classes:
            store.add(ox.Quad(node(FOREIGN), node(v.RDFS + "label"), ox.Literal("cites"), home))
        writer.publish()
    return graph, ends


def steps_between(graph: KnowledgeGraph, ends: list[str]) -> list[PathStep]:
    snapshot = graph.snapshot()
    found = expand(snapshot.store, [ends[0]], ["similarity"], snapshot.vectors.iris, Hubs(10, 10))
    return [each for each in found if each.edges == (EDGE.value,)]


@pytest.mark.parametrize(
    ("classes", "name"),
    [
        ([v.SIMILARITY_EDGE], "SimilarityEdge"),
        ([v.EDGE], "Edge"),
        ([v.SIMILARITY_EDGE, v.TABLE_DOCUMENT_EDGE, v.EDGE], "TableDocument"),
        ([v.SIMILARITY_EDGE, FOREIGN], FOREIGN),
        ([FOREIGN, v.TABLE_DOCUMENT_EDGE], "TableDocument"),
        ([v.EDGE, v.SIMILARITY_EDGE, "http://purl.org/ontology/similarity/Similarity"], "SimilarityEdge"),
    ],
)
def test_a_step_names_the_own_class_of_its_edge(tmp_path: Path, classes: list[str], name: str) -> None:
    graph, ends = graph_with(tmp_path, classes)
    (step,) = steps_between(graph, ends)
    assert (step.kind, step.weight) == (name, 0.9)
    answer = Retriever(graph, load_recipe("paper").retrieval).retrieve("Town Sennet River Osme", 6, 5)
    assert name in {each.kind for result in answer.results for each in result.path}
    said = {
        (each.predicate.value, each.object) for each in triples(answer_jsonld(answer)) if each.subject == EDGE
    }
    (own,) = [value for predicate, value in said if predicate == v.TYPE]
    assert own in {node(each) for each in classes}


@pytest.mark.parametrize(
    ("classes", "shown"),
    [
        ([v.SIMILARITY_EDGE], "similarity: SimilarityEdge"),
        ([v.EDGE, v.TABLE_DOCUMENT_EDGE], "similarity: TableDocument"),
        ([v.SIMILARITY_EDGE, FOREIGN], "similarity: cites"),
    ],
)
def test_a_chunks_page_shows_the_own_class_of_an_edge(tmp_path: Path, classes: list[str], shown: str) -> None:
    graph, ends = graph_with(tmp_path, classes)
    with client_of(graph.directory.path) as client:
        page = client.get("/id/" + ends[0].removeprefix(DEFAULT_BASE_IRI)).text
    assert shown in page


def test_the_order_of_chunks_stays_no_similarity_where_superclasses_are_stated(tmp_path: Path) -> None:
    graph, ends = graph_with(tmp_path, [v.ADJACENCY, v.EDGE])
    assert steps_between(graph, ends) == []
