"""Backups and saved revisions: copies of a graph's revisions, each a graph of its own, also as one file.

Saved revisions lie below one folder, each with a name of its own. Users know them as snapshots; not to be
confused with `snapshot.py`, a published revision that is open.
"""

from __future__ import annotations

import io
import logging
import os
import re
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from sage_ld.foundation.errors import ConflictError, InputError, LimitError, NotFoundError
from sage_ld.graph.store import reading
from sage_ld.graph.store.digests import DIGESTS_FILE, damaged_files, foreign_files, read_digests
from sage_ld.graph.store.directory import INDEX_PARTS, Directory
from sage_ld.graph.store.drafts import CONFIGURATION, OPTIONAL_FILES, RECIPE_FILE, TERMS_FILE
from sage_ld.graph.store.durable_files import link_tree, remove, sync_tree
from sage_ld.graph.store.graph_files import CURRENT, special_files
from sage_ld.graph.store.locks import try_lock_exclusive
from sage_ld.graph.store.oxigraph import is_damage
from sage_ld.graph.store.pins import MARK
from sage_ld.graph.store.stores import Stores
from sage_ld.graph.upkeep.checking.indexes import indexes

_PIECE: Final = 1 << 18
"""The bytes that are read at a time."""
_log = logging.getLogger("sage_ld.graph")


def copy_graph(
    source: Path,
    target: Path,
    *,
    link: bool = False,
    pinned: tuple[int, IO[bytes]] | None = None,
    verify: bool = False,
) -> int:
    """Copies the current revision of the graph in `source` to a new graph in `target`; returns its number.

    With `pinned`, as `Directory.pin` returns it, it is that revision; its pin is closed.

    Backup and restore are this one operation. Files are copied, so that neither depends on the other's
    disk; with `link` they are hard links, where the file system has them. A copy that is interrupted is no
    graph, and the next copy to `target` deletes what it left. With `verify`, its files are compared with
    their digests first, as `restore_revision` does.

    Raises NotFoundError if `source` is no graph or an empty one, InputError if `target` is in use or `source`
    is damaged, ConflictError if another process copies to it.
    """
    origin, copy = _graph(source), Directory(target)
    origin.configuration()  # is it one that this sage-ld reads?
    if target.resolve().is_relative_to(source.resolve()):
        raise InputError(f"{target} lies inside {source}; name a folder outside the graph")
    recipe = source / RECIPE_FILE
    number, pin = pinned or origin.pin()
    with pin:
        if verify:
            _check_undamaged(source, origin.revision(number))
        with copy.creating(
            origin.configuration(number), recipe.read_text("utf-8") if recipe.is_file() else None
        ):
            (link_tree if link else shutil.copytree)(origin.revision(number), copy.revision(1))
            remove(copy.revision(1) / MARK)  # a link to it would be the lock of both
            (copy.revision(1) / MARK).touch()
            if (terms := source / TERMS_FILE).is_file():
                copy.keep_metadata_terms(terms.read_text("utf-8"))
            sync_tree(copy.revisions, files=not link)
            if roots := origin.roots():
                copy.remember_roots(roots)
            copy.make_current(1)
    return number


def _check_undamaged(source: Path, revision: Path) -> None:
    """Raises InputError for a damaged revision of the backup in `source`."""
    if (damage := next(_damage(revision), None)) is not None:
        raise InputError(f"{source}: {damage}; nothing was changed; restore another backup")


def restore_revision(source: Path, graph: Directory) -> int:
    """Publishes what the backup in `source` holds as a new revision of `graph`; returns its number.

    Readers go on with the revision before until it is there. The graph keeps its settings and tokens; base
    IRI and encoder are those of the backup, and a recipe file that derives otherwise is. Its roots come back
    where the graph has none of that name.

    Its files are compared with their digests. A copy by an earlier release has none: then
    every statement is read, and the indexes that are there have a row for each chunk; the log says so.

    Raises NotFoundError if `source` is no graph or an empty one, InputError if it is damaged, ConflictError
    where another process writes.
    """
    origin = _graph(source)
    number, pin = origin.pin()
    with pin, graph.locked():
        revision = origin.revision(number)
        _check_undamaged(source, revision)
        published = graph.publish_copy(revision, origin.configuration(number))
        if (roots := {**origin.roots(), **graph.roots()}) != graph.roots():
            graph.remember_roots(roots)
    return published


def archived(source: Path, name: str) -> Iterator[bytes]:
    """The current revision of the graph in `source` as a tar file, in pieces of 256 KiB at most.

    Unpacked, it is a folder `name` that can be searched and restored, as one that `copy_graph` has made.

    Raises NotFoundError if `source` is no graph, InputError if it has a file that must not be opened, both
    before the first piece; with that, NotFoundError for an empty graph.
    """
    return _packed(_graph(source), name)


def _packed(origin: Directory, name: str) -> Iterator[bytes]:
    number, pin = origin.pin()
    with pin:
        beside = (origin.path / each for each in (CONFIGURATION, *OPTIONAL_FILES))
        for file in chain(beside, sorted(origin.revision(number).rglob("*"))):
            if file.is_file():
                with file.open("rb") as content:
                    yield from _member(f"{name}/{file.relative_to(origin.path).as_posix()}", content)
        current = io.BytesIO(str(number).encode())  # makes it a graph, so it comes last
        yield from _member(f"{name}/{CURRENT}", current)
        yield bytes(2 * tarfile.BLOCKSIZE)


def _member(name: str, content: IO[bytes]) -> Iterator[bytes]:
    """A file in the tar format: its header, its bytes, and zeros up to a whole block. Raises OSError."""
    header = tarfile.TarInfo(name)
    header.size = left = content.seek(0, os.SEEK_END)
    content.seek(0)
    yield header.tobuf(tarfile.PAX_FORMAT)
    while left:
        piece = content.read(min(left, _PIECE))
        if not piece:
            raise OSError(f"{name} has become {left:,} bytes shorter while it was read")
        left -= len(piece)
        yield piece
    yield bytes(-header.size % tarfile.BLOCKSIZE)


def _damage(revision: Path) -> Iterator[str]:
    """The damage to the files of a revision to restore."""
    if (digests := read_digests(revision)) is not None:
        yield from map(str, damaged_files(revision, digests))
        yield from (f"{name} was not published with it" for name in foreign_files(revision, digests))
        return
    try:
        stores = Stores.open(revision)
        for _ in chain(stores.named, stores.merged):
            pass
        chunks = set(reading.chunk_iris(stores.merged))
        held = [part for part in INDEX_PARTS if (revision / part).is_dir()]  # earlier releases had fewer
        for each in indexes(revision, stores.merged, chunks, lambda *_: None, held):
            yield f"{each.where}: {each.meaning}"
    except RuntimeError as error:
        if not is_damage(error):
            raise
        yield f"a file of the store is damaged ({str(error)[:200]})"
    _log.warning(
        "%s has no %s, so its files could not be verified: store and indexes can be read and are complete, "
        "but whether each value is as it was published is not known",
        revision,
        DIGESTS_FILE,
    )


def _graph(source: Path) -> Directory:
    """The graph or backup in a folder.

    Raises NotFoundError if there is none, and InputError if it has a file that must not be opened.
    """
    origin = Directory(source)
    if not origin.exists():
        raise NotFoundError(f"{source} is neither a graph nor a backup; name a folder that sage-ld has made")
    if (special := next(special_files(source), None)) is not None:
        raise InputError(f"{special} is not a plain file; delete it, or use another backup")
    return origin


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
