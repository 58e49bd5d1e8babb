"""The vectors of all chunks, compared exactly with NumPy.

`nearest` compares more vectors than exact products serve, by an HNSW graph (Malkov and Yashunin 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.arrays import top_k
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import FloatArray, IntArray
from sage_ld.graph.indexes.files import Manifest, damaged, taken_rows
from sage_ld.graph.indexes.layout import SegmentIndex
from sage_ld.graph.indexes.segments import Segment, live_keys, live_of
from sage_ld.graph.indexes.strings import Arrays, IriNumbers

Similarity: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""An encoder's own measure: (m, d) and (n, d) vectors to (m, n) similarities."""

NAMES: Final = ("vectors",)
BLOCK: Final = 65_536
"""Rows compared at once: what bounds the working memory of a similarity that is not a plain product."""
DECIMALS: Final = 6
"""A matrix product's last bits depend on where a row lies in its block; rounding hides them."""


def dot(left: FloatArray, right: FloatArray) -> FloatArray:
    """The inner products: the cosine where vectors have length 1."""
    return left @ right.T


class VectorIndex(SegmentIndex):
    """The vectors in a directory. One process writes; any number read its published copies.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     index = VectorIndex.create(folder, dimension=2)
    ...     index.update(["x:1", "x:2"], np.eye(2, dtype=np.float32), remove=[])
    ...     index.search(np.array([0, 1], np.float32), 1)
    (['x:2'], array([1.], dtype=float32))
    """

    kind = "vectors"

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the arrays of a segment."""
        return NAMES

    @classmethod
    def fits(cls, segment: Segment, manifest: Manifest) -> bool:
        """Whether there is one vector a row, of the dimension of the index."""
        return bool(segment.arrays["vectors"].shape == (len(segment.keys), manifest.dimension))

    @classmethod
    def join(cls, segments: Sequence[Segment]) -> tuple[list[str], Arrays]:
        """The live rows of all segments as those of one, in order of key."""
        return _join(segments)

    @property
    def row_of(self) -> IriNumbers:
        """The row of each IRI."""
        return self._directory.row_of

    def vectors(self, iris: Iterable[str]) -> FloatArray:
        """(m, d) the vectors of the given chunks. Raises NotFoundError for one that is not indexed."""
        return self.take(self._directory.known_rows(iris))

    def take(self, rows: IntArray) -> FloatArray:
        """(m, d) the vectors of the given rows."""
        result = np.empty((len(rows), self.dimension), dtype=np.float32)
        begin = 0
        for segment in self._directory.segments:
            here = (rows >= begin) & (rows < begin + segment.size)
            stored = rows[here] - begin
            if not segment.whole:
                stored = np.flatnonzero(segment.live)[stored]
            result[here] = segment.arrays["vectors"][stored]
            begin += segment.size
        return result

    def update(self, iris: Sequence[str], vectors: FloatArray, remove: Iterable[str]) -> None:
        """Take `remove` out, put `iris` with `vectors` (m, d) in, replacing what they had: all or nothing.

        An IRI to remove that is not indexed is no error. Raises InputError for vectors of another
        dimension or with values that are not finite, ValueError for an IRI given twice.
        """
        vectors = np.asarray(vectors, dtype=np.float32).reshape(
            len(iris), -1 if len(iris) else self.dimension
        )
        self._check(iris, vectors)
        order = sorted(range(len(iris)), key=iris.__getitem__)
        keys = [iris[index] for index in order]
        self._replace(keys, {"vectors": vectors[order]}, remove)

    def scores(self, vector: FloatArray, similarity: Similarity = dot) -> FloatArray:
        """(n,) the similarity of every row to `vector` (d,), rounded to six decimals.

        Raises InputError where a stored vector is not finite.
        """
        query = np.asarray(vector, dtype=np.float32).reshape(1, -1)
        parts = [similarity(query, block)[0][live] for block, live in self._blocks()]
        scores = np.concatenate([np.zeros(0, np.float32), *parts])
        if not np.isfinite(scores).all():
            raise damaged(self._directory.folder, "vectors: a value is not finite")
        return np.round(scores, DECIMALS).astype(np.float32, copy=False)

    def search(
        self, vector: FloatArray, limit: int, similarity: Similarity = dot
    ) -> tuple[list[str], FloatArray]:
        """The IRIs and similarities of the `limit` nearest rows; equal ones in order of IRI."""
        every = self.scores(vector, similarity)
        rows = top_k(every, self.iris, limit)
        return [self.iris[row] for row in rows], every[rows]

    def _blocks(self) -> Iterator[tuple[FloatArray, NDArray[np.bool_]]]:
        """The stored rows, at most BLOCK at a time, and which of them are live: more than half."""
        for segment in self._directory.segments:
            stored = segment.arrays["vectors"]
            for begin in range(0, len(stored), BLOCK):
                block = slice(begin, begin + BLOCK)
                yield stored[block], segment.live[block]

    def _check(self, iris: Sequence[str], vectors: FloatArray) -> None:
        if len(set(iris)) < len(iris):
            raise ValueError("an IRI is given twice in one update")
        if len(iris) and vectors.shape[1] != self.dimension:
            raise InputError(
                f"vectors of dimension {vectors.shape[1]}, this index holds {self.dimension};"
                " the encoder has changed: sage-ld reencode computes all of them again"
            )
        if not np.isfinite(vectors).all():
            raise InputError("a vector holds a value that is not finite; check the encoder's output")


def _join(segments: Sequence[Segment]) -> tuple[list[str], Arrays]:
    keys = live_keys(segments)
    order = sorted(range(len(keys)), key=keys.__getitem__)
    stored = np.flatnonzero(live_of(segments))[order]
    vectors = taken_rows([segment.arrays["vectors"] for segment in segments], stored)
    return [keys[index] for index in order], {"vectors": vectors}


CONNECTIVITY: Final = 32
EXPANSION: Final = 128


def nearest(queries: FloatArray, vectors: FloatArray, count: int) -> IntArray:
    """(a, count) for each of `queries` (a, d) rows of `vectors` (b, d) with about the highest inner products.

    -1 where there are fewer. Vectors are added by one thread, in order: more threads would make the graph,
    and so the result, depend on their timing.

    >>> nearest(np.eye(3, dtype=np.float32), np.eye(3, dtype=np.float32), 1).ravel().tolist()
    [0, 1, 2]
    """
    from usearch.index import Index, Matches

    index = Index(
        ndim=vectors.shape[1],
        metric="ip",
        dtype="f32",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION,
        expansion_search=max(EXPANSION, 2 * count),
    )
    index.add(np.arange(len(vectors)), vectors, threads=1)
    found = index.search(queries, min(count, len(vectors)))
    several = [found] if isinstance(found, Matches) else list(found)
    result = np.full((len(queries), count), -1, dtype=np.int64)
    for row, matches in enumerate(several):
        result[row, : len(matches)] = matches.keys
    return result
