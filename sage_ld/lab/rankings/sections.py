"""The ranking `sections`: chunks by how well the sections in which they stand fit the question."""

from __future__ import annotations

import numpy as np

from sage_ld.foundation.model import DoubleArray
from sage_ld.retrieval.rankings.features import DECIMALS
from sage_ld.retrieval.rankings.method import Inquiry, Order, Ranked, Reach, parts
from sage_ld.retrieval.scoring.scores import by_level
from sage_ld.retrieval.scoring.section_tree import chunk_scores


def order(inquiry: Inquiry, seed_count: int, neighbours: int) -> Order:
    """The first chunks by the scores of their sections; within a section, in the flat order."""
    question, iris = inquiry.scores(), inquiry.snapshot.vectors.iris
    scores = chunk_scores(inquiry)
    return Order(
        [
            Ranked(
                iris[row],
                float(scores[row]),
                parts(question, row) | {"section": round(float(scores[row]), DECIMALS)},
            )
            for row in question.best(
                by_level(scores, question.hybrid), iris, seed_count + neighbours
            ).tolist()
        ]
    )


def scores(inquiry: Inquiry) -> DoubleArray:
    """(n,) the score of each chunk's section."""
    return chunk_scores(inquiry)


def reach(_inquiry: Inquiry, _seed_count: int) -> Reach:
    """Nothing: no edge is followed."""
    return Reach(np.zeros(0, np.int64), np.zeros(0, np.int64))
