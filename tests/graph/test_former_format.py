"""A graph of format version 1, which has other properties for a topic and a column's place, reads alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from graph.corpus import built, write
from pyoxigraph import NamedNode, Quad, Store
from typer.testing import CliRunner

from sage_ld import KnowledgeGraph, Retriever
from sage_ld.cli.main import app
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import ConflictError
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store import reading
from sage_ld.graph.store.configuration import FORMAT_VERSION
from sage_ld.graph.store.drafts import CONFIGURATION
from sage_ld.graph.store.terms import node
from sage_ld.graph.upkeep.backup import copy_graph, restore_revision

QUESTION = "Who wrote the music of the film that won the Golden Heron in 1987?"
FORMER = {v.TOPIC: v.SCHEMA + "about", v.COLUMN_NUMBER: v.POSITION}


@pytest.fixture
def graph(tmp_path: Path) -> KnowledgeGraph:
    return built(tmp_path / "graph", write(tmp_path / "corpus"))


@pytest.fixture
def former(graph: KnowledgeGraph, tmp_path: Path) -> KnowledgeGraph:
    """The same graph as version 1 had it."""
    made = built(tmp_path / "former", tmp_path / "corpus")
    with made.writer() as writer:
        store = writer.change()
        for new, old in FORMER.items():
            for quad in list(store.quads_for_pattern(None, node(new), None, None)):
                store.remove(quad)
                store.add(Quad(quad.subject, NamedNode(old), quad.object, quad.graph_name))
        writer.publish()
    file = made.directory.path / CONFIGURATION
    text = file.read_text("utf-8").replace(f"format_version = {FORMAT_VERSION}", "format_version = 1")
    file.write_text(text, "utf-8")
    return KnowledgeGraph.open(made.directory.path)


def statements(store: Store) -> set[str]:
    """What the graph says, but for what differs from one build to the next."""
    return {str(quad) for quad in store if quad.predicate.value != v.ENDED_AT}


def test_a_former_graph_says_the_same_of_its_chunks(graph: KnowledgeGraph, former: KnowledgeGraph) -> None:
    ours, theirs = (reading.chunks(each.snapshot().store) for each in (graph, former))
    assert ours == theirs
    assert all(each.topic for each in theirs)
    assert any(each.chunk.table and each.chunk.table.columns for each in theirs)


def test_a_former_graph_answers_the_same_and_conforms(graph: KnowledgeGraph, former: KnowledgeGraph) -> None:
    ours, theirs = (Retriever(each).retrieve(QUESTION).results for each in (graph, former))
    assert ours == theirs
    assert validate(former.snapshot().store).conforms


@pytest.mark.parametrize("derive", [lambda graph: graph.relink(), lambda graph: graph.ingest([])])
def test_a_former_graph_derives_the_same_edges(
    former: KnowledgeGraph, derive: Callable[[KnowledgeGraph], object]
) -> None:
    before = statements(former.snapshot().store)
    derive(former)
    assert statements(former.snapshot().store) == before


def test_a_document_that_changed_is_written_anew(former: KnowledgeGraph, tmp_path: Path) -> None:
    (tmp_path / "corpus" / "towns.csv").write_text("Town,River\nSennet,Osme\n", "utf-8")
    former.ingest(tmp_path / "corpus")
    store = former.snapshot().store
    numbers = list(store.quads_for_pattern(None, node(v.COLUMN_NUMBER), None, None))
    assert len(numbers) == 2
    (chunk,) = [each for each in reading.chunks(store) if each.chunk.document == "towns.csv"]
    assert chunk.topic == "towns: Town, River"


def test_an_upgrade_makes_it_a_graph_of_today(
    graph: KnowledgeGraph, former: KnowledgeGraph, tmp_path: Path
) -> None:
    before = statements(former.snapshot().store)
    moved = former.upgrade(tmp_path / "backup")
    assert moved > 0
    assert former.directory.format_version() == FORMAT_VERSION
    assert statements(former.snapshot().store) == statements(graph.snapshot().store) != before
    assert former.check().clean
    backup = KnowledgeGraph.open(tmp_path / "backup")
    assert statements(backup.snapshot().store) == before
    assert backup.directory.format_version() == 1  # so that the sage-ld that made it reads it
    assert former.upgrade(tmp_path / "again") == 0


def test_a_write_keeps_the_version_and_an_upgrade_waits_for_its_end(
    former: KnowledgeGraph, tmp_path: Path
) -> None:
    former.rebase("http://example.org/elsewhere/")
    assert former.directory.configuration().base_iri == "http://example.org/elsewhere/"
    assert former.directory.format_version() == 1
    with former.directory.locked(), pytest.raises(ConflictError, match="is being written"):
        KnowledgeGraph.open(former.directory.path).upgrade(tmp_path / "backup")
    assert not (tmp_path / "backup").exists()


def test_what_is_restored_brings_its_version(
    graph: KnowledgeGraph, former: KnowledgeGraph, tmp_path: Path
) -> None:
    copy_graph(former.directory.path, tmp_path / "old")
    copy_graph(graph.directory.path, tmp_path / "new")
    for folder, version in (("new", FORMAT_VERSION), ("old", 1)):
        restore_revision(tmp_path / folder, former.directory)
        assert former.directory.format_version() == version


def test_an_upgrade_is_a_command_that_needs_room_for_a_backup(former: KnowledgeGraph, tmp_path: Path) -> None:
    run, folder = CliRunner().invoke, str(former.directory.path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    assert run(app, ["upgrade", folder, str(tmp_path / "taken")]).exit_code == 1
    assert former.directory.format_version() == 1
    told = run(app, ["upgrade", folder, str(tmp_path / "backup")])
    assert told.exit_code == 0
    assert f"format version: {FORMAT_VERSION} (was 1)" in told.output
