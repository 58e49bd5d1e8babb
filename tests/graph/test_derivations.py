"""The list of derivations: which graphs they write, and that another one is a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from graph.corpus import built, write
from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import EdgeKind
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.derivations.builds import BUILDS
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, DerivationResult
from sage_ld.graph.derivations.deriver import Deriver
from sage_ld.graph.derivations.entities import IDENTITY
from sage_ld.graph.derivations.table import DERIVATIONS
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import line

COUNT = NamedNode("http://example.org/chunks")


@pytest.fixture
def graph(tmp_path: Path) -> KnowledgeGraph:
    return built(tmp_path / "graph", write(tmp_path / "corpus"))


def by_thresholds(folder: Path) -> KnowledgeGraph:
    """An empty graph whose recipe gives the thresholds, and which follows any change."""
    kinds = "".join(f'[edges.{kind}]\ncut = "threshold"\nthreshold = 0.05\n' for kind in EdgeKind)
    (folder / "own.toml").write_text(kinds + "keep_shared_entity = false\n", encoding="utf-8")
    made = KnowledgeGraph.create(folder / "by-thresholds", encoder="jaccard", recipe=str(folder / "own.toml"))
    made.settings = replace(made.settings, relink_share=9.0)
    return made


def own_graph(iris: Iris) -> str:
    return iris.base + "graph/counts"


def count(corpus: Corpus) -> Quad:
    graph = NamedNode(own_graph(corpus.writer.iris))
    return Quad(NamedNode(corpus.writer.iris.base), COUNT, Literal(len(corpus.writer.vectors.iris)), graph)


def derive(corpus: Corpus, before: Mapping[str, DerivationResult]) -> DerivationResult:
    assert before.keys() == {each.name for each in DERIVATIONS}
    return DerivationResult([line(count(corpus))], {"counted": 1})


def follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    corpus.writer.replace_graph(own_graph(corpus.writer.iris), [line(count(corpus))])
    return {"counted": len(changes.chunks)}


COUNTS = Derivation("counts", own_graph, derive, follow)


def counted(graph: KnowledgeGraph) -> list[int]:
    quads = graph.snapshot().store.quads_for_pattern(None, COUNT, None)
    return [int(quad.object.value) for quad in quads]


def test_names_are_unique() -> None:
    names = [each.name for each in DERIVATIONS]
    assert len(set(names)) == len(names)


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


def test_what_another_derivation_says_follows_a_deletion(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "sage_ld.graph.derivations.deriver.Deriver", partial(Deriver, derivations=(*DERIVATIONS, COUNTS))
    )
    graph.relink()
    before = counted(graph)
    deleted = graph.delete(["towns.csv"]).chunks
    assert deleted > 0
    assert counted(graph) == [before[0] - deleted]


MAY_DIFFER = {
    "inference": set[str](),
    "identity": set[str](),
    "properties": set[str](),
    "similarity": {v.WEIGHT, v.SAGE + "entitySimilarity"},  # from how many documents mention an entity
    "analogies": set[str](),
    "links": {v.CONFIDENCE},  # by title: it comes from how rare the words of all titles are
    "entities": set[str](),
    "concepts": set[str](),
    "builds": {v.CHUNK_COUNT, v.ENDED_AT, v.CANDIDATE_COUNT, v.EDGE_COUNT},  # of the last build
}
"""What a derivation leaves as it was where it follows a change: predicates."""


UNTOUCHED = {"inference", "identity", "properties", "analogies", "concepts", "builds"}
"""Derivations of which these changes touch nothing; `test_identity.py` has changes of users' RDF,
`test_concepts.py` a recipe with concepts, `test_analogies.py` one with analogies, `test_inference.py` one
that infers."""


@pytest.mark.parametrize("derivation", DERIVATIONS, ids=lambda each: each.name)
def test_following_a_change_gives_what_deriving_anew_gives(
    derivation: Derivation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alone but for the identity, which writes what mentions are of, and the builds, whose thresholds edges
    of similarity follow; here the recipe gives them."""
    alone = dict.fromkeys((IDENTITY, derivation, BUILDS))
    monkeypatch.setattr(
        "sage_ld.graph.derivations.deriver.Deriver", partial(Deriver, derivations=tuple(alone))
    )
    graph, corpus = by_thresholds(tmp_path), write(tmp_path / "corpus")

    def derived() -> set[str]:
        quads = graph.snapshot().store.quads_for_pattern(None, None, None, name)
        return {str(quad) for quad in quads if quad.predicate.value not in MAY_DIFFER[derivation.name]}

    name = NamedNode(derivation.graph(graph.iris))
    (corpus / "films/night-bus.md").unlink()
    graph.ingest([corpus])
    states = [derived()]
    write(corpus, ("films/night-bus.md",))
    mira = corpus / "people/mira-tolland.md"
    mira.write_text(mira.read_text("utf-8") + "\nShe wrote for The Golden Heron.\n", encoding="utf-8")
    for change in (lambda: graph.ingest([corpus]), lambda: graph.delete(["heron.md"])):
        change()
        states.append(derived())
        graph.relink()
        assert derived() == states[-1]
    assert len({frozenset(state) for state in states}) == (1 if derivation.name in UNTOUCHED else 3)


def test_a_graph_whose_recipe_gives_the_thresholds_keeps_to_them_and_conforms(tmp_path: Path) -> None:
    """In the first build, and where new chunks are joined to those that are there."""
    graph = by_thresholds(tmp_path)
    graph.ingest([write(tmp_path / "corpus")])
    (tmp_path / "new.md").write_text("# The Golden Heron\n\nA prize for films.", encoding="utf-8")
    assert graph.ingest([tmp_path / "new.md"]).edges["DocumentDocument"] > 0
    store = graph.snapshot().store
    for predicate, expected in ((v.THRESHOLD_VALUE, {0.05}), (v.PERCENTILE, set())):
        quads = store.quads_for_pattern(None, NamedNode(predicate), None)
        assert {float(quad.object.value) for quad in quads} == expected
    assert str(validate(store)).startswith("conforms")
