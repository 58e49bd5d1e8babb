"""Bulk loading in the background: what is in the store after it, and how a failure shows."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from sage_ld.graph.store.nquads import line
from sage_ld.graph.store.oxigraph import in_memory, open_for_writing
from sage_ld.graph.writing import graph_replacement
from sage_ld.graph.writing.graph_replacement import LoadingStore

NAME = NamedNode("http://example.org/ä?x=%20")
INTEGER = NamedNode("http://www.w3.org/2001/XMLSchema#integer")
VALUES = (
    Literal('a\r\n\t"\\\x00\x7f\ufffe\u2028\U0001f600'),
    Literal("Straße", language="de-AT"),
    Literal("007", datatype=INTEGER),
    Literal("not a number", datatype=INTEGER),
    Triple(NAME, NAME, Literal("inside\n")),
    NAME,
)
QUADS = [Quad(NAME, NAME, value, NAME) for value in VALUES]
LINES = [line(quad) for quad in QUADS]


@pytest.mark.parametrize("size", [1, 2, len(QUADS), 100])
def test_batches_of_any_size_give_what_one_call_gives(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(graph_replacement, "BATCH_LINES", size)
    expected, store = in_memory(), LoadingStore(in_memory())
    expected.bulk_extend(QUADS)
    store.load_in_background(iter(LINES))
    assert set(store) == set(expected)
    store.close()


class _Slow:
    """A store that loads nothing before it may."""

    def __init__(self) -> None:
        self.quads, self.may_load = in_memory(), Event()

    def bulk_load(self, *arguments: object, **options: object) -> None:
        self.may_load.wait()
        self.quads.bulk_load(*arguments, **options)

    def __contains__(self, quad: Quad) -> bool:
        return quad in self.quads

    def __len__(self) -> int:
        return len(self.quads)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.quads, name)


def test_a_quad_is_looked_up_and_not_searched_for() -> None:
    store = LoadingStore(_Slow())  # which cannot be gone through
    store.extend(QUADS[1:])
    assert [each in store for each in QUADS] == [False, *[True] * len(QUADS[1:])]
    store.close()


@pytest.mark.parametrize(
    "use", [len, lambda store: len(list(store.quads_for_pattern(None, None, None, None)))]
)
def test_who_keeps_the_store_sees_what_is_still_being_loaded(use: Callable[[Any], int]) -> None:
    slow = _Slow()
    store = LoadingStore(slow)
    store.load_in_background(LINES)
    counts: list[int] = []
    asking = Thread(target=lambda: counts.append(use(store)))
    asking.start()
    assert not counts
    slow.may_load.set()
    asking.join()
    assert counts == [len(QUADS)]
    store.close()


def _failing(folder: Path) -> LoadingStore:
    """A store that cannot load the batch which it was given, since its folder has gone."""
    store = LoadingStore(open_for_writing(folder))
    shutil.rmtree(folder)
    store.load_in_background(LINES)
    return store


def test_a_failure_is_raised_until_the_store_is_closed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = _failing(tmp_path / "store")
    for _ in range(2):
        with pytest.raises(OSError, match="store"):
            len(store)
    with pytest.raises(OSError, match="store"):
        store.load_in_background(LINES)
    store.close()
    assert not caplog.records


def test_a_failure_that_nobody_was_told_of_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Another error, such as an interruption, ended the write before anyone asked for the store."""
    store = _failing(tmp_path / "store")
    store.close()
    assert [(each.levelno, str(tmp_path) in each.message) for each in caplog.records] == [
        (logging.WARNING, True)
    ]


def test_a_closed_store_lets_go_of_its_files(tmp_path: Path) -> None:
    store = LoadingStore(open_for_writing(tmp_path / "store"))
    add = store.load_in_background
    store.close()
    with pytest.raises(ValueError, match="closed"):
        add(LINES)
    with pytest.raises(ValueError, match="closed"):
        len(store)
    open_for_writing(tmp_path / "store")
