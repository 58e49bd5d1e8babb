"""A graph whose files are damaged or gone: readers go on where they can, and no writer loses what is left."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from durability.test_damaged_indexes import cut, graph, replaced, undamaged
from service.web import client_of

from sage_ld.foundation.errors import ConflictError, InputError, NotFoundError, SageError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store import reading
from sage_ld.graph.store.configuration import MADE_FILE
from sage_ld.graph.store.durable_files import remove
from sage_ld.graph.store.graph_files import CURRENT

__all__ = ["graph", "undamaged"]
COUNT = "SELECT (COUNT(*) AS ?n) { ?d a <https://w3id.org/sage-ld#Document> }"


DEEP = b"x = " + b"[" * 5_000


def newest(graph: KnowledgeGraph) -> Path:
    return graph.directory.revision(graph.directory.current())


def documents(graph: KnowledgeGraph) -> list[str]:
    """The identifiers that a process sees which opens the graph now."""
    opened = KnowledgeGraph.open(graph.directory.path)
    try:
        return [each.identifier for each in reading.documents(opened.snapshot().store)]
    finally:
        opened.close()


def damage_store(revision: Path) -> None:
    """Cuts the largest file of a revision's store, which the writer's store keeps whole."""
    cut(max((revision / "store").glob("*.sst"), key=lambda file: file.stat().st_size), 0.5)


@pytest.fixture
def former(graph: KnowledgeGraph) -> list[str]:
    """The documents of a revision that somebody reads, behind which there is a newer one."""
    before = documents(graph)
    graph.snapshot()
    KnowledgeGraph.open(graph.directory.path).delete(["heron.md"])
    return before


def test_readers_take_the_revision_before(
    graph: KnowledgeGraph, former: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    damage_store(newest(graph))
    assert documents(graph) == former
    assert "is read in its place" in caplog.text
    assert [each.identifier for each in reading.documents(graph.snapshot().store)] == former


def test_the_service_shows_the_revision_before_and_says_so(graph: KnowledgeGraph, former: list[str]) -> None:
    number = graph.directory.current()
    damage_store(newest(graph))
    with client_of(graph.directory.path) as client:
        told = client.get("/health")
        assert told.status_code == 200
        assert (told.json["status"], told.json["revision"]) == ("degraded", number - 1)
        assert f"revision {number} cannot be read" in told.json["damage"]["revision"]
        counted = client.get("/sparql", query_string={"query": COUNT})
        assert counted.json["results"]["bindings"][0]["n"]["value"] == str(len(former))
        assert client.get("/v1/retrieve?q=heron").status_code == 200
        assert 'sage_ld_damaged{part="revision"} 1.0' in client.get("/metrics").text


def test_a_write_heals_it_from_the_writers_own_files(graph: KnowledgeGraph, former: list[str]) -> None:
    damage_store(newest(graph))
    graph.delete(["towns.csv"])
    assert documents(graph) == [each for each in former if each not in ("heron.md", "towns.csv")]


@pytest.mark.parametrize("gone", ["store", "store/CURRENT"])
def test_a_write_without_the_writers_store_loses_nothing(graph: KnowledgeGraph, gone: str) -> None:
    """Opened for writing, a folder without a store would become an empty one."""
    before = documents(graph)
    remove(graph.directory.live / gone)
    graph.delete(["heron.md"])
    assert documents(graph) == [each for each in before if each != "heron.md"]


@pytest.mark.parametrize("content", [b"", b"x", b"\xff", b"-", b"999"])
def test_a_damaged_current_stops_no_reader(graph: KnowledgeGraph, undamaged: Path, content: bytes) -> None:
    replaced(graph.directory.path / CURRENT, content)
    assert documents(graph) == documents(KnowledgeGraph.open(undamaged))
    with client_of(graph.directory.path) as client:
        assert client.get("/health").json["status"] == "degraded"
        assert client.get("/v1/retrieve?q=heron").status_code == 200


@pytest.mark.parametrize("content", [b"", b"x", b"\xff", b"999"])
def test_a_damaged_current_stops_each_writer_and_nothing_goes(graph: KnowledgeGraph, content: bytes) -> None:
    before = documents(graph)
    replaced(graph.directory.path / CURRENT, content)
    (graph.directory.live / "revision").unlink()
    with pytest.raises(SageError, match=r"damaged|missing"):
        graph.delete(["heron.md"])
    assert documents(graph) == before
    assert (graph.directory.live / "store" / "CURRENT").is_file()


def test_a_current_that_is_missing_is_put_back(graph: KnowledgeGraph) -> None:
    before, number = documents(graph), graph.directory.current()
    (graph.directory.path / CURRENT).unlink()
    assert documents(graph) == before
    graph.delete(["heron.md"])
    assert graph.directory.current() == number + 1
    assert documents(graph) == [each for each in before if each != "heron.md"]


def test_a_revision_that_is_missing_comes_back_from_the_writers_own_files(graph: KnowledgeGraph) -> None:
    before = documents(graph)
    shutil.rmtree(newest(graph))
    with pytest.raises(InputError, match="in-use is missing"):
        documents(graph)
    graph.delete(["heron.md"])
    assert documents(graph) == [each for each in before if each != "heron.md"]


def test_without_revision_and_without_the_writers_own_files_nothing_is_removed(
    graph: KnowledgeGraph, former: list[str]
) -> None:
    shutil.rmtree(newest(graph))
    shutil.rmtree(graph.directory.live)
    with pytest.raises(InputError, match=r"is damaged.*restore a backup"):
        graph.delete(["towns.csv"])
    graph.close()
    assert documents(graph) == former


@pytest.mark.parametrize("content", [b"", b"format_version = ", b"\xff", b"format_version = 2\n", DEEP])
def test_a_configuration_that_is_damaged_is_named(graph: KnowledgeGraph, content: bytes) -> None:
    replaced(graph.directory.path / "sage-ld.toml", content)
    with pytest.raises(InputError, match=r"sage-ld\.toml is damaged.*restore it from a backup"):
        KnowledgeGraph.open(graph.directory.path)


@pytest.mark.parametrize("content", [b"base_iri = ", DEEP])
def test_a_revision_without_its_names_is_not_written_over(graph: KnowledgeGraph, content: bytes) -> None:
    replaced(newest(graph) / MADE_FILE, content)
    with pytest.raises(InputError, match=r"made\.toml is damaged"):
        KnowledgeGraph.open(graph.directory.path).delete(["heron.md"])


def test_a_store_that_another_process_has_open_is_named(graph: KnowledgeGraph) -> None:
    holding = "import sys, pyoxigraph; store = pyoxigraph.Store(sys.argv[1]); print(flush=True); input()"
    command = [sys.executable, "-c", holding, str(graph.directory.live / "store")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline()
        with pytest.raises(ConflictError, match=r"open in another process.*sage-ld serve"):
            graph.delete(["heron.md"])
        process.communicate(b"\n")
    graph.delete(["heron.md"])


def test_a_graph_that_is_gone_is_named(graph: KnowledgeGraph) -> None:
    shutil.rmtree(graph.directory.path)
    with pytest.raises(NotFoundError, match="is not a graph"):
        KnowledgeGraph.open(graph.directory.path)
