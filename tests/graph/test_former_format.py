"""A graph of format version 1 or 2, which has other properties, is refused until it is upgraded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from graph.corpus import built, write
from pyoxigraph import NamedNode, Quad, Store
from typer.testing import CliRunner

from sage_ld import KnowledgeGraph
from sage_ld.cli.main import app
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import ConflictError
from sage_ld.graph.store.configuration import FORMAT_VERSION
from sage_ld.graph.store.drafts import CONFIGURATION
from sage_ld.graph.store.terms import node
from sage_ld.graph.upkeep.backup import copy_graph, restore_revision
from sage_ld.service.context import open_service

NIF = "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#"
OFFSETS = {v.BEGIN_INDEX: NIF + "beginIndex", v.END_INDEX: NIF + "endIndex"}
FORMER = {1: {v.TOPIC: v.SCHEMA + "about", v.COLUMN_NUMBER: v.POSITION, **OFFSETS}, 2: OFFSETS}
"""Version -> present property -> the one that it had."""


@pytest.fixture
def graph(tmp_path: Path) -> KnowledgeGraph:
    return built(tmp_path / "graph", write(tmp_path / "corpus"))


@pytest.fixture(params=[1, 2])
def version(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def former(graph: KnowledgeGraph, tmp_path: Path, version: int) -> KnowledgeGraph:
    """The same graph as a former version had it."""
    made = built(tmp_path / "former", tmp_path / "corpus")
    with made.writer() as writer:
        store = writer.change()
        for new, old in FORMER[version].items():
            for quad in list(store.quads_for_pattern(None, node(new), None, None)):
                store.remove(quad)
                store.add(Quad(quad.subject, NamedNode(old), quad.object, quad.graph_name))
        writer.publish()
    file = made.directory.path / CONFIGURATION
    text = file.read_text("utf-8").replace(
        f"format_version = {FORMAT_VERSION}", f"format_version = {version}"
    )
    file.write_text(text, "utf-8")
    return KnowledgeGraph.open(made.directory.path)


def statements(store: Store) -> set[str]:
    """What the graph says, but for what differs from one build to the next."""
    return {str(quad) for quad in store if quad.predicate.value != v.ENDED_AT}


@pytest.mark.parametrize(
    "use", [lambda graph: graph.snapshot(), lambda graph: graph.relink(), lambda graph: graph.ingest([])]
)
def test_a_former_graph_is_refused_with_the_remedy(
    former: KnowledgeGraph, use: Callable[[KnowledgeGraph], object], version: int
) -> None:
    with pytest.raises(ConflictError, match=rf"has format version {version}, .* sage-ld upgrade"):
        use(former)


def test_a_former_graph_is_not_served(former: KnowledgeGraph) -> None:
    with pytest.raises(ConflictError, match="sage-ld upgrade"):
        open_service(former.directory.path)


def test_an_upgrade_makes_it_a_graph_of_today(
    graph: KnowledgeGraph, former: KnowledgeGraph, tmp_path: Path, version: int
) -> None:
    moved = former.upgrade(tmp_path / "backup")
    assert moved > 0
    assert former.directory.format_version() == FORMAT_VERSION
    assert statements(former.snapshot().store) == statements(graph.snapshot().store)
    assert former.check().clean
    backup = KnowledgeGraph.open(tmp_path / "backup")
    assert backup.directory.format_version() == version  # so that the sage-ld that made it reads it
    assert former.upgrade(tmp_path / "again") == 0


def test_an_upgrade_waits_for_the_end_of_a_write(former: KnowledgeGraph, tmp_path: Path) -> None:
    with former.directory.locked(), pytest.raises(ConflictError, match="is being written"):
        KnowledgeGraph.open(former.directory.path).upgrade(tmp_path / "backup")
    assert not (tmp_path / "backup").exists()


def test_what_is_restored_brings_its_version(
    graph: KnowledgeGraph, former: KnowledgeGraph, tmp_path: Path, version: int
) -> None:
    copy_graph(former.directory.path, tmp_path / "old")
    copy_graph(graph.directory.path, tmp_path / "new")
    for folder, expected in (("new", FORMAT_VERSION), ("old", version)):
        restore_revision(tmp_path / folder, former.directory)
        assert former.directory.format_version() == expected


def test_an_upgrade_is_a_command_that_needs_room_for_a_backup(
    former: KnowledgeGraph, tmp_path: Path, version: int
) -> None:
    run, folder = CliRunner().invoke, str(former.directory.path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    assert run(app, ["upgrade", folder, str(tmp_path / "taken")]).exit_code == 1
    assert former.directory.format_version() == version
    told = run(app, ["upgrade", folder, str(tmp_path / "backup")])
    assert told.exit_code == 0
    assert f"format version: {FORMAT_VERSION} (was {version})" in told.output
