"""Backups and snapshots: copies of a graph's newest revision, each a graph of its own, also as one file."""

from __future__ import annotations

import io
import logging
import os
import shutil
import tarfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Final

from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.graph.store import reading
from sage_ld.graph.store.digests import DIGESTS_FILE, damaged_files, read_digests
from sage_ld.graph.store.directory import INDEX_PARTS, Directory
from sage_ld.graph.store.drafts import CONFIGURATION, OPTIONAL_FILES, RECIPE_FILE, TERMS_FILE
from sage_ld.graph.store.durable_files import link_tree, remove, sync_tree
from sage_ld.graph.store.oxigraph import is_damage
from sage_ld.graph.store.pins import MARK
from sage_ld.graph.store.revision_paths import CURRENT
from sage_ld.graph.store.special_files import special_files
from sage_ld.graph.store.stores import Stores
from sage_ld.graph.upkeep.checking.indexes import indexes

_PIECE: Final = 1 << 18
"""The bytes that are read at a time."""
_log = logging.getLogger("sage_ld.graph")


def copy_graph(
    source: Path, target: Path, *, link: bool = False, pinned: tuple[int, IO[bytes]] | None = None
) -> int:
    """Copies the current revision of the graph in `source` to a new graph in `target`; returns its number.

    With `pinned`, as `Directory.pin` returns it, it is that revision; its pin is closed.

    Backup and restore are this one operation. Files are copied, so that neither depends on the other's
    disk; with `link` they are hard links, where the file system has them. A copy that is interrupted is no
    graph, and the next copy to `target` deletes what it left.

    Raises NotFoundError if `source` is no graph or an empty one, InputError if `target` is in use,
    ConflictError if another process copies to it.
    """
    origin, copy = _graph(source), Directory(target)
    origin.configuration()  # is it one that this sage-ld reads?
    if target.resolve().is_relative_to(source.resolve()):
        raise InputError(f"{target} lies inside {source}; name a folder outside the graph")
    recipe = source / RECIPE_FILE
    number, pin = pinned or origin.pin()
    with (
        pin,
        copy.creating(origin.configuration(number), recipe.read_text("utf-8") if recipe.is_file() else None),
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


def restore_revision(source: Path, graph: Directory) -> int:
    """Publishes what the backup in `source` holds as a new revision of `graph`; returns its number.

    Readers go on with the revision before until it is there. The graph keeps its recipe, settings and
    tokens; base IRI and encoder are those of the backup. Its roots come back where the graph has none of
    that name.

    Its files are compared with their digests. A copy by an earlier release has none: then
    every statement is read, and the indexes that are there have a row for each chunk; the log says so.

    Raises NotFoundError if `source` is no graph or an empty one, InputError if it is damaged, ConflictError
    where another process writes.
    """
    origin = _graph(source)
    number, pin = origin.pin()
    with pin, graph.locked():
        revision = origin.revision(number)
        if (damage := next(_damage(revision), None)) is not None:
            raise InputError(f"{source}: {damage}; nothing was changed; restore another backup")
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
