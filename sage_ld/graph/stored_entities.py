"""The entities that chunks have in common, read from the store, where a few new chunks are joined to all.

It gives what `sage_ld.edges.Entities` gives of the matrix of all chunks, at the cost of what is asked for.
How many chunks mention an entity is what the graph of entities states; it is counted where nothing is stated.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from math import log1p

import numpy as np
from pyoxigraph import NamedNode

from sage_ld import vocabulary as v
from sage_ld.indexes.aspects import AspectIndex
from sage_ld.model import DoubleArray, FloatArray, IntArray
from sage_ld.rdf_values import integer_of
from sage_ld.store.iris import Iris
from sage_ld.store.protocol import Store
from sage_ld.store.terms import node


class StoredEntities:
    """The entities of chunks, which are given by their rows in the index of aspects."""

    def __init__(self, store: Store, iris: Iris, aspects: AspectIndex, hub: int) -> None:
        self._store = store
        self._graph = node(iris.entities_graph)
        self._aspects = aspects
        self._hub = hub
        self._named: dict[int, frozenset[str]] = {}
        self._idf: dict[str, float] = {}
        self._masses: dict[int, float] = {}
        self._chunks: dict[str, IntArray] = {}

    def of(self, chunk: int) -> frozenset[str]:
        """The entities (IRIs) that a chunk mentions."""
        if chunk not in self._named:
            subject = NamedNode(self._aspects.iri(chunk))
            quads = self._store.quads_for_pattern(subject, node(v.MENTIONS), None, None)
            self._named[chunk] = frozenset(
                each.object.value for each in quads if isinstance(each.object, NamedNode)
            )
        return self._named[chunk]

    def block(self, left: IntArray, right: IntArray) -> FloatArray:
        """(a, b) the similarity of each of `left` to each of `right`."""
        values = np.zeros((len(left), len(right)), np.float32)
        for row, chunk in enumerate(left.tolist()):
            shared = np.zeros(len(right))
            for entity in sorted(self.of(chunk)):
                shared[_places(self._all_naming(entity), right)] += self._weight(entity)
            columns = np.flatnonzero(shared)
            masses = np.array([self._mass(other) for other in right[columns].tolist()], np.float64)
            both = shared[columns]
            values[row, columns] = both / (self._mass(chunk) + masses - both)
        return values

    def pairs(self, left: IntArray, right: IntArray) -> DoubleArray:
        """(k,) the similarity of left[i] to right[i]."""
        return np.array(
            [self._similarity(*pair) for pair in zip(left.tolist(), right.tolist(), strict=True)], np.float64
        )

    def sharing(self, left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
        """The positions in `left` and `right`, both ascending, of the pairs that share a rare entity."""
        rows, columns = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for row, chunk in enumerate(left.tolist()):
            others = {other for entity in self.of(chunk) for other in self._rarely_naming(entity)}
            found = _places(np.array(sorted(others), np.int64), right)
            rows.append(np.full(len(found), row, np.int64))
            columns.append(found)
        return np.concatenate(rows), np.concatenate(columns)

    @cached_property
    def _size(self) -> int:
        return len(self._aspects)

    def _similarity(self, one: int, other: int) -> float:
        shared = self._sum(self.of(one) & self.of(other))
        return shared / (self._mass(one) + self._mass(other) - shared) if shared else 0.0

    def _mass(self, chunk: int) -> float:
        if chunk not in self._masses:
            self._masses[chunk] = self._sum(self.of(chunk))
        return self._masses[chunk]

    def _sum(self, entities: frozenset[str]) -> float:
        return sum(map(self._weight, sorted(entities)))

    def _weight(self, entity: str) -> float:
        if entity not in self._idf:
            self._idf[entity] = log1p(self._size / max(self._frequency(entity), 1))
        return self._idf[entity]

    def _frequency(self, entity: str) -> int:
        stated = self._store.quads_for_pattern(NamedNode(entity), node(v.CHUNK_FREQUENCY), None, self._graph)
        for quad in stated:
            if (count := integer_of(quad.object)) is not None:
                return count
        return sum(1 for _ in self._naming(entity))

    def _naming(self, entity: str) -> Iterator[int]:
        """The chunks that mention an entity, each once, however many graphs state it."""
        seen: set[str] = set()
        for quad in self._store.quads_for_pattern(None, node(v.MENTIONS), NamedNode(entity), None):
            if isinstance(quad.subject, NamedNode) and (iri := quad.subject.value) not in seen:
                seen.add(iri)
                yield from self._aspects.positions((iri,)).tolist()

    def _all_naming(self, entity: str) -> IntArray:
        """The chunks that mention an entity, ascending."""
        if entity not in self._chunks:
            self._chunks[entity] = np.array(sorted(self._naming(entity)), np.int64)
        return self._chunks[entity]

    def _rarely_naming(self, entity: str) -> list[int]:
        """The chunks that mention an entity, where these are few; none where they are many."""
        chunks = list(islice(self._naming(entity), self._hub + 1))
        return chunks if len(chunks) <= self._hub else []


def _places(wanted: IntArray, among: IntArray) -> IntArray:
    """Where those of `wanted` that are among some numbers are, both ascending."""
    if not len(among):
        return np.zeros(0, np.int64)
    at = np.minimum(np.searchsorted(among, wanted), len(among) - 1)
    return np.asarray(at[among[at] == wanted], np.int64)
