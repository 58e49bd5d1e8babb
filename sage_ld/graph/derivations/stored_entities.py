"""The entities that chunks have in common, from the index of mentions, where a few chunks are joined to all.

It gives what `sage_ld.build.edges.Entities` returns of the matrix of all chunks. What chunks share is
looked up for those asked for; what grows with the graph are passes over arrays.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray
from sage_ld.graph.indexes.aspects import AspectIndex
from sage_ld.graph.indexes.hashed import Numbers
from sage_ld.graph.indexes.layout import concatenated_ranges
from sage_ld.graph.indexes.mentions import Mentions
from sage_ld.graph.indexes.segment_index import SegmentIndex
from sage_ld.graph.indexes.segments import aligned_stored_rows


class StoredEntities:
    """The entities of chunks, which are given by their stored rows in the index of aspects."""

    def __init__(self, index: SegmentIndex, aspects: AspectIndex, hub: int) -> None:
        """`index` is that of mentions. An entity that more than `hub` chunks mention is not rare."""
        self._index = index
        self._mentions = Mentions(index.segments)
        self._aspects = aspects
        self._hub = hub

    def block(self, left: IntArray, right: IntArray) -> FloatArray:
        """(a, b) the similarity of each of `left` to each of `right`."""
        values = np.zeros((len(left), len(right)), np.float32)
        entities, owners = self._of(left)
        for place in range(len(left)):
            values[place] = self._similar_to(entities[owners == place])[right]
        return values

    def pairs(self, left: IntArray, right: IntArray) -> DoubleArray:
        """(k,) the similarity of left[i] to right[i]."""
        chunks, ends = np.unique(np.append(left, right), return_inverse=True)
        one, other = ends[: len(left)], ends[len(left) :]
        entities, owners = self._of(chunks)
        names, number = np.unique(entities, return_inverse=True)
        weights = self._weights(names)[number]
        masses = np.bincount(owners, weights, minlength=len(chunks))
        begin = np.searchsorted(owners, one)
        counts = np.searchsorted(owners, one, side="right") - begin
        of_one, pair = concatenated_ranges(begin, counts), np.repeat(np.arange(len(one)), counts)
        both = np.isin(other[pair] * len(names) + number[of_one], owners * len(names) + number)
        shared = np.bincount(pair[both], weights[of_one[both]], minlength=len(one))
        return np.asarray(shared / np.where(shared > 0, masses[one] + masses[other] - shared, 1))

    def sharing(self, left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
        """The positions in `left` and `right`, both ascending, of the pairs that share a rare entity."""
        rows, columns = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        entities, owners = self._of(left)
        rare = self._mentions.frequencies(entities) <= self._hub
        for place in range(len(left)):
            others = self._mentions.mentioning(entities[rare & (owners == place)]).rows
            found = _places(self._aspects.positions(self._mentions.iris(np.unique(others))), right)
            rows.append(np.full(len(found), place, np.int64))
            columns.append(found)
        return np.concatenate(rows), np.concatenate(columns)

    def _of(self, chunks: IntArray) -> tuple[Numbers, IntArray]:
        """The entities of some chunks, by chunk, and (e,) which of the chunks each is of."""
        return self._mentions.of_rows(self._index.rows(map(self._aspects.iri, chunks.tolist())))

    def _weights(self, entities: Numbers) -> DoubleArray:
        """(m,) the inverse frequency of each entity among the chunks."""
        frequencies = self._mentions.frequencies(entities)
        return np.asarray(np.log1p(len(self._aspects) / np.maximum(frequencies, 1)))

    def _similar_to(self, entities: Numbers) -> DoubleArray:
        """(n,) the similarity of a chunk with some entities to that of each stored row."""
        weights = self._weights(entities)
        rows, places = self._mentions.mentioning(entities)
        shared = np.bincount(rows, weights[places], minlength=len(self._index))
        rows = np.flatnonzero((shared > 0) & (self._positions >= 0))
        both = shared[rows]
        similar = np.zeros(sum(len(each.keys) for each in self._aspects.segments))
        similar[self._positions[rows]] = both / (weights.sum() + self._masses[rows] - both)
        return similar

    @cached_property
    def _masses(self) -> DoubleArray:
        """(r,) the sum of the weights of the entities of each row of the index of mentions."""
        entities, rows = self._mentions.of_rows(np.arange(len(self._index)))
        return np.asarray(np.bincount(rows, self._weights(entities), minlength=len(self._index)), np.float64)

    @cached_property
    def _positions(self) -> IntArray:
        """(r,) the chunk of each row of the index of mentions; -1 for anything that is not a chunk."""
        return aligned_stored_rows(self._index.segments, self._aspects.segments)


def _places(wanted: IntArray, among: IntArray) -> IntArray:
    """The positions of the wanted ones among some numbers, both ascending."""
    if not len(among):
        return np.zeros(0, np.int64)
    at = np.minimum(np.searchsorted(among, wanted), len(among) - 1)
    return np.asarray(at[among[at] == wanted], np.int64)
