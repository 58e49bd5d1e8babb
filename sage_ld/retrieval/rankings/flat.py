"""The flat ranking: chunks by one score of their texts, nothing followed."""

from __future__ import annotations

from collections.abc import Sequence

from sage_ld.foundation.model import DoubleArray, FloatArray
from sage_ld.retrieval.rankings.ranked import Ranked, parts
from sage_ld.retrieval.scoring.scores import Scores


def flat(question: Scores, scores: FloatArray | DoubleArray, iris: Sequence[str], count: int) -> list[Ranked]:
    """The first `count` chunks by `scores` (n,)."""
    return [
        Ranked(iris[row], float(scores[row]), parts(question, row))
        for row in question.best(scores, iris, count).tolist()
    ]
