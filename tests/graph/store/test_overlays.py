"""Overlays: statements beside those of a revision, which stays as it is, and nothing that is left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest
from graph.corpus import built, write

from sage_ld.foundation.errors import UnavailableError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.overlays import FOLDER, Overlay, remove_left
from sage_ld.graph.store.stores import Stores

ADDED = b'<http://x/s> <http://x/p> "added" <http://x/added> .\n'
ALL = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
IN_IT = "SELECT ?o { GRAPH <http://x/added> { ?s ?p ?o } }"


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("overlays")
    graph = built(folder / "graph", write(folder / "corpus"))
    graph.close()
    return folder / "graph"


def stores_of(graph: Path) -> Stores:
    return KnowledgeGraph.open(graph).snapshot().stores


def values(stores: Stores, query: str) -> list[str]:
    return [row[0].value for row in stores.query(query, most=10)]  # type: ignore[union-attr, index]


def test_a_query_sees_both_and_the_revision_stays(graph: Path) -> None:
    stores = stores_of(graph)
    before = int(values(stores, ALL)[0])
    over = Overlay(stores, graph, ADDED)
    assert values(over.stores, IN_IT) == ["added"]
    assert int(values(over.stores, ALL)[0]) == before + 1
    over.close()
    assert list((graph / FOLDER).iterdir()) == []
    assert values(stores, IN_IT) == []
    assert int(values(stores_of(graph), ALL)[0]) == before


def test_before_the_first_revision_there_is_only_what_is_added(tmp_path: Path) -> None:
    over = Overlay(Stores.empty(), tmp_path, ADDED)
    assert values(over.stores, ALL) == ["1"]
    over.close()


def test_where_nothing_can_be_written_it_is_an_error(graph: Path, tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("in the way")
    with pytest.raises(UnavailableError, match="make the graph's directory writable"):
        Overlay(stores_of(graph), tmp_path, ADDED)


def wait_in_an_overlay(graph: str) -> None:
    over = Overlay(stores_of(Path(graph)), Path(graph), ADDED)
    (Path(graph) / "ready").touch()
    time.sleep(600)
    over.close()


def test_what_a_killed_process_leaves_is_deleted_and_no_other(graph: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=wait_in_an_overlay, args=(str(graph),))
    process.start()
    while not (graph / "ready").exists():
        time.sleep(0.02)
    (graph / FOLDER / "empty").mkdir()  # of a process killed before it had a lock
    Overlay(stores_of(graph), graph, ADDED).close()
    assert len(list((graph / FOLDER).iterdir())) == 1  # it is in use
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    remove_left(graph)
    assert list((graph / FOLDER).iterdir()) == []
    remove_left(graph / "none")
