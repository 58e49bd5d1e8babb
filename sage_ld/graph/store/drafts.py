"""The directory of a new graph, which counts as a graph once all of it is there.

`sage-ld.toml` says that a directory is a graph. Until the rest is there, its text is in `sage-ld.toml.tmp`,
which the process that makes the graph holds locked. If that process is killed, the file stays, and by it the
next process knows that the half of a graph may be deleted. So does a graph that was being deleted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from sage_ld.foundation.errors import ConflictError, InputError
from sage_ld.graph.store.durable_files import remove, sync_folder
from sage_ld.graph.store.locks import try_lock_exclusive

CONFIGURATION: Final = "sage-ld.toml"
RECIPE_FILE: Final = "recipe.toml"
TERMS_FILE: Final = "metadata.ttl"
ROOTS_FILE: Final = "roots.json"
OPTIONAL_FILES: Final = (RECIPE_FILE, ROOTS_FILE, TERMS_FILE)
"""The files that a graph may have beside its configuration and its revisions."""
_DRAFT: Final = CONFIGURATION + ".tmp"
_TEXTS: Final = {"current", *OPTIONAL_FILES}
_PARTS: Final = {"revisions", "live", "lock", *_TEXTS, *(f"{name}.tmp" for name in _TEXTS)}


@contextmanager
def drafted(path: Path, text: str) -> Iterator[None]:
    """The directory of a graph with the configuration `text`; the block makes what else belongs to it.

    With the end of the block the graph is there. Where the block fails, nothing of it stays. Raises
    InputError if something else lies in `path`, ConflictError if another process makes a graph there.
    """
    check_free(path)
    path.mkdir(parents=True, exist_ok=True)
    draft = path / _DRAFT
    with draft.open("a+", encoding="utf-8") as handle:
        _lock(handle, path)
        _clear(path)
        _write(handle, text)
        try:
            yield
        except BaseException:
            _clear(path)
            _release(handle)
            draft.unlink()
            raise
        _release(handle)
        draft.rename(path / CONFIGURATION)
    sync_folder(path)


def discard(path: Path) -> None:
    """Deletes a graph in such an order that a process killed meanwhile leaves the half of a graph.

    For a process that holds the writer's lock, or where no other knows the graph.
    """
    if (path / CONFIGURATION).exists():
        (path / CONFIGURATION).rename(path / _DRAFT)
    _clear(path)
    for each in path.iterdir():
        if each.name != _DRAFT:
            remove(each)
    (path / _DRAFT).unlink(missing_ok=True)


def check_free(path: Path) -> None:
    """Raises InputError if something lies in `path` that is not the half of a graph."""
    if (path / CONFIGURATION).exists():
        raise InputError(f"{path} is already a graph; name a new or empty directory")
    names = {each.name for each in path.iterdir()} if path.is_dir() else set()
    made = {*_PARTS, _DRAFT} if _DRAFT in names else set()
    if names - made or (path.exists() and not path.is_dir()):
        raise InputError(f"{path} is not a graph and not empty; name a new or empty directory")


def _lock(draft: IO[str], path: Path) -> None:
    with suppress(OSError):  # a file system without locks may hold a backup: only two at once would go wrong
        if not try_lock_exclusive(draft):
            raise ConflictError(f"{path} is being made by another process; wait until it is done, or stop it")
    if (path / CONFIGURATION).exists():  # that process was done before this one had the lock
        (path / _DRAFT).unlink(missing_ok=True)
        raise InputError(f"{path} is already a graph; name a new or empty directory")


def _clear(path: Path) -> None:
    for name in _PARTS:
        remove(path / name)


def _write(draft: IO[str], text: str) -> None:
    draft.truncate(0)
    draft.write(text)
    draft.flush()
    os.fsync(draft.fileno())


def _release(draft: IO[str]) -> None:
    """Closes the file where the system renames and deletes no file that is open; else it stays locked."""
    if os.name == "nt":
        draft.close()
