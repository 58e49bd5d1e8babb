"""Index files: groups of arrays that are written once, and the manifest that is replaced whole.

A group is one file: `sage-arr`, the length of a table in JSON that says of each array its type, shape and
place, that table, and the arrays, each at a multiple of 64 bytes. Earlier releases wrote one `.npy` file for
each array.

No file is ever changed in place: an index directory is hard-linked into immutable revisions, where the
same inode must go on saying what it said. Data files get new names; the manifest is written beside the
old one, flushed to the disk and renamed over it, so that a crash leaves the old state or the new one.

Revisions have most of their files in common. A process reads a file once for all revisions that it has open
(`read_group`), and so computes what follows from its arrays once, too.

The bounds of an array's values are checked where it is read: its length may fit while its values do not.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias, cast
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.caches import ComputedOnce
from sage_ld.foundation.errors import ConflictError, InputError, NotFoundError
from sage_ld.graph.store.durable_files import sync_folder

FORMAT = 2
MANIFEST = "manifest.json"
MAPPED_FROM = 1 << 16
"""Bytes from which a file is memory-mapped; below it, reading is cheaper than a mapping."""
SUFFIX: Final = ".arrays"
_MAGIC: Final = b"sage-arr"
_ALIGNED: Final = 64
_TYPE: Final = re.compile(r"[|<][biufS]\d{1,4}")
_UNREADABLE: Final = (
    OSError,
    ValueError,
    TypeError,
    AttributeError,
    OverflowError,
    MemoryError,
    RecursionError,
)
"""The exceptions, other than our own, that reading a damaged file raises."""
Arrays: TypeAlias = dict[str, np.ndarray[Any, Any]]
_BLOCK_ROWS: Final = 1_000


class Group:
    """The arrays of one file, and what has been computed from them."""

    def __init__(self, arrays: Arrays, content: bytes | mmap.mmap = b"") -> None:
        self.arrays = arrays
        """By name; read-only."""
        self.computed = ComputedOnce()
        """Values computed from the arrays alone, by the function that computes them."""
        self._content = content  # keeps the file open, so that no other one has its number


_open_groups: WeakValueDictionary[Hashable, Group] = WeakValueDictionary()
"""The groups that this process uses: by file where it is mapped, by content where it was read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One segment, as the manifest names it."""

    name: str
    removed: str | None = None
    """Name of the array of row numbers that are no longer part of the index."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The state of an index: which segments it consists of."""

    kind: str
    """The name of the index, such as `lexical`."""
    next: int = 1
    """Number of the next file group; numbers are never used twice."""
    segments: tuple[Entry, ...] = ()
    dimension: int = 0
    """Length of the vectors; 0 in an index without vectors."""
    digest: str = ""
    """A digest of the set of keys (`segments.keys_digest`); empty where an earlier release wrote it."""


def read_manifest(folder: Path, kind: str) -> Manifest:
    """The manifest of the index in `folder`.

    Raises NotFoundError if there is none, ConflictError if a newer release wrote it, and
    InputError if it cannot be read.
    """
    try:
        said = json.loads((folder / MANIFEST).read_text("utf-8"))
        version = int(said.pop("format"))
        said.pop("stamp", None)  # earlier releases wrote one, which nothing compares
        if version <= FORMAT:
            entries = tuple(Entry(**each) for each in said.pop("segments"))
            manifest = Manifest(**said, segments=entries)
    except FileNotFoundError:
        raise NotFoundError(f"{folder}: no index here; it is rebuilt from the store when created") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
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


class TakenRows:
    """Rows of several arrays, numbered as if these lay one after another, read while they are written.

    >>> taken = TakenRows([np.array([[7], [8]]), np.array([[9]])], np.array([2, 0]))
    >>> np.asarray(taken).tolist(), taken.shape, taken.nbytes
    ([[9], [7]], (2, 1), 16)
    """

    def __init__(self, parts: Sequence[NDArray[Any]], rows: NDArray[np.int64]) -> None:
        self._parts, self._rows = parts, rows
        self._begins = np.cumsum([0, *map(len, parts)])
        self.dtype = parts[0].dtype
        self.shape = (len(rows), *parts[0].shape[1:])
        self.nbytes = math.prod(self.shape) * self.dtype.itemsize

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.concatenate([np.zeros((0, *self.shape[1:]), self.dtype), *self.blocks()])

    def blocks(self) -> Iterator[NDArray[Any]]:
        """The rows, some at a time."""
        for begin in range(0, len(self._rows), _BLOCK_ROWS):
            rows = self._rows[begin : begin + _BLOCK_ROWS]
            part_of = np.searchsorted(self._begins, rows, side="right") - 1
            block = np.empty((len(rows), *self.shape[1:]), self.dtype)
            for number, part in enumerate(self._parts):
                here = part_of == number
                block[here] = part[rows[here] - self._begins[number]]
            yield block


def taken_rows(parts: Sequence[NDArray[Any]], rows: NDArray[np.int64]) -> NDArray[Any]:
    """`TakenRows`, for an array that is only written."""
    return cast("NDArray[Any]", TakenRows(parts, rows))


