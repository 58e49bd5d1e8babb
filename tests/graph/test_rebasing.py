"""Moving a graph to another base IRI: the same graph as one that was made there."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest
from graph.canonical import canonical, indexed_links, stored_links
from graph.corpus import write
from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store.iris import DEFAULT_BASE_IRI, Iris
from sage_ld.graph.upkeep.rebasing import _MINTED
from sage_ld.retrieval import Retriever

ELSEWHERE = "https://data.example.org/films/"
QUESTION = "Who wrote the music of Night Bus to Hask?"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write(tmp_path / "corpus")


def made(folder: Path, corpus: Path, base: str = DEFAULT_BASE_IRI) -> KnowledgeGraph:
    graph = KnowledgeGraph.create(folder, encoder="jaccard", base_iri=base)
    graph.ingest([corpus])
    return graph


def test_equals_a_graph_made_there(tmp_path: Path, corpus: Path) -> None:
    graph, fresh = made(tmp_path / "moved", corpus), made(tmp_path / "fresh", corpus, ELSEWHERE)
    summary = graph.rebase(ELSEWHERE)
    assert summary.statements > 0
    assert canonical(graph) == canonical(fresh)
    assert indexed_links(graph) == stored_links(graph) == stored_links(fresh)
    assert validate(graph.snapshot().store).conforms
    left, right = graph.snapshot(), fresh.snapshot()
    assert left.vectors.iris == right.vectors.iris == left.lexical.iris
    rows = np.arange(len(left.vectors.iris))
    assert np.array_equal(left.vectors.take(rows), right.vectors.take(rows))
    found, expected = (Retriever(each).retrieve(QUESTION) for each in (graph, fresh))
    assert [(each.view.iri, each.score) for each in found.results] == [
        (each.view.iri, each.score) for each in expected.results
    ]


def test_goes_on_as_one_made_there(tmp_path: Path, corpus: Path) -> None:
    """An ingest, a deletion and the way back: what is derived finds what it derived before."""
    graph, fresh = made(tmp_path / "moved", corpus), made(tmp_path / "fresh", corpus, ELSEWHERE)
    graph.rebase(ELSEWHERE)
    (corpus / "heron.md").write_text("# The Golden Heron\n\nIt was given to [a film](films/night-bus.md).\n")
    for each in (graph, fresh):
        each.ingest([corpus])
        each.delete(["towns.csv"])
    assert canonical(graph) == canonical(fresh)
    assert KnowledgeGraph.open(tmp_path / "moved").configuration.base_iri == ELSEWHERE
    before = canonical(fresh)
    graph.rebase(DEFAULT_BASE_IRI)
    graph.rebase(ELSEWHERE)
    assert canonical(graph) == before


def test_statements_of_users(tmp_path: Path, corpus: Path) -> None:
    """Theirs about our resources follow; their own IRIs, and texts that look like ours, stay."""
    graph = made(tmp_path / "graph", corpus)
    iris, elsewhere = graph.iris, Iris(ELSEWHERE)
    mine, note = NamedNode("http://example.org/mine"), NamedNode("http://example.org/note")
    with graph.writer() as writer:
        mention = next(q.subject for q in writer.store if q.object == NamedNode(v.MENTION))
        chunk, entity = (
            next(writer.store.quads_for_pattern(mention, NamedNode(each), None, None)).object
            for each in (v.SOURCE, v.TARGET)
        )
        said = [
            Quad(mention, note, Literal("seen"), mine),
            Quad(NamedNode(iris.document("heron.md")), note, mine, mine),
            Quad(mine, note, Literal(iris.base), mine),
            Quad(NamedNode(iris.base + "property/of-mine"), note, mine, mine),
        ]
        writer.change().extend(said)
        writer.publish()
    graph.rebase(ELSEWHERE)
    moved = elsewhere.mention(*(str(each.value).replace(iris.base, ELSEWHERE) for each in (chunk, entity)))
    assert {(q.subject, q.object) for q in graph.snapshot().stores.named if q.graph_name == mine} == {
        (NamedNode(moved), Literal("seen")),
        (NamedNode(elsewhere.document("heron.md")), mine),
        (mine, Literal(iris.base)),
        (NamedNode(ELSEWHERE + "property/of-mine"), mine),
    }
    assert not any(iris.base in str(q) and q.subject != mine for q in graph.snapshot().store)


def test_every_kind_of_iri_is_thought_of() -> None:
    """A method of `Iris` that mints from IRIs needs a row of `_MINTED`."""
    from_iris = {"document", "chunk", "entity", "source", "build"}
    of_texts = {"document", "chunks", "entity", "concept", "document_graph", "statements", "lexical_form"}
    of_texts |= {"pull"}  # from the name of a user's graph, which is not moved
    once = {"retrieval", "model_call"}  # never minted again
    rows = {each.mint.__name__ for group in _MINTED.values() for each in group}
    for name, method in inspect.getmembers(Iris, inspect.isfunction):
        if name.startswith("_") or name in of_texts | once:
            continue
        assert name in rows, f"{name}({from_iris & set(inspect.signature(method).parameters)})"


def test_empty_graph_and_bad_base(tmp_path: Path) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    with pytest.raises(InputError, match="not an absolute"):
        graph.rebase("films")
    assert graph.rebase(ELSEWHERE).revision is None
    assert KnowledgeGraph.open(tmp_path / "graph").iris.base == ELSEWHERE


def test_a_base_above_iris_of_users_is_refused(tmp_path: Path) -> None:
    (tmp_path / "yard.ttl").write_text('<http://e.x/d/yard> <http://e.x/p/name> "Halvorsen Yard" .\n')
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "yard.ttl"])
    before = canonical(graph)
    for base in ("http://e.x/", "http://e.x/d/", "http://e.x/p/"):
        with pytest.raises(InputError, match="which is not its own and would count as such; choose a base"):
            graph.rebase(base)
        assert KnowledgeGraph.open(tmp_path / "graph").iris.base == DEFAULT_BASE_IRI
        assert canonical(graph) == before
    graph.rebase("http://e.x/id/")
    graph.rebase("http://e.x/id/films/")
    with pytest.raises(InputError, match="which is not its own"):
        graph.rebase("http://e.x/")
    graph.rebase("http://e.x/id/")
    assert graph.ingest([tmp_path / "yard.ttl"]).unchanged == 1


def test_a_dry_run_follows_the_base_that_another_process_set(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "a.txt"])
    KnowledgeGraph.open(tmp_path / "graph").rebase(ELSEWHERE)
    (tmp_path / "own.ttl").write_text(f'<{ELSEWHERE}chunk/1> <http://e.x/p/name> "One" .\n')
    dry = graph.ingest([tmp_path / "own.ttl"], dry_run=True)
    assert dry.left_out.total() == 1
    assert dry.left_out == graph.ingest([tmp_path / "own.ttl"]).left_out
