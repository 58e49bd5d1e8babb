"""The input of edge building: chunks as arrays, with what is compared of each as vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from scipy import sparse

from sage_ld.edge_kinds import AspectName
from sage_ld.model import ChunkKind, DoubleArray, FloatArray, IntArray

Similarity: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""An encoder's measure: (a, d) and (b, d) vectors to (a, b) similarities."""

Nearest: TypeAlias = Callable[[FloatArray, FloatArray, int], IntArray]
"""An index: (a, d) and (b, d) vectors and a count to (a, count) rows of the second, -1 for none."""

DECIMALS: Final = 6


@dataclass(frozen=True, slots=True)
class Aspect:
    """One vector a chunk, chunks with equal text sharing one."""

    vectors: FloatArray
    """(m, d)"""
    rows: IntArray
    """(n,) each chunk's row of `vectors`; -1 for a chunk without this aspect, which is similar to none."""

    @classmethod
    def each(cls, vectors: FloatArray) -> Aspect:
        """The aspect in which every chunk has its own row."""
        return cls(vectors, np.arange(len(vectors), dtype=np.int64))

    def of(self, chunks: IntArray) -> FloatArray:
        """(len(chunks), d) the vectors of the given chunks; zeros if one has none."""
        rows = self.rows[chunks]
        if not len(self.vectors):
            return np.zeros((len(rows), self.vectors.shape[1]), np.float32)
        found = self.vectors[rows]
        found[rows < 0] = 0
        return found


@dataclass(frozen=True, slots=True)
class EdgeInput:
    """The chunks that edges are built over, as arrays of length n.

    Their order is the caller's: the same chunks in the same order give the same edges.
    """

    kinds: tuple[ChunkKind, ...]
    documents: IntArray
    """A number for each chunk's document."""
    aspects: Mapping[AspectName, Aspect]
    """An aspect that is left out makes the signals over it 0."""
    entities: sparse.csr_matrix[Any]
    """(n, m) which chunk names which entity: 0 or 1."""
    similarity: Similarity
    """The encoder's."""
    nearest: Nearest | None = None
    """An index for more chunks than `Edges.exact_chunks`; only where `similarity` is the inner product."""
    focus: IntArray | None = None
    """Where given, only the pairs that these chunks find among all chunks are built."""

    def members(self, kind: ChunkKind | None) -> IntArray:
        """The chunks of one kind, or all, ascending."""
        chosen = np.array([kind in (None, each) for each in self.kinds], dtype=np.bool_)
        return np.flatnonzero(chosen).astype(np.int64)


def clipped(values: Any) -> DoubleArray:
    """Similarities in 0..1 with six decimals: a cosine below 0 says as little as one of 0."""
    within: DoubleArray = np.clip(np.asarray(values, dtype=np.float64), 0.0, 1.0)
    return within.round(DECIMALS)
