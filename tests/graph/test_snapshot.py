"""What is derived from a revision: computed once, whoever asks, and gone with the snapshot."""

from __future__ import annotations

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from graph.corpus import built, write
from waiting import PATIENCE

from sage_ld.foundation.caches import ComputedOnce
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.retrieval.chunks.chunk_table import ChunkTable


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("snapshot")
    return built(folder / "graph", write(folder / "corpus"))


class Value:
    """What can be referred to weakly."""


def test_many_threads_compute_a_value_once() -> None:
    values, calls, together = ComputedOnce(), [], threading.Barrier(8)

    def make() -> Value:
        calls.append(1)
        return Value()

    def ask() -> Value:
        together.wait()
        return values.get("key", make)

    with ThreadPoolExecutor(8) as pool:
        found = {pool.submit(ask) for _ in range(8)}
    assert len({id(each.result()) for each in found}) == len(calls) == 1


def test_a_value_may_be_computed_from_another_while_a_third_is_being_computed() -> None:
    values, begun, go_on = ComputedOnce(), threading.Event(), threading.Event()

    def slow() -> int:
        begun.set()
        assert go_on.wait(PATIENCE)
        return 3

    with ThreadPoolExecutor(1) as pool:
        third = pool.submit(values.get, "slow", slow)
        assert begun.wait(PATIENCE)
        assert values.get("outer", lambda: values.get("inner", lambda: 1) + 1) == 2
        go_on.set()
        assert third.result() == 3


def test_what_raises_is_computed_again() -> None:
    values = ComputedOnce()
    with pytest.raises(ZeroDivisionError):
        values.get("key", lambda: 1 // 0)
    assert values.get("key", lambda: 7) == 7


def test_the_values_asked_for_last_stay() -> None:
    values, calls = ComputedOnce(most=2), list[str]()

    def ask(key: str) -> str:
        return values.get(key, lambda: calls.append(key) or key)

    for key in ("a", "b", "a", "c", "a", "b"):
        assert ask(key) == key
    assert (calls, len(values)) == (["a", "b", "c", "b"], 2)


def test_a_value_that_is_being_computed_is_not_dropped_for_others() -> None:
    values, calls, begun, go_on = ComputedOnce(most=1), list[str](), threading.Event(), threading.Event()

    def slow() -> str:
        calls.append("slow")
        begun.set()
        assert go_on.wait(PATIENCE)
        return "slow"

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(values.get, "slow", slow)
        assert begun.wait(PATIENCE)
        for key in "abc":
            assert values.get(key, lambda key=key: key) == key
        second = pool.submit(values.get, "slow", slow)
        go_on.set()
        assert first.result() == second.result() == "slow"
    assert (calls, len(values)) == (["slow"], 1)


def test_what_raises_leaves_nothing_behind() -> None:
    values = ComputedOnce(most=2)
    for key in range(5):
        with pytest.raises(ZeroDivisionError):
            values.get(key, lambda: 1 // 0)
    assert len(values) == 0


def test_values_belong_to_one_snapshot_and_go_with_it(graph: KnowledgeGraph) -> None:
    def value(snapshot: Snapshot) -> Value:
        return Value()

    one, other = (Snapshot.newest(graph.directory, graph.settings) for _ in range(2))
    assert one.derived(value) is one.derived(value) is not other.derived(value)
    assert one.derived(value, key="a") is not one.derived(value, key="b")
    assert ChunkTable.of(one) is ChunkTable.of(one) is not ChunkTable.of(other)
    left = weakref.ref(one.derived(value))
    one.close()
    other.close()
    del one
    gc.collect()
    assert left() is None


def test_a_graph_is_read_anew_after_a_change(graph: KnowledgeGraph, tmp_path: Path) -> None:
    before = ChunkTable.of(graph.snapshot())
    (tmp_path / "new.md").write_text("# Kestrel\n\nA bird.", encoding="utf-8")
    graph.ingest([tmp_path / "new.md"])
    assert len(ChunkTable.of(graph.snapshot()).iris) == len(before.iris) + 1


def test_a_revision_is_there_as_long_as_a_thread_uses_it(graph: KnowledgeGraph, tmp_path: Path) -> None:
    def publish(name: str) -> None:
        (tmp_path / name).write_text(f"# {name}\n\nA bird.", encoding="utf-8")
        graph.ingest([tmp_path / name])
        graph.snapshot()

    taken, published = threading.Event(), threading.Event()
    folder = graph.directory.revision(graph.snapshot().number)

    def use() -> tuple[bool, bool]:
        snapshot = graph.snapshot()
        taken.set()
        assert published.wait(PATIENCE)
        return folder.is_dir(), bool(snapshot.stores.query("ASK { ?s ?p ?o }", most=1))

    with ThreadPoolExecutor(1) as pool:
        used = pool.submit(use)
        assert taken.wait(PATIENCE)
        publish("osprey.md")
        publish("merlin.md")
        published.set()
        assert used.result() == (True, True)
    gc.collect()
    publish("hobby.md")
    assert not folder.exists()
