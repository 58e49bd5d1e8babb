"""Oxigraph as the store behind `graph.store.protocol`: how one is opened, and a graph in it emptied."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pyoxigraph

from sage_ld.foundation.errors import ConflictError, InputError
from sage_ld.graph.store.protocol import GraphName, Store, WritableStore

_SHOWN: Final = 200  # characters of what Oxigraph says of a damaged file


def open_for_writing(folder: Path) -> WritableStore:
    """The store in `folder`, which is made where there is none; the files are locked as long as it is known.

    Raises ConflictError if another process has it open for writing, InputError if its files are damaged,
    OSError if they cannot be written.
    """
    try:
        return pyoxigraph.Store(str(folder))
    except RuntimeError as error:
        raise _damaged(folder, error) from None
    except OSError as error:
        if "While lock file" not in str(error):
            raise
        raise ConflictError(
            f"{folder} is open in another process, such as a server of Oxigraph itself; end that, and use "
            "sage-ld serve to query the graph"
        ) from None


def in_memory() -> WritableStore:
    """An empty store, in memory."""
    return pyoxigraph.Store()


def open_for_reading(folder: Path) -> Store:
    """The store in `folder` as it is now, without a lock. Raises InputError if it is missing or damaged."""
    try:
        return pyoxigraph.Store.read_only(str(folder))
    except (RuntimeError, FileNotFoundError) as error:
        raise _damaged(folder, error) from None


def empty_graph(store: WritableStore, name: GraphName) -> None:
    """Removes all statements of a graph, which stays, one by one.

    pyoxigraph's `clear_graph` does so in one transaction, which takes five times as long for two million.
    """
    for quad in store.quads_for_pattern(None, None, None, name):
        store.remove(quad)


def is_store(folder: Path) -> bool:
    """Whether a folder has a store in it. Where it has none, opening it for writing makes an empty one."""
    return (folder / "CURRENT").is_file()


def is_damage(error: Exception) -> bool:
    """Whether an error of a query or an iteration says that a file of the store is damaged."""
    return isinstance(error, RuntimeError) and "Corruption:" in str(error)


def _damaged(folder: Path, error: Exception) -> InputError:
    message = " ".join(str(error).split())[:_SHOWN]
    return InputError(
        f"the store {folder} is damaged ({message}); restore a backup, or see: sage-ld doctor KG"
    )
