"""The base of the indexes in segments: what each of them can do, whatever its rows hold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Self

import numpy as np

from sage_ld.foundation.model import IntArray
from sage_ld.graph.indexes.files import Arrays, Manifest
from sage_ld.graph.indexes.iri_tables import IriSequence
from sage_ld.graph.indexes.segments import Segment, SegmentDirectory


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
