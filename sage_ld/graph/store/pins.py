"""Pins on revisions, and the removal of those without one.

A reader pins a revision by a shared lock on the file `in-use` in its folder. The writer removes a revision
only while it holds that lock alone, and by one rename, `000042` to `000042.removed`, after which no reader
finds it; the files are deleted afterwards. A process that is killed between two steps leaves a folder that
the next writer deletes: nothing of it was the current revision, and nobody can have pinned it.
"""

from __future__ import annotations

import logging
import os
import re
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final

from sage_ld.graph.store.durable_files import remove
from sage_ld.graph.store.locks import lock_shared, try_lock_exclusive

MARK: Final = "in-use"
"""The file that readers of a revision lock."""
BUILDING: Final = ".tmp"
"""The suffix of a revision's folder until it is complete."""
REMOVED: Final = ".removed"
"""The suffix of a revision's folder once it is about to be deleted."""

_OURS: Final = re.compile(r"(?P<number>\d{6,})(?P<leftover>\.tmp|\.removed)?", re.ASCII)
_log = logging.getLogger("sage_ld.store")


def pin(folder: Path) -> IO[bytes] | None:
    """An open file that keeps the revision in `folder` until it is closed; None if it is gone already."""
    mark = folder / MARK
    try:
        handle = mark.open("rb")
    except FileNotFoundError:
        return None
    lock_shared(handle)
    try:
        still_there = os.path.samestat(os.fstat(handle.fileno()), mark.stat())
    except FileNotFoundError:
        still_there = False
    if still_there:
        return handle
    handle.close()
    return None


def complete_revisions(revisions: Path) -> list[int]:
    """The numbers of the revisions whose folders are complete, the newest first."""
    try:
        names = [_OURS.fullmatch(each.name) for each in revisions.iterdir() if (each / MARK).is_file()]
    except FileNotFoundError:
        return []
    return sorted((int(each["number"]) for each in names if each and not each["leftover"]), reverse=True)


def leftover_revisions(revisions: Path, current: int) -> list[Path]:
    """The folders that killed writers left, for a process that holds the writer's lock.

    A complete revision before the current one does not count: it may have lost its last reader just now.
    """
    try:
        folders = sorted(revisions.iterdir())
    except OSError:
        return []
    return [each for each in folders if _is_leftover(each, current)]


def _is_leftover(folder: Path, current: int) -> bool:
    name = _OURS.fullmatch(folder.name)
    if name is None or (not name["leftover"] and int(name["number"]) == current):
        return False
    return bool(name["leftover"]) or int(name["number"]) > current or not (folder / MARK).is_file()


def remove_unneeded(revisions: Path, current: int) -> None:
    """Deletes all revisions but the current one and those that are pinned, and what killed writers left.

    For the process that holds the writer's lock. What cannot be deleted is logged, and tried again the next
    time. Files and folders whose names are not those of revisions stay.
    """
    try:
        folders = sorted(revisions.iterdir())
    except OSError as error:
        _log.warning("%s cannot be cleared up (%s)", revisions, str(error))
        return
    for folder in folders:
        try:
            _remove_unneeded(folder, current)
        except OSError as error:
            # As text: keeping the error would keep its traceback, and with it the writer's store open.
            _log.warning("%s cannot be deleted (%s); the next write tries again", folder, str(error))


def _remove_unneeded(folder: Path, current: int) -> None:
    name = _OURS.fullmatch(folder.name)
    if name is None:
        return
    if name["leftover"]:
        remove(folder)
    elif int(name["number"]) != current:
        _remove_unpinned(folder)


def _remove_unpinned(folder: Path) -> None:
    target = folder.with_name(folder.name + REMOVED)
    with ExitStack() as stack:
        try:
            handle = stack.enter_context((folder / MARK).open("rb"))
        except (FileNotFoundError, NotADirectoryError):
            pass  # no reader can pin what has no mark
        else:
            if not try_lock_exclusive(handle):
                return
            if os.name == "nt":  # which renames no folder with an open file in it, a reader's or this one
                handle.close()
        remove(target)
        folder.rename(target)
    remove(target)
