"""Saved revisions: copies of a graph's revisions below one folder, each with a name of its own.

Users know them as snapshots. Not to be confused with `snapshot.py`, a published revision that is open.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from sage_ld.foundation.errors import ConflictError, InputError, LimitError, NotFoundError
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.locks import try_lock_exclusive
from sage_ld.graph.upkeep.backup import archived, copy_graph, restore_revision

NAME: Final = r"^[0-9]{8}T[0-9]{6}Z-[0-9]{6,12}(-[0-9]{1,4})?$"
"""The names of snapshots: when it was taken, of which revision, and a number where two have the same."""
_STAMP: Final = "%Y%m%dT%H%M%SZ"
_LOCK: Final = "lock"
"""The file in the folder that is locked while a snapshot is taken."""


class SavedRevision(NamedTuple):
    """A snapshot in its folder."""

    name: str
    created: datetime
    revision: int
    """The number that the revision had when it was taken."""

    def as_json(self) -> dict[str, Any]:
        """The same, as JSON has it."""
        return {"name": self.name, "created": self.created.isoformat(), "revision": self.revision}


def take(directory: Directory, folder: str, most: int) -> SavedRevision:
    """Takes a snapshot of the newest revision into `folder`, by hard links where the file system has them.

    Raises NotFoundError if no folder is named, and before the first revision; LimitError if the folder holds
    `most` already, ConflictError while another one is being taken into it.
    """
    place = _place(folder)
    place.mkdir(parents=True, exist_ok=True)
    with _locked(place):
        if (count := len(listed(folder))) >= most:
            raise LimitError(
                f"{count:,} snapshots are in the folder of the setting snapshot_dir, the limit is {most:,}; "
                "delete some of their folders, or raise the setting max_snapshots"
            )
        number, pin = directory.pin()
        with pin:
            name = _free(place, f"{datetime.now(UTC).strftime(_STAMP)}-{number:06d}")
            copy_graph(directory.path, place / name, link=True, pinned=(number, pin))
    return _named(name)


def listed(folder: str) -> list[SavedRevision]:
    """The snapshots in a folder, the oldest first. Raises NotFoundError if no folder is named."""
    place = _place(folder)
    names = sorted(os.listdir(place)) if place.is_dir() else []
    return [_named(each) for each in names if re.fullmatch(NAME, each) and Directory(place / each).exists()]


def restore(directory: Directory, folder: str, name: str) -> int:
    """Publishes a snapshot as a new revision of its graph; returns the revision's number.

    Raises NotFoundError if no folder is named, InputError for a damaged snapshot and for anything that is
    not a name of one, NotFoundError for one that is not there, ConflictError where another process writes.
    """
    return restore_revision(_found(folder, name), directory)


def archive(folder: str, name: str) -> Iterator[bytes]:
    """A snapshot as a tar file, in pieces; unpacked, it is a backup.

    Raises NotFoundError if no folder is named and for a snapshot that is not there, InputError for anything
    but a valid name, all before the first piece.
    """
    return archived(_found(folder, name), name)


def _found(folder: str, name: str) -> Path:
    """The folder of a snapshot."""
    place = _place(folder)
    if not re.fullmatch(NAME, name, re.ASCII):
        raise InputError(f"{name[:60]!r} is not the name of a snapshot")
    if not Directory(place / name).exists():
        raise NotFoundError(f"there is no snapshot {name}")
    return place / name


def _place(folder: str) -> Path:
    if not folder:
        raise NotFoundError("no folder is set for snapshots; set snapshot_dir to one")
    return Path(folder)


@contextmanager
def _locked(place: Path) -> Iterator[None]:
    """Has one snapshot at a time be counted and taken. Raises ConflictError while another one is."""
    with (place / _LOCK).open("a") as handle:
        with suppress(OSError):  # a file system without locks, where one too many would be taken at most
            if not try_lock_exclusive(handle):
                raise ConflictError(f"another snapshot is being taken into {place}; wait until it is done")
        yield


def _free(place: Path, name: str) -> str:
    number, chosen = 1, name
    while os.path.lexists(place / chosen):
        number, chosen = number + 1, f"{name}-{number}"
    return chosen


def _named(name: str) -> SavedRevision:
    stamp, number = name.split("-")[:2]
    created = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
    return SavedRevision(name, created, int(number))
