"""Abstracts of a graph, and their vectors: both follow any change as a fresh build would have them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
from graph.corpus import FILES, write_files
from pyoxigraph import NamedNode

from sage_ld.build.encoders import load_encoder
from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store import reading

RECIPE = "[summaries]\nderive = true\nmax_words = 12\n"
CHANGED = (
    FILES["heron.md"].replace("first given in 1931", "given by the town of Osmere") + "\n## Rules\n\nNone.\n"
)


def made(folder: Path, name: str, recipe: str = RECIPE) -> KnowledgeGraph:
    (folder / f"{name}.toml").write_text(recipe, encoding="utf-8")
    graph = KnowledgeGraph.create(folder / name, encoder="jaccard", recipe=str(folder / f"{name}.toml"))
    graph.settings = replace(graph.settings, relink_share=9.0)
    return graph


def state(graph: KnowledgeGraph) -> tuple[dict[str, str], dict[str, list[float]]]:
    """The abstracts that the store states, and the vectors of the index."""
    snapshot = graph.snapshot()
    assert snapshot.summaries is not None
    iris = list(snapshot.summaries.iris)
    vectors = snapshot.summaries.vectors(iris).tolist()
    return reading.abstracts(snapshot.store), dict(zip(iris, vectors, strict=True))


def arrays(graph: KnowledgeGraph) -> set[bytes]:
    folder = graph.directory.revision(graph.directory.current()) / "summaries"
    return {file.read_bytes() for file in folder.glob("*.arrays")}


def test_each_document_and_section_has_an_abstract_and_its_vector(tmp_path: Path) -> None:
    graph = made(tmp_path, "graph")
    graph.ingest([write_files(tmp_path / "corpus", FILES)])
    texts, vectors = state(graph)
    store, encoder = graph.snapshot().store, load_encoder("jaccard")
    nodes = {
        quad.subject.value
        for kind in (v.DOCUMENT, v.SECTION)
        for quad in store.quads_for_pattern(None, NamedNode(v.TYPE), NamedNode(kind))
    }
    assert texts.keys() == vectors.keys() == nodes
    assert all(len(text.split()) <= 13 for text in texts.values())
    assert np.array(list(vectors.values())).tolist() == encoder.encode(list(texts.values())).tolist()
    assert str(validate(store)).startswith("conforms")
    assert graph.check().clean


def test_every_change_gives_what_a_fresh_build_gives(tmp_path: Path) -> None:
    graph = made(tmp_path, "graph")
    corpus = write_files(tmp_path / "corpus", FILES)
    graph.ingest([corpus])
    first = state(graph)
    write_files(corpus, {"heron.md": CHANGED})
    graph.ingest([corpus])
    changed = state(graph)
    assert changed != first
    (corpus / "towns.csv").unlink()
    graph.delete(["towns.csv"])
    fresh = made(tmp_path, "fresh")
    fresh.ingest([corpus])
    assert state(graph) == state(fresh) != changed
    graph.relink()
    assert state(graph) == state(fresh)
    assert arrays(graph) == arrays(fresh) != set()
    assert graph.check().clean


def test_there_are_none_unless_the_recipe_asks(tmp_path: Path) -> None:
    graph = made(tmp_path, "graph", "")
    graph.add("A heron.", identifier="heron", metadata={v.ABSTRACT: "About a heron."})
    snapshot = graph.snapshot()
    assert snapshot.summaries is None
    assert not (graph.directory.revision(snapshot.number) / "summaries").exists()


def test_an_index_that_is_lost_is_made_again(tmp_path: Path) -> None:
    graph = made(tmp_path, "graph")
    graph.ingest([write_files(tmp_path / "corpus", FILES)])
    before = state(graph)
    graph.close()
    shutil.rmtree(graph.directory.revision(graph.directory.current()) / "summaries")
    shutil.rmtree(graph.directory.live / "summaries")
    opened = KnowledgeGraph.open(graph.directory.path)
    assert opened.snapshot().rebuilt.keys() == {"summaries"}
    assert state(opened) == before
    opened.delete(["towns.csv"])
    assert not opened.snapshot().rebuilt
    assert state(opened)[0].keys() < before[0].keys()
    assert opened.check().clean


def test_a_function_may_write_them_and_a_document_may_bring_its_own(tmp_path: Path) -> None:
    graph = made(tmp_path, "graph")
    graph.summarise = lambda name, texts, words: f"{name}: {len(texts)} of {words}"
    graph.add("# One\n\nA text.", identifier="one", media_type="text/markdown")
    graph.add("A text.", identifier="two", metadata={v.ABSTRACT: "Two."})
    assert sorted(state(graph)[0].values()) == ["One: 1 of 12", "One: 1 of 12", "Two."]


def test_an_update_of_an_abstract_is_followed(tmp_path: Path) -> None:
    graph = made(tmp_path, "graph")
    graph.ingest([write_files(tmp_path / "corpus", FILES)])
    document = graph.iris.document("heron.md")
    with graph.writer() as writer:
        store = writer.change()
        for quad in list(store.quads_for_pattern(NamedNode(document), NamedNode(v.ABSTRACT), None, None)):
            store.remove(quad)
        writer.refresh([document])
        writer.publish()
    texts, vectors = state(graph)
    assert document not in texts
    assert texts.keys() == vectors.keys()
