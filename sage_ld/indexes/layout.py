"""Rows with several values each, in flat arrays: how segments that have them are read, joined and merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sage_ld.indexes.selection import ranges
from sage_ld.indexes.shelf import Segment, live_keys
from sage_ld.indexes.strings import Arrays
from sage_ld.model import IntArray


@dataclass(frozen=True)
class Layout:
    """What arrays a segment has."""

    of_rows: tuple[str, ...]
    """Those with one value a row."""
    runs: Mapping[str, str]
    """Those with several, row after row; and the array of `of_rows` that says how many."""
    empty: Arrays
    """All of them without a row, for their types."""

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.of_rows, *self.runs)

    def joined(self, segments: Sequence[Segment]) -> Arrays:
        """The arrays of the live rows of all segments, one segment after another."""
        parts = [self._live(segment) for segment in segments]
        if len(parts) == 1:
            return parts[0]
        return {
            name: np.concatenate([self.empty[name], *(part[name] for part in parts)]) for name in self.names
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
        for name, lengths in self.runs.items():
            sizes, moved = arrays[lengths].astype(np.int64), taken[lengths].astype(np.int64)
            begin = np.cumsum(sizes) - sizes
            taken[name] = arrays[name][ranges(begin[rows], moved)]
        return taken
