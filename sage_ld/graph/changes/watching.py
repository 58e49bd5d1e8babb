"""Following folders: one ingest of all they hold, then one for each batch of changes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from watchfiles import watch as watch_files

from sage_ld.build.readers.roots import is_below, located
from sage_ld.foundation.errors import InputError, NotFoundError, SageError, UnavailableError
from sage_ld.graph.changes.summaries import IngestSummary

Ingest = Callable[[Collection[str] | None], IngestSummary]
"""Brings the graph in step with the folders; given paths, only those may have changed since the last time."""

_MANY: Final = 1_000  # changes of one batch, from which all files are read: some may have been missed
_TICK: Final = 500  # milliseconds between two looks at what is still to be done
_RETRY: Final = 5.0  # seconds until an ingest that failed as a whole is tried again


def watch(
    folders: Sequence[Path], ingest: Ingest, *, leave_out: Path, stop: threading.Event | None = None
) -> Iterator[IngestSummary]:
    """The summary of each ingest: the first of all files, the others of what changed, as it changes.

    Changes below `leave_out`, the graph's own directory, do not count. An ingest that fails as a whole, such
    as while another process writes, gives a summary that says so, and is tried again. Ends when `stop` is
    set. Raises InputError for a path that is not a folder, NotFoundError when a folder has gone,
    UnavailableError where the system cannot watch that many folders.
    """
    roots = [_folder(each) for each in folders]
    graph = located(leave_out)
    pending: set[str] | None = None
    refused: set[str] = set()
    again = 0.0
    for changes in _changes(roots, stop):
        fresh = {path for path in changes if not is_below(path, graph) and not _is_hidden(path, roots)}
        pending = pending if pending is None else pending | fresh
        if (pending is not None and not pending) or (not fresh and time.monotonic() < again):
            continue
        _check_present(roots)
        try:
            summary = ingest(None if pending is None or len(pending) > _MANY else pending | refused)
        except (SageError, OSError) as error:
            again = time.monotonic() + _RETRY
            summary = IngestSummary(failed=[("", str(error))])
        else:
            pending, refused = set(), summary.refused_locations
        yield summary


def _changes(folders: Sequence[str], stop: threading.Event | None) -> Iterator[set[str]]:
    """The paths that changed since the last time; none at the first time, and when nothing happened."""
    try:
        for changes in watch_files(
            *folders, watch_filter=None, stop_event=stop, rust_timeout=_TICK, yield_on_timeout=True
        ):
            yield {path for _, path in changes}
    except OSError as error:
        raise UnavailableError(
            f"the system cannot watch the folders ({error}); on Linux, raise fs.inotify.max_user_watches, or "
            "run ingest --sync at intervals"
        ) from None


def _folder(path: Path) -> str:
    if not os.path.isdir(path):
        raise InputError(f"{path} is not a folder; give the folder that is to be watched")
    return located(path)


def _is_hidden(path: str, folders: Sequence[str]) -> bool:
    """Whether a path has a hidden part below the folder that is watched."""
    return any(
        part.startswith(".")
        for folder in folders
        if is_below(path, folder)
        for part in path[len(folder) :].split(os.sep)
    )


def _check_present(folders: Sequence[str]) -> None:
    for folder in folders:
        if not os.path.isdir(folder):
            raise NotFoundError(f"{folder} no longer exists; nothing was removed from the graph")