def write_arrays(folder: Path, name: str, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Writes the arrays to a new file `{name}.arrays`, flushed to the disk."""
    whole: dict[str, NDArray[Any] | TakenRows] = {
        key: array if isinstance(array, TakenRows) else np.ascontiguousarray(array)
        for key, array in arrays.items()
    }
    table, end = {}, 0
    for key, array in whole.items():
        table[key] = [array.dtype.newbyteorder("<").str, array.shape, end]
        end += -(-array.nbytes // _ALIGNED) * _ALIGNED
    head = json.dumps(table).encode()
    head += b" " * (-(len(_MAGIC) + 8 + len(head)) % _ALIGNED)
    with (folder / (name + SUFFIX)).open("xb") as file:
        file.write(_MAGIC + len(head).to_bytes(8, "little") + head)
        for array in whole.values():
            for block in array.blocks() if isinstance(array, TakenRows) else (array,):
                file.write(block.astype(block.dtype.newbyteorder("<"), copy=False).tobytes())
            file.write(bytes(-array.nbytes % _ALIGNED))
        file.flush()
        os.fsync(file.fileno())


def read_arrays(folder: Path, name: str) -> Arrays:
    """The arrays of a group, read-only; errors as `read_group`."""
    return read_group(folder, name).arrays


def read_group(folder: Path, name: str) -> Group:
    """A group, the same object for all users of this file at the same time; a large file is memory-mapped.

    Raises InputError if it cannot be read.
    """
    path = folder / (name + SUFFIX)
    try:
        with path.open("rb") as file:
            return _read(file)
    except FileNotFoundError:
        return Group(_read_former(folder, name))
    except _UNREADABLE as error:
        raise damaged(folder, f"{path.name}: {error}") from None


def _read(file: BinaryIO) -> Group:
    """The group of a file of ours. Raises ValueError and its like for any other file."""
    status = os.fstat(file.fileno())
    mapped = status.st_size >= MAPPED_FROM
    content: bytes | mmap.mmap = b"" if mapped else file.read()
    key: Hashable = content
    if mapped:  # no other file has these numbers as long as this one is open
        key = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
    group = _open_groups.get(key)
    if group is None:
        if mapped:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        group = _open_groups.setdefault(key, Group(_arrays(content), content))
    return group


def _arrays(content: bytes | mmap.mmap) -> Arrays:
    begin = len(_MAGIC) + 8
    if content[: len(_MAGIC)] != _MAGIC:
        raise ValueError("it is not a file of arrays")
    end = begin + int.from_bytes(content[len(_MAGIC) : begin], "little")
    table = json.loads(content[begin:end])
    return {
        key: _array(content, kind, tuple(shape), end + place) for key, (kind, shape, place) in table.items()
    }


def _array(content: bytes | mmap.mmap, kind: str, shape: tuple[int, ...], place: int) -> np.ndarray[Any, Any]:
    if not _TYPE.fullmatch(kind):
        raise ValueError(f"{kind!r} is not a type of ours")
    count = math.prod(shape)
    if not count:
        return np.zeros(shape, kind)
    return np.frombuffer(content, kind, count, place).reshape(shape)


def _read_former(folder: Path, name: str) -> Arrays:
    """The arrays of a group that an earlier release wrote, each in a file of its own."""
    arrays = {}
    for path in sorted(folder.glob(f"{name}.*.npy")):
        try:
            mode: Any = "r" if path.stat().st_size >= MAPPED_FROM else None
            array = np.load(path, mmap_mode=mode, allow_pickle=False)
        except (OSError, ValueError, EOFError, MemoryError) as error:  # a damaged size may be any number
            raise damaged(folder, f"{path.name}: {error}") from None
        array.flags.writeable = False
        arrays[path.name.split(".")[1]] = np.asarray(array)
    if not arrays:
        raise damaged(folder, f"{name}{SUFFIX} is missing")
    return arrays


def sweep(folder: Path, names: Iterable[str]) -> None:
    """Delete the files of groups that are not in `names`: what an update replaced, or a crash left."""
    keep = set(names)
    for path in folder.iterdir():
        if path.suffix in (SUFFIX, ".npy") and path.name.split(".", 1)[0] not in keep:
            with suppress(PermissionError):  # Windows deletes no mapped file; the next writer tries again
                path.unlink(missing_ok=True)
    (folder / (MANIFEST + ".new")).unlink(missing_ok=True)


LARGEST: Final = float(np.finfo(np.float32).max)
"""The largest number of a finite vector."""


def within(array: NDArray[Any], least: float, most: float = LARGEST) -> bool:
    """Whether all values are between two bounds; NaN is not.

    >>> within(np.array([0.5, 1]), 0, 1), within(np.array([np.nan]), 0, 1), within(np.zeros(0), 1, 2)
    (True, False, True)
    """
    return not array.size or bool(array.min() >= least and array.max() <= most)


def ascending(places: NDArray[Any], end: int) -> bool:
    """Whether places begin with 0, never go back, and lead to `end`.

    >>> ascending(np.array([0, 2, 2, 5]), 5), ascending(np.array([0, 7, 5]), 5)
    (True, False)
    """
    is_number = places.ndim == 1 and places.dtype.kind in "iu" and len(places) > 0
    return is_number and bool(places[0] == 0 and places[-1] == end and (places[1:] >= places[:-1]).all())


def counted(counts: NDArray[Any]) -> bool:
    """Whether all values are counts: whole numbers that are not negative."""
    return counts.dtype.kind in "iu" and within(counts, 0)
