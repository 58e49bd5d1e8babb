"""The list of derivations: which graphs they write, and that another one is a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from graph.corpus import write
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, parse

from sage_ld import package_files
from sage_ld import vocabulary as v
from sage_ld.exports.shacl import validate
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.derivations import DERIVATIONS
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, Derived
from sage_ld.graph.deriver import Deriver
from sage_ld.model import EdgeKind
from sage_ld.store.iris import Iris

COUNT = NamedNode("http://example.org/chunks")


@pytest.fixture
def graph(tmp_path: Path) -> KnowledgeGraph:
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    made.ingest([write(tmp_path / "corpus")])
    return made


def own_graph(iris: Iris) -> str:
    return iris.base + "graph/counts"


def count(corpus: Corpus) -> Quad:
    graph = NamedNode(own_graph(corpus.writer.iris))
    return Quad(NamedNode(corpus.writer.iris.base), COUNT, Literal(len(corpus.chunks)), graph)


def derive(corpus: Corpus, before: Mapping[str, Derived]) -> Derived:
    assert before.keys() == {each.name for each in DERIVATIONS}
    return Derived([count(corpus)], {"counted": 1})


def follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    corpus.writer.replace_graph(own_graph(corpus.writer.iris), [count(corpus)])
    return {"counted": len(changes.chunks)}


COUNTS = Derivation("counts", frozenset((v.CHUNK,)), own_graph, derive, follow)


def counted(graph: KnowledgeGraph) -> list[int]:
    quads = graph.snapshot().store.quads_for_pattern(None, COUNT, None)
    return [int(quad.object.value) for quad in quads]


def test_names_are_unique_and_what_is_read_is_in_a_vocabulary() -> None:
    names = [each.name for each in DERIVATIONS]
    assert len(set(names)) == len(names)
    ontology = parse(path=package_files.path(package_files.ONTOLOGY), format=RdfFormat.TURTLE)
    known = {quad.subject.value for quad in ontology} | {v.CSVW_COLUMN}
    assert {iri for each in DERIVATIONS for iri in each.reads} <= known


def test_all_that_is_in_the_derived_graphs_is_derived_anew(graph: KnowledgeGraph) -> None:
    def derived() -> set[str]:
        graphs = {each.graph(graph.iris) for each in DERIVATIONS}
        store = graph.snapshot().store
        quads = (
            quad for name in graphs for quad in store.quads_for_pattern(None, None, None, NamedNode(name))
        )
        return {str(quad) for quad in quads if quad.predicate.value != v.ENDED_AT}

    before = derived()
    with graph.writer() as writer:
        for each in DERIVATIONS:
            writer.replace_graph(each.graph(graph.iris), [])
        writer.publish()
    assert derived() == set()
    graph.relink()
    assert derived() == before != set()


def test_another_derivation_is_a_row_with_a_graph_of_its_own(graph: KnowledgeGraph, tmp_path: Path) -> None:
    def deriver(writer: object) -> Deriver:
        return Deriver(writer, graph.recipe, "jaccard", lambda *_: None, (*DERIVATIONS, COUNTS))

    chunks = len(graph.snapshot().vectors.iris)
    with graph.writer() as writer:
        assert deriver(writer).run_all()["counted"] == 1
        writer.publish()
    assert counted(graph) == [chunks]
    with graph.writer() as writer:
        assert deriver(writer).run(Changes(chunks={"http://example.org/new"}), 1.0)["counted"] == 1
        writer.publish()
    assert counted(graph) == [chunks]


def test_a_graph_whose_recipe_gives_the_thresholds_keeps_to_them_and_conforms(tmp_path: Path) -> None:
    """In the first build, and where new chunks are joined to those that are there."""
    kinds = "".join(f'[edges.{kind}]\ncut = "threshold"\nthreshold = 0.05\n' for kind in EdgeKind)
    (tmp_path / "own.toml").write_text(kinds + "keep_shared_entity = false\n", encoding="utf-8")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard", recipe=str(tmp_path / "own.toml"))
    graph.settings = replace(graph.settings, relink_share=1.0)
    graph.ingest([write(tmp_path / "corpus")])
    (tmp_path / "new.md").write_text("# The Golden Heron\n\nA prize for films.", encoding="utf-8")
    assert graph.ingest([tmp_path / "new.md"]).edges["DocumentDocument"] > 0
    store = graph.snapshot().store
    for predicate, expected in ((v.THRESHOLD_VALUE, {0.05}), (v.PERCENTILE, set())):
        quads = store.quads_for_pattern(None, NamedNode(predicate), None)
        assert {float(quad.object.value) for quad in quads} == expected
    assert str(validate(store)).startswith("conforms")
