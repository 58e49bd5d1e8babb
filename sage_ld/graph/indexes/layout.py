"""The bases of the indexes in segments: what each can do, and reading, joining and replacing its segments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.model import IntArray
from sage_ld.graph.indexes.files import Arrays, Manifest, counted
from sage_ld.graph.indexes.segments import Segment, SegmentDirectory, live_keys
from sage_ld.graph.indexes.strings import IriSequence, array_names, begins_of, grouped, lists_fit


class SegmentIndex(ABC):
    """Rows by IRI in a directory. One process writes; any number read its published copies."""

    kind: ClassVar[str]
    """The name of the index in its manifest."""
    formerly_missing: ClassVar[Mapping[str, np.generic]] = MappingProxyType({})
    """The arrays that earlier releases did not write, and the value of each row there."""

    def __init__(self, directory: SegmentDirectory) -> None:
        self._directory = directory

    @classmethod
    @abstractmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the arrays of a segment."""

    @classmethod
    @abstractmethod
    def fits(cls, segment: Segment, manifest: Manifest) -> bool:
        """Whether the arrays of a segment belong together by their shapes."""

    @classmethod
    @abstractmethod
    def join(cls, segments: Sequence[Segment]) -> tuple[list[str], Arrays]:
        """The live rows of all segments as those of one, in order of key."""

    @classmethod
    def create(cls, path: str | Path, dimension: int = 0) -> Self:
        """An empty index in `path`; what an earlier index left there is dropped.

        `dimension` is the length of each vector, in an index that has some.
        """
        return cls(SegmentDirectory.create(Path(path), cls.kind, dimension))

    @classmethod
    def open(cls, path: str | Path, *, read_only: bool = True) -> Self:
        """The index in `path`.

        Raises NotFoundError if there is none, ConflictError for a newer format, InputError if it
        is damaged; in each case it can be rebuilt from the store.
        """
        return cls(cls._opened(path, read_only))

    @classmethod
    def _opened(cls, path: str | Path, read_only: bool) -> SegmentDirectory:
        return SegmentDirectory.open(
            Path(path), cls.kind, cls.names(), read_only, cls.fits, cls.formerly_missing
        )

    @property
    def iris(self) -> IriSequence:
        """The IRI of every row, in row order."""
        return self._directory.keys

    @property
    def digest(self) -> str:
        """A digest of the set of its keys."""
        return self._directory.digest

    @property
    def dimension(self) -> int:
        """The length of each vector; 0 in an index that has none."""
        return self._directory.manifest.dimension

    @property
    def segments(self) -> Sequence[Segment]:
        """Its segments; their arrays are over all rows, removed ones too."""
        return self._directory.segments

    def __len__(self) -> int:
        return len(self._directory)

    def rows(self, iris: Iterable[str]) -> IntArray:
        """The row of each IRI; -1 for one that is not indexed."""
        return self._directory.rows(iris)

    def merge(self) -> None:
        """Bring all rows into one segment in order of IRI: the form of a fresh build."""
        self._directory = self._directory.merge(self.join)

    def _replace(self, iris: list[str], arrays: Arrays, remove: Iterable[str]) -> None:
        """Takes `remove` out, puts the rows of `iris`, which are sorted, in: all or nothing."""
        self._directory = self._directory.update(iris, arrays, remove, self.join)


T = TypeVar("T")


@dataclass(frozen=True)
class Layout:
    """The names and types of the arrays of a segment."""

    of_rows: Mapping[str, type[np.generic]]
    """The arrays with one value a row, and its type."""
    runs: Mapping[str, tuple[str, type[np.generic]]]
    """The arrays with several values a row: the array of `of_rows` that says how many, and their type."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all arrays."""
        return (*self.of_rows, *self.runs)

    def fits(self, segment: Segment, _manifest: Manifest) -> bool:
        """Whether each array has as many values as the rows say, of which none says less than none."""
        sizes = {name: len(segment.keys) for name in self.of_rows}
        if any(segment.arrays[name].shape != (size,) for name, size in sizes.items()):
            return False
        if not all(counted(segment.arrays[counts]) for counts in {name for name, _ in self.runs.values()}):
            return False
        sizes = {
            name: int(segment.arrays[counts].sum(dtype=np.int64)) for name, (counts, _) in self.runs.items()
        }
        return all(segment.arrays[name].shape == (size,) for name, size in sizes.items())

    def joined(self, segments: Sequence[Segment]) -> Arrays:
        """The arrays of the live rows of all segments, one segment after another."""
        parts = [self._live(segment) for segment in segments]
        if len(parts) == 1:
            return parts[0]
        types = {**self.of_rows, **{name: kind for name, (_, kind) in self.runs.items()}}
        return {
            name: np.concatenate([np.zeros(0, kind), *(part[name] for part in parts)])
            for name, kind in types.items()
        }

    def join(self, segments: Sequence[Segment]) -> tuple[list[str], Arrays]:
        """The live rows of all segments as those of one, in order of key."""
        keys = live_keys(segments)
        order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
        return [keys[index] for index in order.tolist()], self._taken(self.joined(segments), order)

    def _live(self, segment: Segment) -> Arrays:
        if segment.whole:
            return dict(segment.arrays)
        return self._taken(segment.arrays, np.flatnonzero(segment.live))

    def _taken(self, arrays: Mapping[str, NDArray[Any]], rows: IntArray) -> Arrays:
        """The arrays of the given rows, in their order."""
        taken = {name: arrays[name][rows] for name in self.of_rows}
        for name, (lengths, _) in self.runs.items():
            sizes, moved = arrays[lengths].astype(np.int64), taken[lengths].astype(np.int64)
            begin = np.cumsum(sizes) - sizes
            taken[name] = arrays[name][concatenated_ranges(begin[rows], moved)]
        return taken


