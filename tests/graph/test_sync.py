"""`ingest(sync=True)`: the graph follows a folder, and loses nothing else than what has gone."""

from __future__ import annotations

import os
import random
import sys
import zipfile
from pathlib import Path

import pytest
from graph.canonical import canonical
from graph.changing import change
from graph.corpus import FILES, built, write

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store import reading


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write(tmp_path / "corpus")


@pytest.fixture
def graph(tmp_path: Path, corpus: Path) -> KnowledgeGraph:
    return built(tmp_path / "kg", corpus)


def identifiers(graph: KnowledgeGraph) -> set[str]:
    return {each.identifier for each in reading.documents(graph.snapshot().store)}


def fresh(path: Path, *folders: Path) -> list[str]:
    graph = KnowledgeGraph.create(path, encoder="jaccard")
    graph.ingest(folders)
    return canonical(graph)


def test_what_has_gone_is_taken_out_and_named(graph: KnowledgeGraph, corpus: Path, tmp_path: Path) -> None:
    (corpus / "towns.csv").unlink()
    (corpus / "films/night-bus.md").rename(corpus / "films/bus.md")
    plain = graph.ingest(corpus)
    assert plain.missing == ["films/night-bus.md", "towns.csv"]
    assert plain.removed_documents == []
    summary = graph.ingest(corpus, sync=True)
    assert (summary.removed_documents, summary.missing) == (["films/night-bus.md", "towns.csv"], [])
    graph.relink()
    assert canonical(graph) == fresh(tmp_path / "fresh", corpus)
    assert graph.ingest(corpus, sync=True).revision is None


def test_a_dry_run_says_the_same_and_changes_nothing(graph: KnowledgeGraph, corpus: Path) -> None:
    (corpus / "towns.csv").unlink()
    (corpus / "new.md").write_text("# New\n\nA new page.\n")
    (corpus / "heron.md").write_text("# Heron\n\nThe heron has flown.\n")
    (corpus / "bad.json").write_text("{")
    before = canonical(graph), sorted(graph.directory.path.rglob("*"))
    dry = graph.ingest(corpus, sync=True, dry_run=True)
    assert (canonical(graph), sorted(graph.directory.path.rglob("*"))) == before
    done = graph.ingest(corpus, sync=True)
    for name in ("added_documents", "replaced_documents", "removed_documents", "unchanged", "failed"):
        assert getattr(dry, name) == getattr(done, name), name
    assert (dry.added_documents, dry.replaced_documents, dry.removed_documents) == (
        ["new.md"],
        ["heron.md"],
        ["towns.csv"],
    )


