"""Immutable segments: how every index keeps its rows in a directory.

A segment holds rows sorted by key (the IRI of a chunk, or of a document) and arrays over them; it never
changes. Removing a row notes its number in a new small array; replacing one removes it and adds it in a new
segment. Small segments are joined as they come, each at most once for every doubling of its size, so that
an update costs in proportion to the change and a directory of n rows has at most about log2(n) segments.

Rows have two numbers. A *row* counts the live rows alone, segment after segment; a *stored row* counts
those that have been removed too, as the arrays of the segments do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.errors import ConflictError, NotFoundError
from sage_ld.foundation.model import IntArray
from sage_ld.graph.indexes.files import (
    Entry,
    Group,
    Manifest,
    damaged,
    read_arrays,
    read_group,
    read_manifest,
    sweep,
    write_arrays,
    write_manifest,
)
from sage_ld.graph.indexes.strings import Arrays, IriNumbers, IriSequence, IriTable, Keys, begins_of

T = TypeVar("T")

KEYS: Final = ("keys", "key_offsets")
_FEW: Final = 16
"""Of so many rows one is looked up by a binary search; of more, all together by a table of all rows."""
_DIGEST_BYTES: Final = 16


@dataclass(frozen=True)
class Segment:
    """Rows that were written together. `live[row]` is False for a row that has been removed since."""

    entry: Entry
    keys: Keys
    arrays: Arrays
    live: NDArray[np.bool_]
    group: Group
    """The file of the keys and arrays."""
    filled: tuple[str, ...] = ()
    """Names of the arrays that the release which wrote it did not have."""

    def computed(self, make: Callable[[Arrays], T]) -> T:
        """The result of `make` for the arrays, whichever rows are live.

        It is computed once for all revisions that this process has open.
        """
        return self.group.computed.get(make, lambda: make(self.arrays))

    @property
    def table(self) -> IriTable:
        """All its keys, those of removed rows too."""
        return self.group.computed.get("table", lambda: IriTable(self.keys.every))

    @cached_property
    def size(self) -> int:
        """The number of live rows."""
        return int(np.count_nonzero(self.live))

    @cached_property
    def whole(self) -> bool:
        """Whether no row has been removed."""
        return self.size == len(self.keys)

    @cached_property
    def ranks(self) -> IntArray:
        """(n,) the number of each live row among the live ones."""
        return np.cumsum(self.live, dtype=np.int64) - 1

    def row(self, key: str) -> int | None:
        """The number of a live row among the live ones; None for a key that is not here."""
        at = self.keys.find(key)
        if at is None or not self.live[at]:
            return None
        return at if self.whole else int(self.ranks[at])


def live_keys(segments: Iterable[Segment]) -> list[str]:
    """The keys of the live rows, segment after segment."""
    keys: list[str] = []
    for segment in segments:
        every = segment.keys.every
        keys += every if segment.whole else [every[row] for row in np.flatnonzero(segment.live).tolist()]
    return keys


def keys_digest(keys: Iterable[str], before: int = 0) -> int:
    """A number that follows from a set of keys, in whatever order they come and go.

    >>> keys_digest(["a", "b"]) == keys_digest(["a"], keys_digest(["b"]))
    True
    """
    numbers = (
        int.from_bytes(blake2b(key.encode(), digest_size=_DIGEST_BYTES).digest(), "little") for key in keys
    )
    return (before + sum(numbers)) % (1 << 8 * _DIGEST_BYTES)


def live_of(segments: Sequence[Segment]) -> NDArray[np.bool_]:
    """(stored rows,) which of them are live."""
    return np.concatenate([np.zeros(0, np.bool_), *(each.live for each in segments)])


def ranks_of(segments: Sequence[Segment]) -> IntArray:
    """(stored rows,) the row of each stored row; -1 for one that has been removed."""
    live = live_of(segments)
    return np.where(live, np.cumsum(live) - 1, -1)


def aligned_stored_rows(segments: Sequence[Segment], others: Sequence[Segment]) -> IntArray:
    """(n,) the stored row among `others` that has the key of each row of `segments`; -1 where none has.

    What two segments have in common is computed once for both. So this costs what is new among them, and a
    few passes over arrays.
    """
    aligned = np.full(sum(len(each.keys) for each in segments), -1, np.int64)
    begins = begins_of([len(each.keys) for each in others])
    begin = 0
    for segment in segments:
        for other_begin, other in zip(begins, others, strict=False):
            here, there = segment.table.common(other.table)
            alive = other.live[there]
            aligned[begin + here[alive]] = other_begin + there[alive]
        begin += len(segment.keys)
    return np.asarray(aligned[live_of(segments)])


def aligned_rows(segments: Sequence[Segment], others: Sequence[Segment]) -> IntArray:
    """(n,) the row among `others` that has the key of each row of `segments`; -1 where none has."""
    return np.append(ranks_of(others), -1)[aligned_stored_rows(segments, others)]


Join = Callable[[Sequence[Segment]], tuple[list[str], Arrays]]
"""The live rows of several segments as the keys (sorted) and arrays of one."""


class SegmentDirectory:
    """The segments of one index directory, as of its manifest."""

    def __init__(
        self, folder: Path, manifest: Manifest, segments: Sequence[Segment], read_only: bool
    ) -> None:
        self.folder = folder
        self.manifest = manifest
        self.segments = tuple(segments)
        self.read_only = read_only

    @classmethod
    def create(cls, folder: Path, kind: str, dimension: int = 0) -> SegmentDirectory:
        """An empty directory in `folder`, which is created; what an earlier index left there is dropped."""
        folder.mkdir(parents=True, exist_ok=True)
        manifest = Manifest(kind=kind, dimension=dimension, digest=_digest_text(0))
        write_manifest(folder, manifest)
        sweep(folder, ())
        return cls(folder, manifest, (), read_only=False)

    @classmethod
    def open(
        cls,
        folder: Path,
        kind: str,
        names: Iterable[str],
        read_only: bool,
        fits: Callable[[Segment, Manifest], bool],
        missing: Mapping[str, np.generic] = MappingProxyType({}),
    ) -> SegmentDirectory:
        """The directory in `folder`, whose segments have the arrays `names`; errors as `read_manifest`.

        `fits` says whether a segment's arrays belong together by their shapes; their values are not checked.
        An array that earlier releases did not write may be missing: each row then has the value that
        `missing` returns for its name.
        """
        manifest = read_manifest(folder, kind)
        if not read_only:
            sweep(folder, _groups(manifest))
        names = tuple(names)
        segments = [_load(folder, entry, names, missing) for entry in manifest.segments]
        for segment in segments:
            if not fits(segment, manifest):
                raise damaged(folder, f"{segment.entry.name}: arrays of different lengths")
        return cls(folder, manifest, segments, read_only)

    @cached_property
    def keys(self) -> IriSequence:
        """The key of every row, in row order: live rows, segment after segment."""
        return IriSequence([each.table for each in self.segments], np.flatnonzero(live_of(self.segments)))

    @cached_property
    def row_of(self) -> IriNumbers:
        """The row of each key."""
        return IriNumbers([each.table for each in self.segments], ranks_of(self.segments))

    def __len__(self) -> int:
        return sum(segment.size for segment in self.segments)

    @cached_property
    def digest(self) -> str:
        """A digest of the set of keys, by which two indexes are compared without reading them."""
        return self.manifest.digest or _digest_text(keys_digest(self.keys))

    def rows(self, keys: Iterable[str]) -> IntArray:
        """The row of each key; -1 for a key that is not here."""
        keys = list(keys)
        find = self._row if _FEW * len(keys) < len(self) else self.row_of.find
        return np.fromiter(map(find, keys), dtype=np.int64, count=len(keys))

    def _row(self, key: str) -> int:
        begin = 0
        for segment in self.segments:
            if (row := segment.row(key)) is not None:
                return begin + row
            begin += segment.size
        return -1

    def stored_rows(self, keys: Iterable[str]) -> IntArray:
        """The stored rows of those of some keys that are here, ascending."""
        wanted, found, begin = list(keys), [], 0
        for segment in self.segments:
            rows = (segment.keys.find(key) for key in wanted)
            found += [begin + row for row in rows if row is not None and segment.live[row]]
            begin += len(segment.keys)
        return np.array(sorted(found), np.int64)

    def segment_at(self, stored_row: int) -> tuple[Segment, int]:
        """The segment of a stored row, and where it is in its arrays. Raises IndexError."""
        for segment in self.segments:
            if stored_row < len(segment.keys):
                return segment, stored_row
            stored_row -= len(segment.keys)
        raise IndexError("there is no such row")

    def key_at(self, stored_row: int) -> str:
        """The key of a stored row, which may have been removed. Raises IndexError."""
        segment, row = self.segment_at(stored_row)
        return segment.keys[row]

    def known_rows(self, keys: Iterable[str]) -> IntArray:
        """The row of each key; raises NotFoundError, which names it, for a key that is not here."""
        keys = list(keys)
        rows = self.rows(keys)
        if len(rows) and rows.min() < 0:
            missing = keys[int(np.argmin(rows))]
            raise NotFoundError(f"{missing}: not in the index {self.folder.name}; run relink to rebuild it")
        return rows

    def update(
        self, keys: Collection[str], arrays: Arrays, remove: Iterable[str], join: Join
    ) -> SegmentDirectory:
        """The directory once `remove` and `keys` are taken out and the rows of `keys` (sorted) put in."""
        gone = set(remove).union(keys)
        segments = [_without(segment, gone) for segment in self.segments]
        removed = (key for key in gone if self._row(key) >= 0)
        digest = keys_digest(keys, int(self.digest, 16) - keys_digest(removed))
        if keys:
            segments.append(_fresh(list(keys), arrays))
        return self._commit(_joined(segments, join), _digest_text(digest))

    def merge(self, join: Join) -> SegmentDirectory:
        """The directory with all its rows in one segment, sorted by key: the form that a fresh build has."""
        if len(self.segments) <= 1 and all(each.whole and not each.filled for each in self.segments):
            return self
        keys, arrays = join(self.segments)
        return self._commit([_fresh(keys, arrays)] if keys else [], self.digest)

    def _commit(self, segments: Sequence[Segment], digest: str) -> SegmentDirectory:
        """Write what is new, then the manifest, then drop what it no longer names."""
        if self.read_only:
            raise ConflictError(f"{self.folder}: opened read-only; open the live index to change it")
        number = self.manifest.next
        written = []
        for segment in segments:
            stored = _store(self.folder, segment, f"{number:06d}")
            number += stored is not segment
            written.append(stored)
        manifest = replace(
            self.manifest,
            next=number,
            segments=tuple(segment.entry for segment in written),
            digest=digest,
        )
        write_manifest(self.folder, manifest)
        sweep(self.folder, _groups(manifest))
        return SegmentDirectory(self.folder, manifest, written, read_only=False)


def plan(sizes: Sequence[int]) -> list[list[int]]:
    """The neighbouring segments to join: as long as one is not over twice as large as what follows it.

    >>> plan([1000, 40, 30, 1]), plan([1000, 90, 20, 20])
    ([[0], [1, 2], [3]], [[0], [1], [2, 3]])
    """
    groups: list[tuple[int, list[int]]] = []
    for index, size in enumerate(sizes):
        groups.append((size, [index]))
        while len(groups) > 1 and groups[-2][0] <= 2 * groups[-1][0]:
            (left, members), (right, more) = groups[-2:]
            groups[-2:] = [(left + right, members + more)]
    return [members for _, members in groups]


def _joined(segments: Sequence[Segment], join: Join) -> list[Segment]:
    segments = [segment for segment in segments if segment.size]
    result = []
    for group in plan([segment.size for segment in segments]):
        members = [segments[index] for index in group]
        if len(members) > 1 or 2 * members[0].size < len(members[0].keys):
            result.append(_fresh(*join(members)))
        else:
            result.append(members[0])
    return result


def _digest_text(digest: int) -> str:
    return f"{digest:0{2 * _DIGEST_BYTES}x}"


def _fresh(keys: list[str], arrays: Arrays) -> Segment:
    return Segment(Entry(name=""), Keys.of(keys), arrays, np.ones(len(keys), dtype=np.bool_), Group(arrays))


def _without(segment: Segment, gone: set[str]) -> Segment:
    """The segment less the rows in `gone`; the segment itself where it holds none of them."""
    if _FEW * len(gone) < len(segment.keys):
        rows = [row for key in gone if (row := segment.keys.find(key)) is not None]
    else:
        rows = [row for row, key in enumerate(segment.keys) if key in gone]
    if not segment.live[rows].any():
        return segment
    live = segment.live.copy()
    live[rows] = False
    return replace(segment, entry=replace(segment.entry, removed=""), live=live)


def _store(folder: Path, segment: Segment, number: str) -> Segment:
    """Write what of the segment is not on the disk yet (an empty name says so), and read it back mapped."""
    entry = segment.entry
    if not entry.name:
        packed = dict(zip(KEYS, (segment.keys.blob, segment.keys.offsets), strict=True))
        write_arrays(folder, number, {**segment.arrays, **packed})
        group = read_group(folder, number)
        return replace(segment, entry=Entry(number), arrays=group.arrays, group=group)
    if entry.removed == "":
        write_arrays(folder, number, {"removed": np.flatnonzero(~segment.live)})
        return replace(segment, entry=replace(entry, removed=number))
    return segment


def _load(folder: Path, entry: Entry, names: Collection[str], missing: Mapping[str, np.generic]) -> Segment:
    group = read_group(folder, entry.name)
    try:
        keys = group.computed.get(Keys.checked, lambda: Keys.checked(*(group.arrays[name] for name in KEYS)))
        live = np.ones(len(keys), dtype=np.bool_)
        if entry.removed is not None:
            live[read_arrays(folder, entry.removed)["removed"]] = False
        filled = tuple(name for name in missing if name not in group.arrays)
        arrays = group.arrays | {name: np.full(len(keys), missing[name]) for name in filled}
        chosen = {name: arrays[name] for name in (*names, *KEYS)}
    except (ValueError, TypeError, IndexError, KeyError) as error:
        raise damaged(folder, f"{entry.name}: {error}") from None
    return Segment(entry, keys, chosen, live, group, filled)


def _groups(manifest: Manifest) -> list[str]:
    """The file groups that the manifest names."""
    removed = (entry.removed for entry in manifest.segments)
    return [entry.name for entry in manifest.segments] + [name for name in removed if name]
