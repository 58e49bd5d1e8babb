"""A graph's directory: created once, locked by one writer, published whole, never half."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Store
from waiting import PATIENCE

from sage_ld.foundation.errors import ConflictError, InputError, NotFoundError
from sage_ld.graph.store.configuration import FORMAT_VERSION, Configuration
from sage_ld.graph.store.directory import PARTS, Directory
from sage_ld.graph.store.drafts import CONFIGURATION

FACT = Quad(NamedNode("http://example.org/a"), NamedNode("http://example.org/p"), Literal("1"))
OTHER = Quad(NamedNode("http://example.org/b"), NamedNode("http://example.org/p"), Literal("2"))


@pytest.fixture
def directory(tmp_path: Path) -> Directory:
    result = Directory(tmp_path / "graph")
    result.create(Configuration(settings=(("max_json_depth", 7),)))
    return result


def write(directory: Directory, *quads: Quad, publish: bool = True) -> int | None:
    directory.prepare_live()
    store = Store(str(directory.live / "store"))
    for part in PARTS[1:]:
        (directory.live / part).mkdir(exist_ok=True)
    directory.mark_changing()
    store.extend(quads)
    return directory.publish(store) if publish else None


def quads_of(directory: Directory) -> set[Quad]:
    number, pin = directory.pin()
    with pin:
        return set(Store.read_only(str(directory.revision(number) / "store")))


def test_configuration_comes_back(directory: Directory) -> None:
    assert directory.configuration() == Configuration(settings=(("max_json_depth", 7),))


def test_what_is_published_is_read(directory: Directory) -> None:
    assert write(directory, FACT) == 1
    assert quads_of(directory) == {FACT}


def test_what_is_not_published_never_happened(directory: Directory) -> None:
    write(directory, FACT)
    write(directory, OTHER, publish=False)
    assert quads_of(directory) == {FACT}
    assert write(directory) == 2
    assert quads_of(directory) == {FACT}


def test_a_pinned_revision_outlives_its_successors(directory: Directory) -> None:
    write(directory, FACT)
    number, pin = directory.pin()
    write(directory, OTHER)
    write(directory)
    assert set(Store.read_only(str(directory.revision(number) / "store"))) == {FACT}
    pin.close()
    directory.prepare_live()
    assert not directory.revision(number).exists()


def test_leftovers_of_a_crash_while_publishing_are_removed(directory: Directory) -> None:
    write(directory, FACT)
    (directory.revisions / "000002.tmp").mkdir()
    directory.revision(3).mkdir()
    write(directory, OTHER)
    assert quads_of(directory) == {FACT, OTHER}
    assert sorted(each.name for each in directory.revisions.iterdir()) == ["000002"]


def _try_lock(path: Path, queue: multiprocessing.Queue[str]) -> None:
    try:
        with Directory(path).locked():
            queue.put("locked")
    except ConflictError as error:
        queue.put(str(error))


def test_a_second_writer_is_refused_and_told_who_writes(directory: Directory) -> None:
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    with directory.locked():
        process = context.Process(target=_try_lock, args=(directory.path, queue))
        process.start()
        assert "is being written by process" in queue.get(timeout=PATIENCE)
        process.join()
    process = context.Process(target=_try_lock, args=(directory.path, queue))
    process.start()
    assert queue.get(timeout=PATIENCE) == "locked"
    process.join()


def test_a_directory_that_is_no_graph_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="is not a graph"):
        Directory(tmp_path).configuration()
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        Directory(tmp_path).create(Configuration())


def test_a_newer_format_is_refused(directory: Directory) -> None:
    file = directory.path / CONFIGURATION
    file.write_text(file.read_text().replace(f"format_version = {FORMAT_VERSION}", "format_version = 99"))
    with pytest.raises(ConflictError, match=r"format version 99.*upgrade"):
        directory.configuration()


@pytest.mark.parametrize("base", ["", "localhost", "ftp://x/", "http://x", "http://x/a b/", "http://x/<>/"])
def test_a_bad_base_iri_is_refused(tmp_path: Path, base: str) -> None:
    with pytest.raises(InputError, match="base IRI"):
        Directory(tmp_path / "graph").create(Configuration(base_iri=base))


def test_an_empty_graph_says_how_to_fill_it(directory: Directory) -> None:
    with pytest.raises(NotFoundError, match="sage-ld ingest"):
        directory.pin()