def test_a_file_that_cannot_be_read_loses_nothing(graph: KnowledgeGraph, corpus: Path) -> None:
    (corpus / "towns.csv").write_text('"')
    (corpus / "songs.jsonl").unlink()
    (corpus / "songs.jsonl").symlink_to(corpus.parent / "outside.jsonl")
    (corpus.parent / "outside.jsonl").write_text("{}")
    summary = graph.ingest(corpus, sync=True)
    assert summary.removed_documents == []
    assert [name for name, _ in summary.failed] == ["towns.csv"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nobody is kept out")
def test_a_folder_that_cannot_be_read_loses_nothing(graph: KnowledgeGraph, corpus: Path) -> None:
    (corpus / "people").chmod(0)
    try:
        assert graph.ingest(corpus, sync=True).removed_documents == []
    finally:
        (corpus / "people").chmod(0o700)


def test_a_folder_that_became_a_link_loses_nothing(graph: KnowledgeGraph, corpus: Path) -> None:
    (corpus / "people").rename(corpus.parent / "people")
    (corpus / "people").symlink_to(corpus.parent / "people")
    assert graph.ingest(corpus, sync=True).removed_documents == []


def test_other_folders_lose_nothing(graph: KnowledgeGraph, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/one.md").write_text("# One\n\nOne.\n")
    graph.ingest(tmp_path / "other")
    (tmp_path / "other/one.md").unlink()
    (corpus / "heron.md").unlink()
    (corpus / "people/mira-tolland.md").unlink()
    assert graph.ingest(corpus / "people", sync=True).removed_documents == ["people/mira-tolland.md"]
    assert graph.ingest(corpus / "towns.csv", sync=True).removed_documents == []
    assert graph.ingest(corpus, sync=True).removed_documents == ["heron.md"]
    assert [name for name, _ in graph.ingest(tmp_path / "nowhere", sync=True).failed] == ["nowhere"]
    assert graph.ingest(tmp_path / "other", sync=True).removed_documents == ["one.md"]


def test_records_that_a_file_no_longer_has_are_taken_out(tmp_path: Path) -> None:
    folder = tmp_path / "lines"
    folder.mkdir()

    def lines(name: str, *numbers: int) -> None:
        text = "".join(f'{{"_id": {each}, "text": "Record number {each}."}}\n' for each in numbers)
        (folder / name).write_text(text)

    lines("a.jsonl", 1, 2, 3)
    lines("b.jsonl", 4, 5)
    graph = built(tmp_path / "kg", folder)
    lines("a.jsonl", 1, 3, 4)
    lines("b.jsonl", 2, 5)
    plain = graph.ingest(folder)
    assert len(plain.failed) == 2, "each has a record of the other's"
    summary = graph.ingest(folder, sync=True)
    assert (summary.failed, summary.removed_documents) == ([], [])
    assert sorted(summary.replaced_documents) == ["2", "4"], "their files have changed places"
    lines("b.jsonl", 2)
    (folder / "a.jsonl").rename(folder / "c.jsonl")
    summary = graph.ingest(folder, sync=True)
    assert (summary.removed_documents, summary.failed) == (["5"], [])
    graph.relink()
    assert canonical(graph) == fresh(tmp_path / "fresh", folder)


def test_only_the_named_changes_are_read(graph: KnowledgeGraph, corpus: Path) -> None:
    (corpus / "heron.md").write_text("# Heron\n\nThe heron has flown.\n")
    (corpus / "towns.csv").write_text("Town,River\nSennet,Osme\n")
    (corpus / "films/night-bus.md").unlink()
    summary = graph.ingest(corpus, sync=True, only=[corpus / "heron.md"])
    assert (summary.replaced_documents, summary.unchanged) == (["heron.md"], 0)
    assert summary.removed_documents == ["films/night-bus.md"]
    assert graph.ingest(corpus, only=[corpus]).replaced_documents == ["towns.csv"]
    assert graph.ingest(corpus, only=[]).unchanged == 0
    beside = graph.ingest(corpus, only=[corpus / "towns.csv-metadata.json"])
    assert beside.unchanged == 1, "what lies beside a file may say something about it"


def test_a_folder_that_is_empty_now_empties_the_graph(graph: KnowledgeGraph, corpus: Path) -> None:
    for name in FILES:
        (corpus / name).unlink()
    assert graph.ingest(corpus, sync=True).removed == len(FILES)
    assert identifiers(graph) == set()
    write(corpus, ("towns.csv",))
    assert graph.ingest(corpus, sync=True).added_documents == ["towns.csv"]


def test_any_changes_end_in_the_graph_of_a_fresh_ingest(
    tmp_path: Path, corpus: Path, graph: KnowledgeGraph
) -> None:
    """Whatever happens between two syncs: new, changed, renamed, swapped, gone."""
    chance = random.Random(16)
    for turn in range(6):
        for number in range(chance.randrange(1, 6)):
            change(corpus, chance, f"{turn}-{number}")
        graph.ingest(corpus, sync=True)
    before = [each for each in canonical(graph) if "/graph/document/" in each]
    graph.relink()
    expected = fresh(tmp_path / "fresh", corpus)
    assert canonical(graph) == expected
    assert before == [each for each in expected if "/graph/document/" in each]


def test_a_file_in_an_archive_that_cannot_be_read_keeps_no_others(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()

    def pack(**files: str) -> None:
        with zipfile.ZipFile(folder / "a.zip", "w") as archive:
            for name, text in files.items():
                archive.writestr(name.replace("_", "."), text)

    record = '{"_id": "r1", "text": "A record."}'
    graph = KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")
    pack(x_md="The heron.", bad_json='{"text": "Not yet broken."}', r_jsonl=record)
    assert graph.ingest(folder).added == 3
    pack(y_md="The wren.", bad_json="{", r_jsonl="{")
    summary = graph.ingest(folder, sync=True)
    assert summary.removed_documents == ["a.zip/x.md"]
    assert identifiers(graph) == {"a.zip/y.md", "a.zip/bad.json", "r1"}
    pack(y_md="The wren.")
    assert sorted(graph.ingest(folder, sync=True).removed_documents) == ["a.zip/bad.json", "r1"]
