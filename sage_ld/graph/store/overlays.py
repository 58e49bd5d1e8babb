"""Overlays: the stores of a revision with further statements, for queries, while the revision stays as it is.

An overlay is a folder of hard links to the store's files, `KG/overlays/NAME/`, and what is added. It costs in
proportion to that. Its process holds a lock on a file in it; what a killed process leaves, the next overlay
or the next start of a service deletes.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

from pyoxigraph import RdfFormat

from sage_ld.foundation.errors import UnavailableError
from sage_ld.graph.store.locks import try_lock_exclusive
from sage_ld.graph.store.oxigraph import in_memory, open_for_writing
from sage_ld.graph.store.protocol import Store, WritableStore
from sage_ld.graph.store.stores import Stores

FOLDER: Final = "overlays"
_LOCK: Final = "lock"
_TRIES: Final = 10


class Overlay:
    """The stores of a revision with the statements of a text in N-Quads; `close` deletes its files.

    `graph` is the directory of the graph. Raises UnavailableError if nothing can be written there.
    """

    def __init__(self, stores: Stores, graph: Path, nquads: bytes) -> None:
        with ExitStack() as stack:
            try:
                folder = _folder(graph / FOLDER, stack)
                named = _copied(stores.named, folder / "named", nquads)
                whole = stores.merged is stores.named
                merged = named if whole else _copied(stores.merged, folder / "merged", nquads)
            except OSError as error:
                raise UnavailableError(
                    "this query needs a folder beside the graph's revisions, which cannot be made; make the "
                    "graph's directory writable, and free space on its disk"
                ) from error
            self.stores = stores.with_others(named, merged)
            self._held = stack.pop_all()

    def close(self) -> None:
        """Deletes the overlay; results of its queries must have been taken."""
        del self.stores
        self._held.close()


def remove_left(graph: Path) -> None:
    """Deletes the overlays of processes that have gone from the directory of a graph: they hold old files."""
    with suppress(OSError):
        for each in (graph / FOLDER).iterdir():
            _remove_left(each)


def _folder(parent: Path, stack: ExitStack) -> Path:
    """A folder of our own, which `stack` deletes; those of processes that have gone are deleted now."""
    parent.mkdir(exist_ok=True)
    remove_left(parent.parent)
    for _ in range(_TRIES):
        folder = Path(tempfile.mkdtemp(dir=parent))
        with suppress(FileNotFoundError):  # another process took it for one that was left
            handle = stack.enter_context((folder / _LOCK).open("a+"))
            if try_lock_exclusive(handle):
                stack.callback(shutil.rmtree, folder, ignore_errors=True)
                return folder
    raise FileNotFoundError(parent)


def _remove_left(folder: Path) -> None:
    """Deletes the overlay of a process that has gone."""
    with suppress(OSError):
        folder.rmdir()  # killed before it had a lock
    with suppress(OSError), (folder / _LOCK).open("r+") as handle:
        if try_lock_exclusive(handle):
            shutil.rmtree(folder, ignore_errors=True)


def _copied(store: Store, folder: Path, nquads: bytes) -> WritableStore:
    """A store on hard links to the files of another one, with the statements of a text."""
    if next(iter(store), None) is None:  # it may be in memory, before the first revision
        copy = in_memory()
    else:
        store.backup(str(folder))
        copy = open_for_writing(folder)
    copy.bulk_load(nquads, RdfFormat.N_QUADS)
    return copy
