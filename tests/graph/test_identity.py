"""One file is one document, whichever path it is named by, and takes the place of no other file's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from graph.canonical import canonical

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store import reading
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.upkeep.backup import copy_graph


@pytest.fixture
def nest(tmp_path: Path) -> Path:
    """A folder with a file three levels deep, and one beside it."""
    (tmp_path / "nest/a/b").mkdir(parents=True)
    (tmp_path / "nest/a/b/deep.md").write_text("# Deep\n\nDeep water.\n")
    (tmp_path / "nest/top.md").write_text("# Top\n\nThe top of [the deep](a/b/deep.md).\n")
    return tmp_path / "nest"


@pytest.fixture
def graph(tmp_path: Path) -> KnowledgeGraph:
    return KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")


def documents(graph: KnowledgeGraph) -> dict[str, StoredDocument]:
    return {each.identifier: each for each in reading.documents(graph.snapshot().store)}


def test_a_file_named_by_itself_is_the_document_that_its_folder_gave(
    nest: Path, graph: KnowledgeGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph.ingest(nest)
    monkeypatch.chdir(nest / "a")
    (tmp_path / "link").symlink_to(nest)
    for path in (nest / "a/b/deep.md", nest / "a", Path("b/deep.md"), Path(".."), tmp_path / "link/a/../a/b"):
        summary = graph.ingest(path)
        assert (summary.added, summary.replaced, summary.failed) == (0, 0, []), path
        assert summary.unchanged
    assert sorted(documents(graph)) == ["a/b/deep.md", "top.md"]
    assert graph.directory.roots() == {"1": os.path.realpath(nest)}
    assert validate(graph.snapshot().store).conforms


def test_a_file_that_came_first_keeps_its_name_when_the_folder_above_comes(
    nest: Path, graph: KnowledgeGraph
) -> None:
    graph.ingest(nest / "a/b/deep.md")
    summary = graph.ingest(nest)
    assert (summary.added_documents, summary.unchanged) == (["top.md"], 1)
    assert sorted(documents(graph)) == ["deep.md", "top.md"]


def test_a_root_that_is_named_is_what_identifiers_begin_below(nest: Path, graph: KnowledgeGraph) -> None:
    graph.ingest(nest / "a/b/deep.md", root=nest)
    graph.ingest(nest)
    assert sorted(documents(graph)) == ["a/b/deep.md", "top.md"]
    with pytest.raises(InputError, match=r"lies below .*nest, a root that the graph remembers"):
        graph.ingest(nest / "a/b/deep.md", root=nest / "a")
    with pytest.raises(InputError, match="does not lie below --root"):
        graph.ingest(nest, root=graph.directory.path)
    with pytest.raises(InputError, match="is not a folder"):
        graph.ingest(nest, root=nest / "top.md")


def test_the_same_files_from_another_place_give_the_same_graph(nest: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/z.md").write_text("# Z\n\nThe end.\n")
    first = KnowledgeGraph.create(tmp_path / "first", encoder="jaccard")
    first.ingest([nest, tmp_path / "other"])
    (tmp_path / "elsewhere").mkdir()
    nest.rename(tmp_path / "elsewhere/zzz")
    (tmp_path / "other").rename(tmp_path / "elsewhere/aaa")
    second = KnowledgeGraph.create(tmp_path / "second", encoder="jaccard")
    second.ingest([tmp_path / "elsewhere/aaa", tmp_path / "elsewhere/zzz"])
    assert canonical(first) == canonical(second)
    assert not any(str(tmp_path) in statement for statement in canonical(second))


def test_no_document_takes_the_place_of_one_from_another_file(
    tmp_path: Path, graph: KnowledgeGraph, nest: Path
) -> None:
    (nest / "r.jsonl").write_text('{"_id": 1, "text": "one"}\n{"_id": 2, "text": "two"}\n')
    other = tmp_path / "other"
    other.mkdir()
    (other / "top.md").write_text("# Top\n\nAnother top.\n")
    (other / "q.jsonl").write_text('{"_id": 1, "text": "uno"}\n{"_id": 3, "text": "tre"}\n')
    (other / "new.md").write_text("# New\n\nNothing else has this name.\n")
    graph.ingest(nest)
    before = canonical(graph)
    summary = graph.ingest([other / "top.md", other / "q.jsonl"])
    assert (summary.added, summary.replaced, summary.revision) == (0, 0, None)
    reasons = dict(summary.failed)
    assert (
        f"'1' is the identifier of a document that came from {nest.resolve() / 'r.jsonl'}"
        in reasons["q.jsonl"]
    )
    assert f"came from {nest.resolve() / 'top.md'}" in reasons["top.md"]
    assert canonical(graph) == before
    summary = graph.ingest(other)
    assert (summary.added_documents, len(summary.failed)) == (["new.md"], 2)
    summary = graph.ingest(other, replace=True)
    assert (summary.added_documents, sorted(summary.replaced_documents)) == (["3"], ["1", "top.md"])
    assert documents(graph)["1"].path == "q.jsonl"
    assert documents(graph)["1"].root == documents(graph)["new.md"].root == "2"
    assert "q.jsonl" not in dict(graph.ingest(other).failed)
    assert "r.jsonl" in dict(graph.ingest(nest).failed), "now the first ones are the strangers"


def test_a_graph_that_does_not_say_where_its_documents_came_from_learns_it(
    nest: Path, graph: KnowledgeGraph
) -> None:
    """A graph of an earlier version."""
    graph.ingest(nest)
    after = canonical(graph)
    with graph.writer() as writer:
        for quad in list(writer.store):
            if quad.predicate.value in (v.FILE_ROOT, v.FILE_PATH):
                writer.change().remove(quad)
        writer.publish()
    (graph.directory.path / "roots.json").unlink()
    assert canonical(graph) != after
    summary = graph.ingest(nest)
    assert (summary.unchanged, summary.added, summary.replaced) == (2, 0, 0)
    assert canonical(graph) == after
    assert graph.ingest(nest).revision is None


def test_roots_that_are_lost_are_not_taken_for_others(
    nest: Path, graph: KnowledgeGraph, tmp_path: Path
) -> None:
    graph.ingest(nest)
    copy_graph(graph.directory.path, tmp_path / "copy")
    assert KnowledgeGraph.open(tmp_path / "copy").ingest(nest).unchanged == 2
    (graph.directory.path / "roots.json").unlink()
    assert len(graph.ingest(nest).failed) == 2
    graph.ingest(nest, replace=True)
    assert graph.directory.roots() == {"2": os.path.realpath(nest)}
    (graph.directory.path / "roots.json").write_text("[1]")
    with pytest.raises(InputError, match=r"roots\.json is damaged .* repair it"):
        graph.ingest(nest)


def test_a_graph_in_the_folder_is_no_file_of_it(nest: Path) -> None:
    graph = KnowledgeGraph.create(nest / "kg", encoder="jaccard")
    summary = graph.ingest(nest)
    assert sorted(summary.added_documents) == ["a/b/deep.md", "top.md"]
    assert summary.skipped == {"a graph of sage-ld": ["kg"]}


@pytest.mark.parametrize("duplicates", ["keep", "skip"])
def test_the_same_content_under_two_names_is_kept_once_or_twice(
    nest: Path, graph: KnowledgeGraph, duplicates: str
) -> None:
    (nest / "again.md").write_bytes((nest / "top.md").read_bytes())
    summary = graph.ingest(nest, duplicates=duplicates)
    assert summary.duplicates == {"top.md": "again.md"}
    kept = {"again.md", "a/b/deep.md", "top.md"} - summary.skipped_duplicates
    assert set(documents(graph)) == kept
    assert len(kept) == (3 if duplicates == "keep" else 2)
    with pytest.raises(InputError, match="'some' is not a choice; give keep or skip"):
        graph.ingest(nest, duplicates="some")


def test_skipping_takes_out_a_duplicate_and_puts_back_the_last(nest: Path, graph: KnowledgeGraph) -> None:
    (nest / "again.md").write_bytes((nest / "top.md").read_bytes())
    graph.ingest(nest)
    assert graph.ingest(nest, duplicates="skip").removed_documents == ["top.md"]
    (nest / "again.md").unlink()
    summary = graph.ingest(nest, duplicates="skip", sync=True)
    assert (summary.added_documents, summary.removed_documents) == (["top.md"], ["again.md"])
