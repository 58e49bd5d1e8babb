"""The shortest ways from seeds over weighted edges, breadth first, as arrays.

The length of a way is the sum of 1 / weight over its edges: a strong edge is short, and the more edges, the
longer (SageDB's effective distance).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.graph.indexes.layout import concatenated_ranges

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MOST_EDGES: Final = 500_000
"""Edges that are looked at in one step: those from the ends of the shortest trails."""


@dataclass(frozen=True, slots=True)
class Trails:
    """Ways from seeds, as parallel arrays of length t, those over fewer edges first."""

    seed: IntArray
    """The place of its seed among the seeds."""
    row: IntArray
    """The chunk where it ends."""
    distance: DoubleArray
    """The sum of 1 / weight over its edges; 0 for the way of no edges from a seed to itself."""
    previous: IntArray
    """The number of the trail that it prolongs by an edge; -1 for a seed's own."""
    shortest: IntArray
    """The numbers of the shortest trails, one for each seed and each chunk that it reaches."""

    def rows_of(self, number: int) -> list[int]:
        """The chunks on a trail, given by its number, from its seed to its end."""
        rows = []
        while number >= 0:
            rows.append(int(self.row[number]))
            number = int(self.previous[number])
        return rows[::-1]


def trails(
    evidence: csr_matrix,
    seeds: IntArray,
    depth: int,
    allowed: NDArray[np.bool_] | None = None,
    check: Check = unchecked,
) -> Trails:
    """The shortest ways of at most `depth` edges from each of `seeds` (rows) to all that it leads to.

    `evidence` (n, n) has the weights of the edges, above 0; chunks that are not among the `allowed` (n,) are
    not gone over. `check` is called before each step.

    >>> from scipy.sparse import csr_matrix
    >>> chain = csr_matrix(np.array([[0, 1, 0], [0, 0, 0.5], [0, 0, 0]]))
    >>> found = trails(chain, np.array([0]), 2)
    >>> found.distance.tolist(), found.rows_of(2)
    ([0.0, 1.0, 3.0], [0, 1, 2])
    """
    count = len(seeds)
    seed, row = np.arange(count), np.asarray(seeds, np.int64)
    distance, previous = np.zeros(count), np.full(count, -1)
    shortest = front = np.arange(count)
    for _ in range(depth):
        check()
        front = _nearest(front, distance, np.diff(evidence.indptr)[row[front]])
        begin = evidence.indptr[row[front]].astype(np.int64)
        counts = evidence.indptr[row[front] + 1] - begin
        at, prolonged = concatenated_ranges(begin, counts), np.repeat(front, counts)
        ends = evidence.indices[at].astype(np.int64)
        if allowed is not None:
            kept = allowed[ends]
            at, prolonged, ends = at[kept], prolonged[kept], ends[kept]
        size = len(row)
        seed, row = np.concatenate([seed, seed[prolonged]]), np.concatenate([row, ends])
        distance = np.concatenate([distance, distance[prolonged] + 1 / evidence.data[at]])
        previous = np.concatenate([previous, prolonged])
        shortest = _shortest(seed, row, distance, np.concatenate([shortest, np.arange(size, len(row))]))
        front = shortest[shortest >= size]
    return Trails(seed, row, distance, previous, shortest)


def _nearest(front: IntArray, distance: DoubleArray, edges: IntArray) -> IntArray:
    """The trails of the front that are prolonged: the shortest, whose ends have few enough edges together."""
    order = np.argsort(distance[front], kind="stable")
    kept = order[np.cumsum(edges[order]) <= MOST_EDGES]
    return np.sort(front[kept])


def _shortest(seed: IntArray, row: IntArray, distance: DoubleArray, numbers: IntArray) -> IntArray:
    """Of the trails with these numbers the shortest of each seed and row; of equal ones the first."""
    order = numbers[np.lexsort((numbers, distance[numbers], row[numbers], seed[numbers]))]
    new = (seed[order[1:]] != seed[order[:-1]]) | (row[order[1:]] != row[order[:-1]])
    return np.sort(order[np.append(True, new)[: len(order)]])
