"""What is compared: the aspects of chunks, and for each kind of edge its signals over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias

import numpy as np
from scipy import sparse

from sage_ld.model import ChunkKind, DoubleArray, EdgeKind, FloatArray, IntArray
from sage_ld.recipes import COLUMN, CONTENT, DESCRIPTION, TITLE, TOPIC

Similarity: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""An encoder's measure: (a, d) and (b, d) vectors to (a, b) similarities."""

Nearest: TypeAlias = Callable[[FloatArray, FloatArray, int], IntArray]
"""An index: (a, d) and (b, d) vectors and a count to (a, count) rows of the second, -1 for none."""

DECIMALS: Final = 6


class AspectName(StrEnum):
    """What of a chunk is encoded."""

    CONTENT = "content"
    """Heading and text: the vector that retrieval uses."""
    TOPIC = "topic"
    """What the chunk is about, in a few words."""
    COLUMNS = "columns"
    """A table's column names."""
    TITLE = "title"
    """A table's title."""
    DESCRIPTION = "description"
    """What stands around a table: caption, section, introduction."""


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
        """(len(chunks), d) the vectors of the given chunks; zeros where one has none."""
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

    def members(self, kind: ChunkKind) -> IntArray:
        """The chunks of one kind, ascending."""
        return np.flatnonzero(np.array([each == kind for each in self.kinds], dtype=np.bool_)).astype(
            np.int64
        )


@dataclass(frozen=True, slots=True)
class Sides:
    """The kinds of chunk that an edge kind joins, and which aspects of them each signal compares."""

    left: ChunkKind
    right: ChunkKind
    compared: Mapping[str, tuple[AspectName, AspectName]]


def _text(left: ChunkKind, right: ChunkKind) -> Sides:
    content, topic = AspectName.CONTENT, AspectName.TOPIC
    return Sides(left, right, {TOPIC: (topic, topic), CONTENT: (content, content)})


def _to_table(left: ChunkKind) -> Sides:
    """Text or record against table: its content against the columns, its topic against what the table is."""
    content, topic = AspectName.CONTENT, AspectName.TOPIC
    return Sides(
        left,
        ChunkKind.TABLE,
        {
            COLUMN: (content, AspectName.COLUMNS),
            TITLE: (topic, AspectName.TITLE),
            DESCRIPTION: (topic, AspectName.DESCRIPTION),
            TOPIC: (topic, topic),
            CONTENT: (content, content),
        },
    )


SIDES: Final[Mapping[EdgeKind, Sides]] = {
    EdgeKind.DOCUMENT_DOCUMENT: _text(ChunkKind.TEXT, ChunkKind.TEXT),
    EdgeKind.TABLE_TABLE: Sides(
        ChunkKind.TABLE,
        ChunkKind.TABLE,
        {
            COLUMN: (AspectName.COLUMNS, AspectName.COLUMNS),
            TITLE: (AspectName.TITLE, AspectName.TITLE),
            DESCRIPTION: (AspectName.DESCRIPTION, AspectName.DESCRIPTION),
            TOPIC: (AspectName.TOPIC, AspectName.TOPIC),
            CONTENT: (AspectName.CONTENT, AspectName.CONTENT),
        },
    ),
    EdgeKind.TABLE_DOCUMENT: _to_table(ChunkKind.TEXT),
    EdgeKind.RECORD_RECORD: _text(ChunkKind.RECORD, ChunkKind.RECORD),
    EdgeKind.RECORD_DOCUMENT: _text(ChunkKind.RECORD, ChunkKind.TEXT),
    EdgeKind.RECORD_TABLE: _to_table(ChunkKind.RECORD),
}
"""The paper's signals (section 2.1B, and the authors' code), and topic and content for every kind."""


def clipped(values: Any) -> DoubleArray:
    """Similarities in 0..1 with six decimals: a cosine below 0 says as little as one of 0."""
    within: DoubleArray = np.clip(np.asarray(values, dtype=np.float64), 0.0, 1.0)
    return within.round(DECIMALS)
