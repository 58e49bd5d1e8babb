"""Index files: arrays that are written once, and the manifest that is replaced whole.

No file is ever changed in place: an index directory is hard-linked into immutable revisions, where the
same inode must go on saying what it said. Data files get new names; the manifest is written beside the
old one, flushed to the disk and renamed over it, so that a crash leaves the old state or the new one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sage_ld.errors import ConflictError, InputError, NotFoundError
from sage_ld.store.durable_files import sync_folder

FORMAT = 1
MANIFEST = "manifest.json"
MAPPED_FROM = 1 << 16
"""Bytes from which an array is memory-mapped; below it, reading is cheaper than a mapping."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One segment, as the manifest names it."""

    name: str
    removed: str | None = None
    """Name of the array of row numbers that are no longer part of the index."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The state of an index: which segments it consists of, and which state of the store it reflects."""

    kind: str
    """`lexical`, `positions`, `vectors` or `links`."""
    stamp: str = ""
    """Whatever the caller says the state is; compared, never interpreted."""
    next: int = 1
    """Number of the next file group; numbers are never used twice."""
    segments: tuple[Entry, ...] = ()
    dimension: int = 0
    """Length of the vectors; 0 in an index without vectors."""


def read_manifest(folder: Path, kind: str) -> Manifest:
    """The manifest of the index in `folder`.

    Raises NotFoundError if there is none, ConflictError if a newer release wrote it, and
    InputError if it cannot be read.
    """
    try:
        said = json.loads((folder / MANIFEST).read_text("utf-8"))
        version = int(said.pop("format"))
        if version <= FORMAT:
            entries = tuple(Entry(**each) for each in said.pop("segments"))
            manifest = Manifest(**said, segments=entries)
    except FileNotFoundError:
        raise NotFoundError(f"{folder}: no index here; it is rebuilt from the store when created") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(folder, f"{MANIFEST}: {error}") from None
    if version > FORMAT:
        raise ConflictError(
            f"{folder}: index format {version}, this release reads up to {FORMAT}; upgrade it"
        )
    if manifest.kind != kind:
        raise damaged(folder, f"{MANIFEST} says {manifest.kind!r}, expected {kind!r}")
    return manifest


def damaged(folder: Path, what: str) -> InputError:
    """The error for an index whose files do not fit together."""
    return InputError(f"{folder}: damaged index ({what}); delete the folder and rebuild it from the store")


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest; when this returns, the new state survives a power cut."""
    said: dict[str, Any] = {"format": FORMAT, **asdict(manifest)}
    draft = folder / (MANIFEST + ".new")
    draft.unlink(missing_ok=True)
    with draft.open("x", encoding="utf-8") as file:
        json.dump(said, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / MANIFEST)
    sync_folder(folder)


def write_arrays(folder: Path, name: str, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write each array to a new file `{name}.{array}.npy`, flushed to the disk.

    All are written before the first is flushed: the disk then takes them together.
    """
    with ExitStack() as stack:
        opened = [stack.enter_context((folder / f"{name}.{key}.npy").open("xb")) for key in arrays]
        for file, array in zip(opened, arrays.values(), strict=True):
            np.save(file, np.ascontiguousarray(array), allow_pickle=False)
            file.flush()
        for file in opened:
            os.fsync(file.fileno())


def has_array(folder: Path, name: str, key: str) -> bool:
    """Whether there is a file of the array."""
    return (folder / f"{name}.{key}.npy").exists()


def read_array(folder: Path, name: str, key: str) -> np.ndarray[Any, Any]:
    """The array, read-only; a large one is memory-mapped. Raises InputError if it cannot be read."""
    path = folder / f"{name}.{key}.npy"
    try:
        mode: Any = "r" if path.stat().st_size >= MAPPED_FROM else None
        array = np.load(path, mmap_mode=mode, allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError) as error:  # a damaged size may be any number
        raise damaged(folder, f"{path.name}: {error}") from None
    array.flags.writeable = False
    return np.asarray(array)


def sweep(folder: Path, names: Iterable[str]) -> None:
    """Delete the files of groups that are not in `names`: what an update replaced, or a crash left."""
    keep = set(names)
    for path in folder.glob("*.npy"):
        if path.name.split(".", 1)[0] not in keep:
            with suppress(PermissionError):  # Windows deletes no mapped file; the next writer tries again
                path.unlink(missing_ok=True)
    (folder / (MANIFEST + ".new")).unlink(missing_ok=True)
