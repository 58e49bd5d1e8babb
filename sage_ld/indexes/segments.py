"""Immutable segments: how every index keeps its rows in a directory.

A segment holds rows sorted by key (a chunk's IRI) and arrays over them; it never changes. Removing a
row notes its number in a new small array; replacing one removes it and adds it in a new segment. Small
segments are joined as they come, each at most once for every doubling of its size, so that an update
costs in proportion to the change and a directory of n rows has at most about log2(n) segments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sage_ld.errors import ConflictError, NotFoundError
from sage_ld.indexes.files import (
    Entry,
    Manifest,
    damaged,
    has_array,
    read_array,
    read_manifest,
    sweep,
    write_arrays,
    write_manifest,
)
from sage_ld.indexes.strings import Arrays, pack, unpack
from sage_ld.model import IntArray

KEYS = ("keys", "key_offsets")


@dataclass(frozen=True)
class Segment:
    """Rows that were written together. `live[row]` is False for a row that has been removed since."""

    entry: Entry
    keys: list[str]
    arrays: Arrays
    live: NDArray[np.bool_]

    @cached_property
    def size(self) -> int:
        """How many rows are live."""
        return int(np.count_nonzero(self.live))

    @property
    def whole(self) -> bool:
        """Whether no row has been removed."""
        return self.size == len(self.keys)


def live_keys(segments: Iterable[Segment]) -> list[str]:
    """The keys of the live rows, segment after segment."""
    return [
        key
        for segment in segments
        for key, live in zip(segment.keys, segment.live.tolist(), strict=True)
        if live
    ]


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
        manifest = Manifest(kind=kind, dimension=dimension)
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
        `missing` gives for its name.
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
    def keys(self) -> list[str]:
        """The key of every row, in row order: live rows, segment after segment."""
        return live_keys(self.segments)

    @cached_property
    def _row_of(self) -> dict[str, int]:
        return {key: row for row, key in enumerate(self.keys)}

    def rows(self, keys: Iterable[str]) -> IntArray:
        """The row of each key; -1 for a key that is not here."""
        found = self._row_of
        return np.fromiter((found.get(key, -1) for key in keys), dtype=np.int64)

    def known_rows(self, keys: Iterable[str]) -> IntArray:
        """The row of each key; raises NotFoundError, which names it, for a key that is not here."""
        keys = list(keys)
        rows = self.rows(keys)
        if len(rows) and rows.min() < 0:
            missing = keys[int(np.argmin(rows))]
            raise NotFoundError(f"{missing}: not in the index {self.folder.name}; run relink to rebuild it")
        return rows

    def update(
        self, keys: Collection[str], arrays: Arrays, remove: Iterable[str], stamp: str, join: Join
    ) -> SegmentDirectory:
        """The directory once `remove` and `keys` are taken out and the rows of `keys` (sorted) put in."""
        gone = set(remove).union(keys)
        segments = [_without(segment, gone) for segment in self.segments]
        if keys:
            segments.append(_fresh(list(keys), arrays))
        return self._commit(_joined(segments, join), stamp)

    def merge(self, join: Join) -> SegmentDirectory:
        """The directory with all its rows in one segment, sorted by key: the form that a fresh build has."""
        if len(self.segments) <= 1 and all(segment.whole for segment in self.segments):
            return self
        keys, arrays = join(self.segments)
        return self._commit([_fresh(keys, arrays)] if keys else [], self.manifest.stamp)

    def _commit(self, segments: Sequence[Segment], stamp: str) -> SegmentDirectory:
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
            self.manifest, stamp=stamp, next=number, segments=tuple(segment.entry for segment in written)
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


def _fresh(keys: list[str], arrays: Arrays) -> Segment:
    return Segment(Entry(name=""), keys, arrays, np.ones(len(keys), dtype=np.bool_))


def _without(segment: Segment, gone: set[str]) -> Segment:
    """The segment less the rows in `gone`; the segment itself where it holds none of them."""
    if not gone:
        return segment
    out = np.fromiter((key in gone for key in segment.keys), dtype=np.bool_, count=len(segment.keys))
    live = segment.live & ~out
    if np.array_equal(live, segment.live):
        return segment
    return Segment(replace(segment.entry, removed=""), segment.keys, segment.arrays, live)


def _store(folder: Path, segment: Segment, number: str) -> Segment:
    """Write what of the segment is not on the disk yet (an empty name says so), and read it back mapped."""
    entry = segment.entry
    if not entry.name:
        blob, offsets = pack(segment.keys)
        write_arrays(folder, number, {**segment.arrays, KEYS[0]: blob, KEYS[1]: offsets})
        arrays = {name: read_array(folder, number, name) for name in segment.arrays}
        return Segment(Entry(number), segment.keys, arrays, segment.live)
    if entry.removed == "":
        write_arrays(folder, number, {"removed": np.flatnonzero(~segment.live)})
        return Segment(replace(entry, removed=number), segment.keys, segment.arrays, segment.live)
    return segment


def _load(folder: Path, entry: Entry, names: Iterable[str], missing: Mapping[str, np.generic]) -> Segment:
    blob, offsets = (read_array(folder, entry.name, name) for name in KEYS)
    try:
        keys = unpack(blob, offsets)
        live = np.ones(len(keys), dtype=np.bool_)
        if entry.removed is not None:
            live[read_array(folder, entry.removed, "removed")] = False
        complete = int(offsets[-1]) == len(blob)
    except (ValueError, TypeError, IndexError) as error:
        raise damaged(folder, f"{entry.name}: {error}") from None
    if not complete:
        raise damaged(folder, f"{entry.name}: the keys are cut off")
    arrays: dict[str, np.ndarray[Any, Any]] = {
        name: np.full(len(keys), missing[name])
        if name in missing and not has_array(folder, entry.name, name)
        else read_array(folder, entry.name, name)
        for name in names
    }
    return Segment(entry, keys, arrays, live)


def _groups(manifest: Manifest) -> list[str]:
    """The file groups that the manifest names."""
    removed = (entry.removed for entry in manifest.segments)
    return [entry.name for entry in manifest.segments] + [name for name in removed if name]
