"""Overlap of the entities that chunks name: how large it is, and which pairs share a rare one.

    entitySimilarity(a, b) = sum of idf over the entities of both / sum of idf over the entities of either
    idf(e) = ln(1 + N / n(e))

N is the number of chunks, n(e) how many of them name e: the Jaccard index in which a name that
everyone drops counts for little.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray

Matrix = sparse.csr_matrix


@dataclass(frozen=True, slots=True)
class Entities:
    """A weighted matrix of n chunks and the m entities that they name, as `signals.SharedEntities`."""

    named: Matrix[Any]
    """(n, m) 0 or 1."""
    weighted: Matrix[Any]
    """(n, m) idf in place of 1."""
    mass: DoubleArray
    """(n,) the sum of idf over each chunk's entities."""
    rare: Matrix[Any]
    """(n, m) `named` without entities that more chunks name than `hub`."""

    @classmethod
    def of(cls, entities: Matrix[Any], hub: int) -> Entities:
        """Weigh `entities` (n, m)."""
        named = Matrix(entities, dtype=np.float64)
        named.sum_duplicates()
        named.data[:] = 1.0
        frequency = np.asarray(named.sum(axis=0)).ravel()
        idf = np.log1p(named.shape[0] / np.maximum(frequency, 1))
        weighted = Matrix(named @ sparse.diags(idf))
        rare = Matrix(named @ sparse.diags((frequency <= hub).astype(np.float64)))
        rare.eliminate_zeros()
        mass = np.asarray(weighted.sum(axis=1), dtype=np.float64).ravel()
        return cls(named, weighted, mass, rare)

    def block(self, left: IntArray, right: IntArray) -> FloatArray:
        """(a, b) the similarity of each of `left` to each of `right`."""
        shared = (self.weighted[left] @ self.named[right].T).toarray()
        union = self.mass[left][:, None] + self.mass[right][None, :] - shared
        similar: FloatArray = (shared / np.where(shared > 0, union, 1)).astype(np.float32)
        return similar

    def pairs(self, left: IntArray, right: IntArray, block: int = 100_000) -> DoubleArray:
        """(k,) the similarity of left[i] to right[i]."""
        shared = np.zeros(len(left))
        for begin in range(0, len(left), block):
            here = slice(begin, begin + block)
            both = self.weighted[left[here]].multiply(self.named[right[here]])
            shared[here] = np.asarray(both.sum(axis=1)).ravel()
        union = self.mass[left] + self.mass[right] - shared
        return np.divide(shared, np.where(shared > 0, union, 1))

    def sharing(self, left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
        """The positions in `left` and `right` of the pairs that share a rare entity.

        An entity that at most h chunks name gives at most h * h pairs.
        """
        shared = (self.rare[left] @ self.rare[right].T).tocoo()
        order = np.lexsort((shared.col, shared.row))
        return shared.row[order].astype(np.int64), shared.col[order].astype(np.int64)
