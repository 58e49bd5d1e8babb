"""Scores of chunks by the abstracts above them, as functions of arrays (`docs/structure.md`).

A tree has m nodes, documents and sections; `parents` (m,) has the number of the node in which each stands, -1
for a root. Of n chunks, `chunk_nodes` (n,) has the innermost node.
"""

from __future__ import annotations

import numpy as np

from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.retrieval.scoring.scores import relative


def best_above(nodes: DoubleArray, parents: IntArray) -> DoubleArray:
    """(m,) the highest score of each node and of those in which it stands, of the scores `nodes` (m,).

    >>> best_above(np.array([0.4, 0.1, 0.9]), np.array([-1, 0, 1])).tolist()
    [0.4, 0.4, 0.9]
    """
    best, above = nodes.astype(np.float64), parents
    while (held := above >= 0).any():
        best[held] = np.maximum(best[held], nodes[above[held]])
        above = np.where(held, parents[above], -1)
    return best


def collapsed(own: DoubleArray, nodes: DoubleArray, weight: float) -> DoubleArray:
    """(n,) the score of each chunk: weight · best abstract above + (1 − weight) · own.

    Both (n,), each divided by the highest, as a tree whose levels are all scored at once ("collapsed tree",
    Sarthi et al. 2024, RAPTOR).

    >>> collapsed(np.array([1.0, 2.0]), np.array([0.5, 0.0]), 0.25).tolist()
    [0.625, 0.75]
    """
    return np.asarray(weight * relative(nodes) + (1 - weight) * relative(own))
