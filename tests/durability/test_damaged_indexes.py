"""A published revision with a damaged index: searches go on, the next write repairs it."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from graph.corpus import FILES, write
from service.serving import serving

from sage_ld.foundation.errors import SageError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.indexes.files import Arrays, read_arrays, write_arrays
from sage_ld.graph.store.directory import PARTS
from sage_ld.retrieval import Mode, Retriever

INDEXES = PARTS[1:]
READ = ("lexical", "positions", "vectors", "links", "mentions")
"""Those that readers open; the others are for writers alone."""
QUESTION = "Who wrote the music of the film that the Golden Heron was given to in 1987?"


def largest(index: Path) -> Path:
    return max(index.glob("*.arrays"), key=lambda file: (file.stat().st_size, file.name))


def arrays(index: Path) -> Arrays:
    return read_arrays(index, largest(index).name.partition(".")[0])


def rewritten(index: Path, change: Arrays) -> None:
    """Writes the largest file again, with other arrays in place of some, and without those that are empty."""
    file, changed = largest(index), {**arrays(index), **change}
    file.unlink()
    whole = {name: array for name, array in changed.items() if array.size or name not in change}
    write_arrays(index, file.name.partition(".")[0], whole)


def cut(file: Path, share: float) -> None:
    """Shortens a file, which is a hard link to the writer's, without changing that one."""
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(content[: int(len(content) * share)])


def replaced(file: Path, content: bytes) -> None:
    file.unlink()
    file.write_bytes(content)


def flipped(keys: Arrays) -> Arrays:
    content = keys["keys"].copy()
    content[-3] ^= 0xFF
    return {"keys": content}


DAMAGE: dict[str, Callable[[Path], object]] = {
    "no folder": shutil.rmtree,
    "an empty folder": lambda index: [each.unlink() for each in index.iterdir()],
    "half a manifest": lambda index: cut(index / "manifest.json", 0.5),
    "another manifest": lambda index: replaced(index / "manifest.json", b'{"format": 1}'),
    "a manifest of a later release": lambda index: replaced(index / "manifest.json", b'{"format": 99}'),
    "half an array": lambda index: cut(largest(index), 0.5),
    "an empty array": lambda index: cut(largest(index), 0),
    "no array": lambda index: largest(index).unlink(),
    "noise in place of an array": lambda index: replaced(largest(index), b"noise" * 999),
    "half of the keys": lambda index: rewritten(
        index, {"keys": arrays(index)["keys"][: len(arrays(index)["keys"]) // 2]}
    ),
    "no keys": lambda index: rewritten(index, {"keys": np.zeros(0, np.uint8)}),
    "a key that is no text": lambda index: rewritten(index, flipped(arrays(index))),
    "an array of another": lambda index: rewritten(
        index, dict.fromkeys(arrays(index).keys() - {"keys"}, arrays(index)["key_offsets"])
    ),
}


@dataclass(frozen=True)
class Indexed:
    """The keys of all indexes of a writer."""

    keys: dict[str, frozenset[str]]

    @classmethod
    def of(cls, graph: KnowledgeGraph) -> Indexed:
        with graph.writer() as writer:
            indexes = {name: writer._chunk_indexes.get(name) or getattr(writer, name) for name in INDEXES}
            return cls({name: frozenset(getattr(each, "index", each).iris) for name, each in indexes.items()})


@pytest.fixture(scope="module")
def undamaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undamaged")
    names = tuple(FILES)
    graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    graph.ingest([write(folder / "corpus", names[:-1])])
    graph.ingest([write(folder / "corpus", names)])  # indexes have several segments
    return folder / "graph"


@pytest.fixture(scope="module")
def expected(undamaged: Path) -> list[object]:
    """The answers of the undamaged graph."""
    with closing(KnowledgeGraph.open(undamaged)) as graph:
        return answers(graph)


@pytest.fixture
def graph(undamaged: Path, tmp_path: Path) -> Iterator[KnowledgeGraph]:
    shutil.copytree(undamaged, tmp_path / "graph")
    opened = KnowledgeGraph.open(tmp_path / "graph")
    yield opened
    opened.close()


def answers(graph: KnowledgeGraph) -> list[object]:
    retriever = Retriever(graph)
    return [retriever.retrieve(QUESTION, 8, 4, mode=mode).results for mode in Mode]


def content(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", READ)
def test_a_damaged_index_is_rebuilt_for_who_reads(
    graph: KnowledgeGraph, expected: list[object], caplog: pytest.LogCaptureFixture, name: str, damage: str
) -> None:
    revision = graph.directory.revision(graph.directory.current())
    DAMAGE[damage](revision / name)
    before = content(revision)
    assert answers(graph) == expected
    assert [each.name for each in caplog.records if each.levelno >= logging.WARNING] == ["sage_ld.graph"]
    assert content(revision) == before
    graph.close()
    caplog.clear()
    graph.relink()
    assert answers(graph) == answers(KnowledgeGraph.open(graph.directory.path))
    assert not caplog.records


def test_all_indexes_may_be_damaged_at_once(graph: KnowledgeGraph, expected: list[object]) -> None:
    for name in INDEXES:
        shutil.rmtree(graph.directory.revision(graph.directory.current()) / name)
    assert answers(graph) == expected


@pytest.mark.parametrize("name", ["lexical", "vectors", "positions"])
def test_an_index_of_another_state_is_rebuilt(graph: KnowledgeGraph, undamaged: Path, name: str) -> None:
    other = KnowledgeGraph.open(undamaged)
    graph.delete(["heron.md"])
    expected = answers(graph)
    graph.close()
    revision = graph.directory.revision(graph.directory.current())
    shutil.rmtree(revision / name)
    shutil.copytree(other.directory.revision(other.directory.current()) / name, revision / name)
    assert answers(graph) == expected


def test_a_damaged_graph_can_be_written_and_is_whole_then(
    graph: KnowledgeGraph, expected: list[object], caplog: pytest.LogCaptureFixture
) -> None:
    shutil.rmtree(graph.directory.live)
    for name in INDEXES:
        DAMAGE["half an array"](graph.directory.revision(graph.directory.current()) / name)
    with graph.writer() as writer:
        writer.change()
        writer.publish()
    assert answers(graph) == expected
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


@pytest.fixture(scope="module")
def indexed(undamaged: Path) -> Indexed:
    """The keys of the undamaged indexes."""
    with closing(KnowledgeGraph.open(undamaged)) as graph:
        return Indexed.of(graph)


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", INDEXES)
def test_a_damaged_index_of_the_writer_is_made_anew(
    graph: KnowledgeGraph, indexed: Indexed, name: str, damage: str
) -> None:
    DAMAGE[damage](graph.directory.live / name)
    assert Indexed.of(graph) == indexed


def test_a_damaged_store_is_an_error(graph: KnowledgeGraph) -> None:
    shutil.rmtree(graph.directory.revision(graph.directory.current()) / "store")
    with pytest.raises((OSError, SageError)):
        graph.snapshot()


@pytest.mark.servers
def test_the_service_answers_from_a_damaged_revision(graph: KnowledgeGraph) -> None:
    for name in INDEXES:
        DAMAGE["half an array"](graph.directory.revision(graph.directory.current()) / name)
    with serving(graph.directory.path) as server:
        for _ in range(2):
            answer = server.send("GET", "/v1/retrieve?q=accordion&k=4&from_graph=2")
            assert answer.status == 200
            assert answer.json["itemListElement"]
        assert server.log.read_text().count("the index is rebuilt for this process") == len(READ)
