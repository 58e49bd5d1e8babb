"""Oxigraph as the store behind `sage_ld.store.protocol`: how one is opened."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph

from sage_ld.store.protocol import Store, WritableStore


def open_for_writing(folder: Path) -> WritableStore:
    """The store in `folder`, which is made where there is none; the files are locked as long as it is known.

    Raises OSError if another process has it open for writing.
    """
    return pyoxigraph.Store(str(folder))


def in_memory() -> WritableStore:
    """An empty store, in memory."""
    return pyoxigraph.Store()


def open_for_reading(folder: Path) -> Store:
    """The store in `folder` as it is now, without a lock. Raises OSError if there is none."""
    return pyoxigraph.Store.read_only(str(folder))
