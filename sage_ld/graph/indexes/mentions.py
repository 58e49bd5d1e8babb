"""The index of mentions: which entities each chunk mentions, and which chunks mention each entity.

The channel `entity` goes from a chunk over its entities to all other chunks that mention them. In the store
that is a row for each; here both directions are arrays, so that a question can look at thousands. An entity
is kept as a number of 64 bits that follows from its IRI.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from sage_ld.foundation.model import IntArray
from sage_ld.graph.indexes.files import Arrays
from sage_ld.graph.indexes.layout import ListedLayout, RunIndex, concatenated_ranges
from sage_ld.graph.indexes.segments import Segment
from sage_ld.graph.indexes.strings import HashedLists, Numbers, contained, text_number

_LAYOUT: Final = ListedLayout({"counts": np.int32}, {"entities": ("counts", np.uint64)}, "entities")


class Mentioning(NamedTuple):
    """The chunks that mention some of m entities."""

    rows: IntArray
    """(e,) the chunks' rows."""
    places: IntArray
    """(e,) which of the m entities each mentions."""


class _MentionsPart:
    """One segment, and the row with which its live ones begin."""

    def __init__(self, segment: Segment, begin: int) -> None:
        self.begin, self.segment = begin, segment
        self.counts, self.entities = segment.arrays["counts"], segment.arrays["entities"]
        self.lists = HashedLists.of(segment.arrays)

    @cached_property
    def _bounds(self) -> IntArray:
        """The begin of each stored row's entities, and the end of the last one's."""
        return np.concatenate([[0], np.cumsum(self.counts, dtype=np.int64)])

    @cached_property
    def _stored(self) -> IntArray:
        """The stored row of each live one."""
        return np.flatnonzero(self.segment.live)

    @cached_property
    def _live_counts(self) -> IntArray:
        """The number of live rows in each entity's list."""
        return self.lists.live_counts(self.segment.live)

    def stored_rows(self, rows: IntArray) -> IntArray:
        """The positions of some rows in the arrays."""
        return rows - self.begin if self.segment.whole else self._stored[rows - self.begin]

    def of_rows(self, rows: IntArray) -> tuple[Numbers, IntArray]:
        """The entities of some rows, one row after another, and how many each has."""
        stored = self.stored_rows(rows)
        begin = self._bounds[stored]
        counts = self._bounds[stored + 1] - begin
        return self.entities[concatenated_ranges(begin, counts)], counts

    def frequencies(self, entities: Numbers) -> IntArray:
        """(m,) how many live rows mention each of some entities."""
        known = contained(self.lists.numbers, entities)
        frequencies = np.zeros(len(entities), np.int64)
        at = np.searchsorted(self.lists.numbers, entities[known])
        if self.segment.whole:
            frequencies[known] = self.lists.starts[at + 1] - self.lists.starts[at]
        else:
            frequencies[known] = self._live_counts[at]
        return frequencies

    def mentioning(self, entities: Numbers) -> Mentioning:
        """The live rows that mention some entities."""
        places = np.flatnonzero(contained(self.lists.numbers, entities))
        at = np.searchsorted(self.lists.numbers, entities[places])
        begin = self.lists.starts[at]
        counts = self.lists.starts[at + 1] - begin
        stored = self.lists.rows[concatenated_ranges(begin, counts)].astype(np.int64)
        places = np.repeat(places, counts)
        if not self.segment.whole:
            live = self.segment.live[stored]
            stored, places = np.searchsorted(self._stored, stored[live]), places[live]
        return Mentioning(stored + self.begin, places)


class Mentions:
    """The mentions of all live rows; a row is that of `MentionIndex.rows`."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        begins = np.cumsum([0, *(each.size for each in segments)]).tolist()
        self._begins = np.array(begins[:-1], np.int64)
        self._parts = [
            _MentionsPart(segment, begin) for segment, begin in zip(segments, begins, strict=False)
        ]

    def of_rows(self, rows: IntArray) -> tuple[Numbers, IntArray]:
        """The entities of some rows, by row, and (e,) which of the rows each is of; row -1 has none."""
        part_of = np.searchsorted(self._begins, rows, side="right") - 1
        entities, places = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
        for number in np.unique(part_of[rows >= 0]).tolist():
            here = np.flatnonzero((part_of == number) & (rows >= 0))
            found, counts = self._parts[number].of_rows(rows[here])
            entities.append(found)
            places.append(np.repeat(here, counts))
        every = np.concatenate(places)
        order = np.argsort(every, kind="stable")
        return np.concatenate(entities)[order], every[order]

    def iris(self, rows: IntArray) -> list[str]:
        """The IRIs of the chunks of some rows, ascending, each read where it lies."""
        ends = np.searchsorted(rows, self._begins[1:])
        return [
            part.segment.keys[row]
            for part, here in zip(self._parts, np.split(rows, ends), strict=False)
            for row in part.stored_rows(here).tolist()
        ]

    def frequencies(self, entities: Numbers) -> IntArray:
        """(m,) how many rows mention each of some entities."""
        counts = (part.frequencies(entities) for part in self._parts)
        return sum(counts, start=np.zeros(len(entities), np.int64))

    def mentioning(self, entities: Numbers) -> Mentioning:
        """The rows that mention some entities, by segment: as many lookups as entities and segments."""
        rows = [part.mentioning(entities) for part in self._parts]
        none = np.zeros(0, np.int64)
        return Mentioning(
            np.concatenate([none, *(each.rows for each in rows)]),
            np.concatenate([none, *(each.places for each in rows)]),
        )


class MentionIndex(RunIndex[Iterable[str]]):
    """The mentions of all chunks that mention an entity.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     index = MentionIndex.create(folder)
    ...     index.update({"x:1": ["x:lodz"], "x:2": ["x:lodz", "x:oder"]}, [])
    ...     lodz = np.array([text_number("x:lodz")], np.uint64)
    ...     index.mentions().frequencies(lodz).tolist(), index.mentions().mentioning(lodz).rows.tolist()
    ([2], [0, 1])
    """

    kind = "mentions"
    layout = _LAYOUT

    @staticmethod
    def build(values: Sequence[Iterable[str]]) -> Arrays:
        """The arrays of a segment with a row for each chunk's entities (IRIs)."""
        rows = [sorted(set(map(text_number, entities))) for entities in values]
        counts = np.array([len(row) for row in rows], np.int32)
        entities = np.array([entity for row in rows for entity in row], np.uint64)
        return _LAYOUT.with_lists({"counts": counts, "entities": entities})

    def mentions(self) -> Mentions:
        """The mentions as they are now, in the mapped files themselves."""
        return Mentions(self._directory.segments)
