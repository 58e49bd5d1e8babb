"""The input of edge building: chunks as arrays, with what is compared of each as vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sage_ld.foundation.edge_kinds import AspectName
from sage_ld.foundation.model import ChunkKind, DoubleArray, FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Similarity: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""An encoder's measure: (a, d) and (b, d) vectors to (a, b) similarities."""

Nearest: TypeAlias = Callable[[FloatArray, FloatArray, int], IntArray]
"""An index: (a, d) and (b, d) vectors and a count to (a, count) rows of the second, -1 for none."""

DECIMALS: Final = 6
REMOVED: Final = 255
"""The kind of a chunk that is no longer there, and is compared with none."""
_KINDS: Final = tuple(ChunkKind)


def kind_codes(kinds: Iterable[ChunkKind]) -> NDArray[np.uint8]:
    """The numbers by which arrays name kinds of chunk."""
    return np.array([_KINDS.index(kind) for kind in kinds], np.uint8)


class MatrixRows(Protocol):
    """The rows of a matrix that need not lie in one piece."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(m, d)."""

    def __len__(self) -> int:
        """The number of rows."""

    def __getitem__(self, rows: IntArray, /) -> FloatArray:
        """(k, d) a copy of some rows."""


@dataclass(frozen=True, slots=True)
class StackedRows:
    """The rows of several matrices, one after another, where they lie: files that are memory-mapped.

    >>> rows = StackedRows((np.eye(2, dtype=np.float32), np.ones((1, 2), np.float32)))
    >>> rows[np.array([2, 0])].tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    """

    parts: Sequence[FloatArray]
    """At least one."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(m, d)."""
        return (len(self), self.parts[0].shape[1])

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __getitem__(self, rows: IntArray) -> FloatArray:
        taken = np.zeros((len(rows), self.shape[1]), np.float32)
        begin = 0
        for part in self.parts:
            here = (rows >= begin) & (rows < begin + len(part))
            taken[here] = part[rows[here] - begin]
            begin += len(part)
        return taken


@dataclass(frozen=True, slots=True)
class Aspect:
    """One vector a chunk, chunks with equal text sharing one."""

    vectors: MatrixRows
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
        vectors = self.vectors[rows]
        vectors[rows < 0] = 0
        return vectors

    def similar_to(self, others: FloatArray, chunks: IntArray, similarity: Similarity) -> FloatArray:
        """(a, len(chunks)) each of `others` (a, d) against the given chunks; 0 where one has no vector.

        The product is over all vectors as they lie: for a few `others` that is less than to copy some.
        """
        vectors = self.vectors
        parts = vectors.parts if isinstance(vectors, StackedRows) else (np.asarray(vectors),)
        products = [np.asarray(similarity(others, part), np.float32) for part in parts if len(part)]
        none = np.zeros((len(others), 1), np.float32)
        taken: FloatArray = np.hstack([*products, none])[:, self.rows[chunks]]
        return taken


@runtime_checkable
class SharedEntities(Protocol):
    """The overlap of chunks by the entities that they name; positions are those of `EdgeInput`."""

    def block(self, left: IntArray, right: IntArray) -> FloatArray:
        """(a, b) the similarity of each of `left` to each of `right`."""

    def pairs(self, left: IntArray, right: IntArray) -> DoubleArray:
        """(k,) the similarity of left[i] to right[i]."""

    def sharing(self, left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
        """The positions in `left` and `right`, both ascending, of the pairs that share a rare entity."""


@dataclass(frozen=True, slots=True)
class EdgeInput:
    """The chunks that edges are built over, as arrays of length n.

    Their order is the caller's: the same chunks in the same order give the same edges.
    """

    kinds: NDArray[np.uint8]
    """As `kind_codes` returns them; `REMOVED` for a chunk that is not there."""
    documents: NDArray[np.integer]
    """A number for each chunk's document."""
    aspects: Mapping[AspectName, Aspect]
    """An aspect that is left out makes the signals over it 0."""
    entities: SharedEntities | csr_matrix
    """What they name; of all chunks, an (n, m) matrix of 0 or 1 will do."""
    similarity: Similarity
    """The encoder's."""
    nearest: Nearest | None = None
    """An index for more chunks than `Edges.exact_chunks`; only where `similarity` is the inner product."""
    focus: IntArray | None = None
    """Where given, only the pairs that these chunks find among all chunks are built."""

    @property
    def shared(self) -> SharedEntities:
        """The entities, weighed: `build` sees to it."""
        if not isinstance(self.entities, SharedEntities):
            raise TypeError("the matrix of entities has no weights yet")
        return self.entities

    def members(self, kind: ChunkKind | None) -> IntArray:
        """The chunks of one kind, or all, ascending."""
        chosen = self.kinds != REMOVED if kind is None else self.kinds == _KINDS.index(kind)
        return np.flatnonzero(chosen).astype(np.int64)


def clipped(values: ArrayLike) -> DoubleArray:
    """Similarities in 0..1 with six decimals: a cosine below 0 says as little as one of 0."""
    within: DoubleArray = np.clip(np.asarray(values, dtype=np.float64), 0.0, 1.0)
    return within.round(DECIMALS)
