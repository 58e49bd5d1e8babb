"""The ranking `summaries`: chunks by their own text, and by the abstracts of what they stand in."""

from __future__ import annotations

import numpy as np

from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.graph import Snapshot
from sage_ld.retrieval.rankings.features import DECIMALS
from sage_ld.retrieval.rankings.method import Inquiry, Order, Ranked, Reach, parts
from sage_ld.retrieval.scoring.scores import relative
from sage_ld.retrieval.scoring.section_tree import SectionNodes, SectionPart


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


def order(inquiry: Inquiry, seed_count: int, neighbours: int) -> Order:
    """The first chunks; in the order of the flat ranking where the graph has no abstracts."""
    question, iris = inquiry.scores(), inquiry.snapshot.vectors.iris
    above, sections, blended = inquiry.once(_above), SectionPart.of(inquiry), scores(inquiry)
    return Order(
        [
            Ranked(
                iris[row],
                float(blended[row]),
                parts(question, row) | {"summary": round(float(above[row]), DECIMALS)} | sections.said(row),
            )
            for row in question.best(blended, iris, seed_count + neighbours).tolist()
        ]
    )


def scores(inquiry: Inquiry) -> DoubleArray:
    """(n,) the score of each chunk, with that of the best abstract above it, and of its section."""
    own, weight = inquiry.scores().hybrid, inquiry.parameters.summary_weight
    return SectionPart.of(inquiry).blended(collapsed(own, inquiry.once(_above), weight))


def reach(_inquiry: Inquiry, _seed_count: int) -> Reach:
    """Nothing: no edge is followed."""
    return Reach(np.zeros(0, np.int64), np.zeros(0, np.int64))


def _above(inquiry: Inquiry) -> DoubleArray:
    """(n,) the similarity of the question to the nearest abstract above each chunk, 0 where there is none."""
    snapshot = inquiry.snapshot
    if snapshot.summaries is None:
        return np.zeros(len(snapshot.vectors.iris))
    nodes, rows = SectionNodes.of(snapshot), snapshot.derived(_rows)
    inquiry.check()
    near = np.append(snapshot.summaries.scores(inquiry.vector, inquiry.similarity), 0)
    return best_above(np.maximum(near[rows], 0), nodes.parents)[nodes.chunk_nodes]


def _rows(snapshot: Snapshot) -> IntArray:
    """(m,) the row of the abstract of each document and section; -1 for none."""
    if snapshot.summaries is None:
        return np.full(len(SectionNodes.of(snapshot).iris), -1)
    return snapshot.summaries.rows(SectionNodes.of(snapshot).iris)