@dataclass(frozen=True)
class ListedLayout(Layout):
    """A layout with an array of numbers, and beside it the rows of each number, which follow from it."""

    listed: str
    """The name of that array, one of `runs`."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all arrays."""
        return (*super().names, *array_names(""))

    def fits(self, segment: Segment, manifest: Manifest) -> bool:
        """Whether the arrays belong together by their lengths, those of the lists too."""
        return super().fits(segment, manifest) and lists_fit(segment.arrays, len(segment.keys))

    def join(self, segments: Sequence[Segment]) -> tuple[list[str], Arrays]:
        """The live rows of all segments as those of one, in order of key."""
        keys, arrays = super().join(segments)
        return keys, self.with_lists(arrays)

    def with_lists(self, arrays: Arrays) -> Arrays:
        """The arrays of a segment, from those without the lists."""
        counts = arrays[self.runs[self.listed][0]]
        rows = np.repeat(np.arange(len(counts)), counts)
        kept = {name: arrays[name] for name in super().names}
        return {**kept, **grouped(arrays[self.listed], rows)}


class RunIndex(SegmentIndex, Generic[T]):
    """An index whose rows have such a layout."""

    layout: ClassVar[Layout]

    @staticmethod
    @abstractmethod
    def build(values: Sequence[T]) -> Arrays:
        """The arrays of a segment with a row for each of `values`."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the arrays of a segment."""
        return cls.layout.names

    @classmethod
    def fits(cls, segment: Segment, manifest: Manifest) -> bool:
        """Whether each array has as many values as the rows say."""
        return cls.layout.fits(segment, manifest)

    @classmethod
    def join(cls, segments: Sequence[Segment]) -> tuple[list[str], Arrays]:
        """The live rows of all segments as those of one, in order of key."""
        return cls.layout.join(segments)

    def update(self, add: Mapping[str, T], remove: Iterable[str]) -> None:
        """Take `remove` out, put `add` (IRI -> what) in, replacing what those IRIs had: all or nothing.

        An IRI to remove that is not indexed is no error.
        """
        iris = sorted(add)
        built = self.build([add[iri] for iri in iris])
        self._replace(iris, built, remove)


class ArrayChain:
    """Arrays of one type, read as if they lay one after another; none is copied.

    >>> ArrayChain([np.array([7, 8]), np.array([9])])[np.array([2, 0])].tolist()
    [9, 7]
    """

    def __init__(self, arrays: Sequence[NDArray[Any]]) -> None:
        self._arrays = arrays
        self.begins = np.array(begins_of([len(each) for each in arrays]), np.int64)
        """(arrays + 1,) where each begins, and where the last ends."""

    def __len__(self) -> int:
        return int(self.begins[-1])

    def __getitem__(self, places: IntArray) -> NDArray[Any]:
        """The values at some places, of which there are none in an empty chain."""
        if len(self._arrays) == 1:
            return np.asarray(self._arrays[0][places])
        numbers = np.searchsorted(self.begins, places, side="right") - 1
        values = np.zeros(len(places), self._arrays[0].dtype if self._arrays else np.int64)
        for number, array in enumerate(self._arrays):
            if (here := numbers == number).any():
                values[here] = array[places[here] - self.begins[number]]
        return values


def concatenated_ranges(begin: IntArray, counts: IntArray) -> IntArray:
    """The integers of several ranges, one range after another: `counts` (m,) of them from `begin` (m,) on.

    >>> concatenated_ranges(np.array([7, 3]), np.array([2, 3])).tolist()
    [7, 8, 3, 4, 5]
    """
    return np.repeat(begin - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))
