"""Vectors of entities: the mean of those of the chunks that mention an entity, at length 1.

They are not stored. The cosine of a question and such a mean is the mean of the question's scores with the
chunks, over the length of the mean, so that a number for each entity is all that is kept for a revision; and
nothing has to follow a change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.hashed import Numbers
from sage_ld.retrieval.questions.question_nodes import ENTITY_NODES

_BLOCK: Final = 50_000
"""Mentions whose vectors are added up at once."""


class NearEntity(NamedTuple):
    """An entity that is near to a question."""

    number: int
    cosine: float
    chunks: IntArray
    """The rows of the chunks that mention it, ascending."""


@dataclass(frozen=True, slots=True)
class EntityVectors:
    """The m entities that any chunk mentions."""

    numbers: Numbers
    """(m,) ascending."""
    rows: IntArray
    """(e,) the rows of the chunks that mention each, one entity after another."""
    starts: IntArray
    """(m,) where the rows of each begin."""
    lengths: DoubleArray
    """(m,) the length of the mean of these chunks' vectors."""

    @classmethod
    def of(cls, snapshot: Snapshot) -> EntityVectors:
        """The vectors of a revision: made once, by a pass over the vectors of all mentions."""
        return snapshot.derived(_read)

    def nearest(self, scores: FloatArray, count: int) -> list[NearEntity]:
        """The `count` entities nearest to a question, nearest first, of equal ones the lowest number.

        `scores` (n,) are the question's inner products with the chunks.
        """
        if not len(self.numbers):
            return []
        near = cosines(scores[self.rows], self.starts, self.lengths)
        ends = np.append(self.starts[1:], len(self.rows))
        return [
            NearEntity(
                int(self.numbers[place]),
                float(near[place]),
                self.rows[self.starts[place] : ends[place]].astype(np.int64),
            )
            for place in np.lexsort((self.numbers, -near))[:count].tolist()
        ]


def cosines(scores: FloatArray, starts: IntArray, lengths: DoubleArray) -> DoubleArray:
    """(m,) the cosine of a question with the mean of each group of vectors.

    `scores` (e,) are its inner products with the vectors, group after group; `starts` (m,) is where each
    group begins, `lengths` (m,) how long its mean is.

    >>> cosines(np.array([1.0, 0.0, 0.6]), np.array([0, 2]), np.array([0.5**0.5, 1.0])).round(6).tolist()
    [0.707107, 0.6]
    """
    counts = np.diff(np.append(starts, len(scores)))
    return np.asarray(np.add.reduceat(scores.astype(np.float64), starts) / counts / np.maximum(lengths, 1e-9))


def mean_lengths(vectors: FloatArray, starts: IntArray) -> DoubleArray:
    """(m,) the length of the mean of each group of `vectors` (e, d); `starts` (m,) as above.

    >>> mean_lengths(np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]), np.array([0, 2])).round(6).tolist()
    [0.707107, 1.0]
    """
    counts = np.diff(np.append(starts, len(vectors)))
    means = np.add.reduceat(vectors.astype(np.float64), starts, axis=0) / counts[:, None]
    return np.asarray(np.linalg.norm(means, axis=1))


def _read(snapshot: Snapshot) -> EntityVectors:
    rows, entities = ENTITY_NODES.pairs(snapshot)
    order = np.lexsort((rows, entities))
    rows = rows[order]
    numbers, starts = np.unique(entities[order], return_index=True)
    lengths = [np.zeros(0)]
    begin = 0
    while begin < len(numbers):
        end = max(begin + 1, int(np.searchsorted(starts, starts[begin] + _BLOCK)))
        last = starts[end] if end < len(numbers) else len(rows)
        vectors = snapshot.vectors.take(rows[starts[begin] : last])
        lengths.append(mean_lengths(vectors, starts[begin:end] - starts[begin]))
        begin = end
    return EntityVectors(numbers, rows, starts, np.concatenate(lengths))
