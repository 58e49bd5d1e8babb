"""A graph as a whole: what goes in comes out, the same from the same, and nothing is left behind."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from graph.canonical import canonical, indexed_links, stored_links
from graph.corpus import FILES, write

from sage_ld.build.readers.reading import read_paths
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.changes import ingestion
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store import reading
from sage_ld.graph.store.directory import PARTS
from sage_ld.graph.store.statistics import summary
from sage_ld.graph.store.terms import node
from sage_ld.graph.store.user_statements import users_quads
from sage_ld.graph.upkeep.backup import copy_graph
from sage_ld.graph.writing import writer as writer_module
from sage_ld.retrieval import Retriever


def build(path: Path, *folders: Path, encoder: str = "jaccard", **options: bool) -> KnowledgeGraph:
    graph = KnowledgeGraph.create(path, encoder=encoder)
    graph.ingest(folders, **options)
    return graph


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write(tmp_path / "corpus")


def test_every_kind_of_file_is_in_the_graph_and_it_conforms(tmp_path: Path, corpus: Path) -> None:
    graph = build(tmp_path / "graph", corpus)
    store = graph.snapshot().store
    counts = summary(graph.snapshot().stores)
    assert counts["documents"] == len(FILES)
    kinds = {each.chunk.kind for each in reading.chunks(store)}
    assert {str(kind) for kind in kinds} == {"text", "table", "record"}
    report = validate(store)
    assert report.conforms, str(report)


def test_a_hyperlink_and_a_title_in_the_text_become_links(tmp_path: Path, corpus: Path) -> None:
    store = build(tmp_path / "graph", corpus).snapshot().store
    by_iri = {each.iri: each.identifier for each in reading.documents(store)}
    found = set()
    for quad in store.quads_for_pattern(None, node(v.LINKS_TO), None, None):
        source = next(store.quads_for_pattern(quad.subject, node(v.TEXT), None, None)).object.value
        found.add((source.split()[0], by_iri[quad.object.value]))
    assert ("Year:", "films/night-bus.md") in found
    assert ("Night", "people/mira-tolland.md") in found


def test_ignored_links_leave_no_trace(tmp_path: Path, corpus: Path) -> None:
    store = build(tmp_path / "graph", corpus, ignore_links=True).snapshot().store
    assert not list(store.quads_for_pattern(None, node(v.HREF), None, None))


@pytest.mark.parametrize("encoder", ["jaccard", "minilm:int8"])
def test_shuffled_input_gives_the_same_graph(
    tmp_path: Path, encoder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = tuple(FILES)
    first = build(tmp_path / "a", write(tmp_path / "one", names), encoder=encoder)
    monkeypatch.setenv("SAGE_LD_CACHE_DIR", str(tmp_path / "empty-cache"))
    second = build(tmp_path / "b", write(tmp_path / "two", names[::-1]), encoder=encoder)
    assert canonical(first) == canonical(second)


def test_few_chunks_wait_for_the_indexes_and_the_graph_is_the_same(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = build(tmp_path / "once", corpus)
    monkeypatch.setattr(ingestion, "BATCH_DOCUMENTS", 2)
    monkeypatch.setattr(writer_module, "_MOST_ADDED", 3)
    waiting: list[int] = []
    add = writer_module.Writer.add

    def counted(self: writer_module.Writer, *arguments: Any) -> None:
        add(self, *arguments)
        waiting.append(len(self._added))

    monkeypatch.setattr(writer_module.Writer, "add", counted)
    often = build(tmp_path / "often", corpus)
    assert len(waiting) > 1
    assert max(waiting) <= 3
    assert canonical(often) == canonical(once)
    for name in PARTS[1:]:
        files = [
            {
                file.name.partition(".")[2]: file.read_bytes()
                for file in (graph.directory.revision(1) / name).glob("*.arrays")
            }
            for graph in (once, often)
        ]
        assert files[0] == files[1] != {}


def test_the_index_of_links_follows_every_change(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_LD_RELINK_SHARE", "1000")
    graph = build(tmp_path / "graph", corpus)
    seen = [stored_links(graph)]

    def follows() -> bool:
        seen.append(stored_links(graph))
        return indexed_links(graph) == seen[-1] != seen[-2]

    assert indexed_links(graph) == seen[0] != {}
    (corpus / "nils.md").write_text(
        "# Nils Garrow\n\nNils Garrow filmed Night Bus to Hask with Mira Tolland.\n"
    )
    graph.ingest([corpus])  # what names him links to him now
    assert follows()
    (corpus / "people/mira-tolland.md").write_text("# Mira Tolland\n\nMira Tolland retired to Quillport.\n")
    graph.ingest([corpus])  # links from and to what was replaced
    assert follows()
    graph.delete(["films/night-bus.md"])  # links to what is gone
    assert follows()
    graph.relink()
    assert indexed_links(graph) == stored_links(graph)


def test_an_index_of_links_that_is_not_there_is_made_from_the_store(tmp_path: Path, corpus: Path) -> None:
    graph = build(tmp_path / "graph", corpus)
    before = indexed_links(graph)
    shutil.rmtree(tmp_path / "graph/live/links")
    with graph.writer() as writer:
        writer.publish()
    assert indexed_links(graph) == before != {}


@pytest.mark.parametrize("encoder", ["jaccard", "minilm:int8"])
def test_what_is_deleted_leaves_nothing_after_relinking(tmp_path: Path, encoder: str) -> None:
    names = tuple(FILES)
    kept, gone = write(tmp_path / "kept", names[:4]), write(tmp_path / "gone", names[4:])
    both = build(tmp_path / "both", kept, gone, encoder=encoder)
    both.delete(names[4:])
    both.relink()
    alone = build(tmp_path / "alone", kept, encoder=encoder)
    assert canonical(both) == canonical(alone)
    question = "Who wrote the music of the film that won in 1987?"
    for index in ("lexical",):
        left, right = (getattr(each.snapshot(), index).search(question, 10) for each in (both, alone))
        assert left[0] == right[0]
        assert left[1].tolist() == right[1].tolist()


def test_nothing_of_a_deleted_document_is_left_before_relinking(tmp_path: Path, corpus: Path) -> None:
    graph = build(tmp_path / "graph", corpus)
    mira = "people/mira-tolland.md"
    chunks = reading.chunks_of(graph.snapshot().store, graph.iris.document(mira))
    summary = graph.delete([mira])
    assert (summary.documents, summary.chunks) == ((mira,), len(chunks))
    snapshot = graph.snapshot()
    for iri in (*chunks, graph.iris.document(mira), graph.iris.document_graph(graph.iris.document(mira))):
        assert not [quad for quad in snapshot.store if f"<{iri}>" in str(quad)]
    assert not set(chunks) & (set(snapshot.lexical.iris) | set(snapshot.vectors.iris))
    named = set(snapshot.store.quads_for_pattern(None, node(v.MENTIONS), None, None))
    labelled = snapshot.store.quads_for_pattern(None, node(v.PREF_LABEL), None, None)
    assert {quad.subject for quad in labelled} == {quad.object for quad in named}
    assert validate(snapshot.store).conforms


def test_ingesting_again_changes_nothing(tmp_path: Path, corpus: Path) -> None:
    graph = build(tmp_path / "graph", corpus)
    before = canonical(graph)
    summary = graph.ingest([corpus])
    assert (summary.added, summary.replaced, summary.unchanged, summary.revision) == (0, 0, len(FILES), None)
    assert canonical(graph) == before


def test_a_changed_file_replaces_what_it_said(tmp_path: Path, corpus: Path) -> None:
    graph = build(tmp_path / "graph", corpus)
    file = corpus / "people/mira-tolland.md"
    file.write_text("# Mira Tolland\n\nMira Tolland retired to Quillport.\n")
    assert graph.ingest([corpus]).replaced == 1
    graph.relink()
    assert canonical(graph) == canonical(build(tmp_path / "fresh", corpus))


def test_a_small_addition_is_linked_by_the_thresholds_that_are_there(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_LD_RELINK_SHARE", "1000")
    graph = build(tmp_path / "graph", corpus)
    builds = canonical_builds(graph)
    extra = tmp_path / "extra"
    extra.mkdir()
    (extra / "nils.md").write_text(
        "# Nils Garrow\n\nNils Garrow filmed Night Bus to Hask. Mira Tolland scored it.\n"
    )
    graph.ingest([extra])
    assert canonical_builds(graph) == builds
    store = graph.snapshot().store
    nils = node(graph.iris.document("nils.md"))
    sources = {quad.subject for quad in store.quads_for_pattern(None, node(v.LINKS_TO), nils, None)}
    assert sources, "old chunks that name the new title link to it"
    assert validate(store).conforms
    graph.relink()
    assert canonical(graph) == canonical(build(tmp_path / "fresh", corpus, extra))


def canonical_builds(graph: KnowledgeGraph) -> set[str]:
    store = graph.snapshot().store
    return {str(quad) for quad in store.quads_for_pattern(None, None, None, node(graph.iris.builds_graph))}


def test_a_lost_index_is_made_anew_from_the_store(tmp_path: Path, corpus: Path) -> None:
    graph = build(tmp_path / "graph", corpus)
    expected = graph.snapshot().lexical.search("accordion", 5)
    graph.close()
    for part in ("lexical", "vectors"):
        shutil.rmtree(graph.directory.live / part)
    graph.ingest([corpus])
    found = graph.snapshot().lexical.search("accordion", 5)
    assert (found[0], found[1].tolist()) == (expected[0], expected[1].tolist())
    assert sorted(graph.snapshot().vectors.iris) == reading.chunk_iris(graph.snapshot().store)


def test_one_bad_file_hinders_no_other(tmp_path: Path, corpus: Path) -> None:
    (corpus / "broken.json").write_text("{")
    (corpus / "image.png").write_bytes(b"\x89PNG")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    summary = graph.ingest([corpus])
    assert summary.added == len(FILES)
    assert [name for name, _ in summary.failed] == ["broken.json"]
    assert summary.skipped == {"a picture, whose text is read with --ocr": ["image.png"]}


def test_deleting_what_is_not_there_deletes_nothing(tmp_path: Path, corpus: Path) -> None:
    graph = build(tmp_path / "graph", corpus)
    before = canonical(graph)
    with pytest.raises(NotFoundError, match=r"nobody\.md.*nothing was deleted"):
        graph.delete(["heron.md", "nobody.md"])
    assert canonical(graph) == before


def test_a_backup_is_a_graph_and_restores_to_the_same(tmp_path: Path, corpus: Path) -> None:
    graph = build(tmp_path / "graph", corpus)
    copy_graph(tmp_path / "graph", tmp_path / "backup")
    graph.delete(["heron.md"])
    copy_graph(tmp_path / "backup", tmp_path / "restored")
    assert canonical(KnowledgeGraph.open(tmp_path / "restored")) == canonical(
        build(tmp_path / "fresh", corpus)
    )
    with pytest.raises(InputError, match="is already a graph"):
        copy_graph(tmp_path / "backup", tmp_path / "restored")


@pytest.mark.skipif(os.name == "nt", reason="Windows syncs folders by itself")
def test_revisions_and_backups_are_on_disk_before_they_count(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: set[int] = set()

    def recording(descriptor: int) -> None:
        synced.add(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", recording)
    graph = build(tmp_path / "graph", corpus)
    written = graph.directory.revisions.rglob("*")
    assert [path for path in written if path.is_dir() and path.stat().st_ino not in synced] == []
    copy_graph(tmp_path / "graph", tmp_path / "copy")
    copied = (tmp_path / "copy" / "revisions").rglob("*")
    assert [path for path in copied if path.stat().st_ino not in synced] == []


def test_an_error_while_writing_leaves_the_graph_as_it_was(tmp_path: Path, corpus: Path) -> None:
    graph = build(tmp_path / "graph", corpus)
    before = canonical(graph)
    with pytest.raises(ZeroDivisionError), graph.writer() as writer:
        1 / len(writer.remove([graph.iris.document("heron.md")]).entities & {"no entity"})
    assert canonical(graph) == before
    assert graph.delete(["heron.md"]).chunks > 0


def test_a_recipe_file_is_kept_with_the_graph(tmp_path: Path, corpus: Path) -> None:
    file = tmp_path / "narrow.toml"
    file.write_text('base = "java"\n[chunking]\nrows = 2\nleast_rows = 1\n')
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard", recipe=str(file))
    file.unlink()
    graph.ingest([corpus])
    copy_graph(tmp_path / "graph", tmp_path / "copy")
    copy = KnowledgeGraph.open(tmp_path / "copy")
    assert copy.recipe == graph.recipe
    tables = [each.chunk.table for each in reading.chunks(copy.snapshot().store) if each.chunk.table]
    assert max(part.last_row - part.first_row for part in tables) == 1


def test_a_search_answers_while_another_writes(tmp_path: Path, corpus: Path) -> None:
    mira = corpus / "people/mira-tolland.md"
    text = mira.read_text()
    mira.unlink()
    graph = build(tmp_path / "graph", corpus)
    reader = Retriever(KnowledgeGraph.open(tmp_path / "graph"))
    question = "Who plays the accordion and the theremin?"

    def found() -> set[str]:
        return {each.view.identifier for each in reader.retrieve(question).results}

    before = reader.retrieve(question).revision
    with graph.writer() as writer:
        writer.remove([graph.iris.document("heron.md")])
        assert "heron.md" in found()
        assert reader.retrieve(question).revision == before
        writer.publish()
    assert "heron.md" not in found()
    mira.write_text(text)
    graph.ingest([corpus])
    assert "people/mira-tolland.md" in found()
    assert reader.retrieve(question).revision > before


def test_blank_nodes_of_a_file_keep_the_names_that_follow_from_what_it_says(tmp_path: Path) -> None:
    """Beside documents without any, which are loaded as a text that would rename them."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "note.md").write_text("# Note\n\nA note about Ada.\n")
    turtle = (
        '@prefix ex: <http://example.org/> .\nex:ada ex:knows [ ex:name "Grace" ], [ ex:name "Mary" ] .\n'
    )
    (data / "people.ttl").write_text(turtle)
    graph = KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")
    graph.ingest([data])
    documents = (each for read in read_paths([data], graph.settings) for each in read.documents)
    stated = {each.triple for document in documents for each in users_quads(document, graph.iris.base)}
    assert stated
    assert stated <= {quad.triple for quad in graph.snapshot().store}
