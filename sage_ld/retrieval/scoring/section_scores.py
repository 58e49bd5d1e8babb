"""Scores of the sections of a tree for a question, as functions of arrays (`docs/structure.md`).

A tree has m nodes, documents and sections; `parents` (m,) has the number of the node in which each stands, -1
for a root.
"""

from __future__ import annotations

import numpy as np

from sage_ld.foundation.model import DoubleArray, IntArray


def inherited(parents: IntArray, nodes: IntArray, keywords: IntArray) -> tuple[IntArray, IntArray]:
    """The pairs of a node and a keyword, (e,) each, and those of all nodes above: each pair once, by keyword.

    >>> [each.tolist() for each in inherited(np.array([-1, 0, 0]), np.array([1, 2, 2]), np.array([5, 5, 9]))]
    [[0, 1, 2, 0, 2], [5, 5, 5, 9, 9]]
    """
    size = max(len(parents), 1)
    reached = front = np.unique(keywords.astype(np.int64) * size + nodes)
    while len(front):
        above = parents[front % size]
        front = np.unique((front - front % size + above)[above >= 0])
        reached = np.union1d(reached, front)
    return reached % size, reached // size


def overlap(shared: IntArray, asked: int, sizes: IntArray, coverage_share: float) -> DoubleArray:
    """(m,) how well the words of each node fit those of a question.

    Of the `asked` words of the question each node has `shared` (m,), among `sizes` (m,) words of its own.
    Coverage is the share of the question's words that the node has, specificity the share of the node's words
    that the question has; coverage counts for `coverage_share`, specificity for the rest.

    >>> overlap(np.array([1, 2, 0]), 2, np.array([2, 8, 0]), 0.5).tolist()
    [0.5, 0.625, 0.0]
    """
    coverage = shared / max(asked, 1)
    return np.asarray(coverage_share * coverage + (1 - coverage_share) * shared / np.maximum(sizes, 1))


def effective(own: DoubleArray, parents: IntArray, decay: float) -> DoubleArray:
    """(m,) the score of each node and what it inherits, its own + decay · that of its parent.

    >>> effective(np.array([1.0, 0.5, 0.0]), np.array([-1, 0, 1]), 0.5).tolist()
    [1.0, 1.0, 0.5]
    """
    scores = own.astype(np.float64)
    share, above = decay, parents
    while (held := above >= 0).any():
        scores[held] += share * own[above[held]]
        above = np.where(held, parents[above], -1)
        share *= decay
    return scores
