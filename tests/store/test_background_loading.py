"""Bulk loading in the background: what is in the store after it, and how a failure shows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from sage_ld.store import background_loading
from sage_ld.store.background_loading import BackgroundLoader
from sage_ld.store.oxigraph import in_memory, open_for_writing

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


@pytest.mark.parametrize("size", [1, 2, len(QUADS), 100])
def test_batches_of_any_size_give_what_one_call_gives(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(background_loading, "BATCH_QUADS", size)
    expected, store, loader = in_memory(), in_memory(), BackgroundLoader()
    expected.bulk_extend(QUADS)
    loader.add(store, iter(QUADS))
    loader.settle()
    assert set(store) == set(expected)
    loader.close()


def test_a_failure_is_raised_until_the_loader_is_closed(tmp_path: Path) -> None:
    store, loader = open_for_writing(tmp_path / "store"), BackgroundLoader()
    shutil.rmtree(tmp_path / "store")
    loader.add(store, QUADS)
    for _ in range(2):
        with pytest.raises(OSError, match="store"):
            loader.settle()
    with pytest.raises(OSError, match="store"):
        loader.add(store, QUADS)
    loader.close()
