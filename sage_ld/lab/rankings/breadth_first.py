"""Breadth-first spreading over weighted edges, as arrays; `docs/structure.md` has the formula."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.graph.indexes.layout import concatenated_ranges
from sage_ld.lab.rankings.trails import MOST_EDGES


@dataclass(frozen=True, slots=True)
class Spread:
    """The r chunks to which some lead, each once at its nearest hop, as parallel arrays (r,), by row."""

    rows: IntArray
    gains: DoubleArray
    """1 for the chunks that it starts from."""
    previous: IntArray
    """The row of the chunk before; -1 for the chunks that it starts from."""

    def way(self, row: int) -> list[int]:
        """The rows from a chunk that it starts from to one of its rows."""
        way: list[int] = []
        while row >= 0:
            way.append(row)
            row = int(self.previous[np.searchsorted(self.rows, row)])
        return way[::-1]


def spread(
    evidence: csr_matrix,
    starts: IntArray,
    hops: int,
    share: float,
    allowed: NDArray[np.bool_] | None = None,
    check: Check = unchecked,
) -> Spread:
    """The nodes to which `starts` (distinct rows) lead over at most `hops` edges.

    `evidence` (n, n) has the weights of the edges, above 0. A chunk at hop h gains share^h · weight / highest
    weight, of its strongest edge from the hop before. Chunks that are not among the `allowed` (n,) are not
    gone over. At most `MOST_EDGES` are looked at in a hop, those of chunks with the highest gains. `check`
    is called before each hop.

    >>> edges = csr_matrix(np.array([[0, 1.0, 0.5], [0, 0, 0.4], [0, 0, 0]]))
    >>> spread(edges, np.array([0]), 2, 0.5).gains.tolist()
    [1.0, 0.5, 0.25]
    """
    met = np.zeros(evidence.shape[0], np.bool_) if allowed is None else ~allowed
    front = starts[~met[starts]]
    met[front] = True
    rows, gains, previous = [front], [np.ones(len(front))], [np.full(len(front), -1)]
    highest = evidence.data.max(initial=0.0) or 1.0
    for hop in range(1, hops + 1):
        check()
        order = np.argsort(-gains[-1], kind="stable")
        counts = np.diff(evidence.indptr)[front].astype(np.int64)
        front = front[order[np.cumsum(counts[order]) <= MOST_EDGES]]
        begin = evidence.indptr[front].astype(np.int64)
        counts = evidence.indptr[front + 1] - begin
        at, sources = concatenated_ranges(begin, counts), np.repeat(front, counts)
        new = ~met[evidence.indices[at]]
        at, sources = at[new], sources[new]
        ends, weights = evidence.indices[at].astype(np.int64), evidence.data[at]
        strongest = np.lexsort((sources, -weights, ends))
        front, first = np.unique(ends[strongest], return_index=True)
        met[front] = True
        rows.append(front)
        gains.append(share**hop * weights[strongest[first]] / highest)
        previous.append(sources[strongest[first]])
    order = np.argsort(np.concatenate(rows))
    return Spread(*(np.concatenate(each)[order] for each in (rows, gains, previous)))
