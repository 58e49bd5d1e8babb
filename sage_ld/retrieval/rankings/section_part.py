"""The part `section` in the scores of a ranking: how well the sections of chunks fit the question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.retrieval.inquiry import Inquiry
from sage_ld.retrieval.rankings.features import DECIMALS
from sage_ld.retrieval.scoring.scores import relative
from sage_ld.retrieval.scoring.section_tree import chunk_scores


@dataclass(frozen=True, slots=True)
class SectionPart:
    """The section scores of all chunks, where the recipe gives them a weight."""

    weight: float
    scores: DoubleArray
    """(n,), empty where the weight is 0: nothing is read then."""

    @classmethod
    def of(cls, inquiry: Inquiry) -> SectionPart:
        """The section scores for a question; empty where the recipe's `section_weight` is 0."""
        weight = inquiry.parameters.section_weight
        return cls(weight, chunk_scores(inquiry) if weight else np.zeros(0))

    def blended(self, scores: DoubleArray, rows: IntArray | slice = slice(None)) -> DoubleArray:
        """Both scores of the chunks with some rows: weight · section + (1 − weight) · score / highest."""
        if not self.weight:
            return scores
        return np.asarray(self.weight * self.scores[rows] + (1 - self.weight) * relative(scores))

    def said(self, row: int) -> dict[str, float]:
        """The part that an answer tells of a chunk."""
        return {"section": round(float(self.scores[row]), DECIMALS)} if self.weight else {}
