"""The revision that a query worker holds: whole or unchanged, and not for longer than it is of use."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from foundation.processes.test_pool import KIND, Observed, job
from pyoxigraph import Store
from service.serving import empty_graph
from waiting import waited_for

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.processes.pool import Pool
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.pins import MARK, remove_unneeded
from sage_ld.service.workers.query_process import View


@pytest.fixture
def revisions(tmp_path: Path) -> Path:
    """Revision 1 is whole; the store of revision 2 cannot be opened."""
    for number in (1, 2):
        folder = tmp_path / "revisions" / f"{number:06d}"
        folder.mkdir(parents=True)
        (folder / MARK).touch()
    live = Store(str(tmp_path / "live"))
    live.flush()
    live.backup(str(tmp_path / "revisions" / "000001" / "store"))
    (tmp_path / "revisions" / "000002" / "store").mkdir()
    return tmp_path / "revisions"


def test_a_revision_that_cannot_be_opened_leaves_the_former_and_its_pin(revisions: Path) -> None:
    view, first = View(revisions.parent), str(revisions / "000001")
    stores = view.move(first)
    with pytest.raises(InputError, match=r"store .* is damaged"):
        view.move(str(revisions / "000002"))
    remove_unneeded(revisions, 3)
    assert [each.name for each in revisions.iterdir()] == ["000001"]
    assert view.move(first) is stores
    view.move(None)


def publish_again(graph: Path) -> None:
    """Publishes a revision that says the same."""
    with KnowledgeGraph.open(graph).writer() as writer:
        writer.change()
        writer.publish()


def test_a_view_follows_to_the_newest_revision_if_it_was_asked_about_the_last(tmp_path: Path) -> None:
    graph = empty_graph(tmp_path / "graph")
    directory, view = Directory(graph), View(graph)

    def publish() -> str:
        publish_again(graph)
        return str(directory.revision(directory.current()))

    view.follow()
    first = view.stores
    assert view.move(str(directory.revision(directory.current()))) is first, "opened before it was asked"
    second = publish()
    view.follow()
    assert view.stores is not first
    third, stores = publish(), view.stores
    view.follow()
    assert view.stores is not stores
    remove_unneeded(directory.revisions, directory.current())
    assert [str(each) for each in directory.revisions.iterdir()] == [third], "nobody asked about the second"
    assert second != third
    held = view.stores
    assert view.move(third) is not held
    view.move(None)


def test_a_newest_revision_that_cannot_be_opened_is_tried_once(revisions: Path) -> None:
    view = View(revisions.parent)
    stores = view.move(str(revisions / "000001"))
    (revisions.parent / "current").write_text("2")
    view.follow()
    assert view.stores is stores
    view.follow()
    assert view.stores is not stores
    remove_unneeded(revisions, 2)
    assert not (revisions / "000001").exists()


def test_a_worker_without_a_job_lets_go_of_an_old_revision(tmp_path: Path) -> None:
    graph = empty_graph(tmp_path / "graph")
    kind = replace(KIND, arguments=(str(2**30), str(graph)))
    directory, pool = Directory(graph), Pool(kind, 1, 1, Observed())
    old = directory.revision(directory.current())
    pool.run(job("ASK {}", folder=str(old)), 300).close()
    publish_again(graph)
    assert old.exists()

    def removed() -> bool:
        remove_unneeded(directory.revisions, directory.current())
        return not old.exists()

    assert waited_for(removed)
    pool.close()
