"""The part of a score that rare words give, where the recipe has a weight for it (`docs/ranking.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.retrieval.channels.word_hops import WORDS, word_hops
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.retrieval.rankings.features import DECIMALS, pair_cosines
from sage_ld.retrieval.rankings.method import Inquiry, allowed

_FIRST: Final = 6
"""The number of the flat ranking's first chunks whose words are followed."""
_CANDIDATES: Final = 50
"""How many chunks are candidates because words lead to them."""
_HIGHEST: Final = WORDS * 1.5
"""The most that the evidence of a hop comes to: all its words as rare as can be, coverage and cosine 1."""


@dataclass(frozen=True, slots=True)
class SharedWords:
    """The scores of the chunks to which rare words lead, where the recipe gives them a weight."""

    weight: float
    rows: IntArray
    """(r,) ascending; empty where the weight is 0: nothing is read then."""
    scores: DoubleArray
    """(r,) in 0..1."""

    @classmethod
    def of(cls, inquiry: Inquiry) -> SharedWords:
        """The scores for a question; none where the recipe's `shared_words_weight` is 0."""
        weight, snapshot = inquiry.parameters.shared_words_weight, inquiry.snapshot
        if not weight:
            return cls(0.0, np.zeros(0, np.int64), np.zeros(0))
        question = inquiry.question()
        first = question.order[:_FIRST].tolist()
        hops = word_hops(snapshot, ChunkTable.of(snapshot), first, question.terms)
        hops = hops.where(allowed(question, hops.candidate))
        held = question.term_presence(hops.seed) | question.term_presence(hops.candidate)
        dense = pair_cosines(snapshot, question, hops.seed, hops.candidate)
        evidence = hops.weight * question.share[hops.seed] * (held @ question.weights + 0.5 * dense)
        rows, place = np.unique(hops.candidate, return_inverse=True)
        scores = np.zeros(len(rows))
        np.maximum.at(scores, place, evidence / _HIGHEST)
        best = np.sort(np.argsort(-scores, kind="stable")[:_CANDIDATES])
        return cls(weight, rows[best], scores[best])

    def blended(self, scores: DoubleArray, rows: IntArray) -> DoubleArray:
        """Both scores of the chunks with some rows: weight · shared words + (1 − weight) · score."""
        return (
            np.asarray(self.weight * self._of(rows) + (1 - self.weight) * scores) if self.weight else scores
        )

    def said(self, row: int) -> dict[str, float]:
        """The part that an answer tells of a chunk."""
        return {"shared_words": round(float(self._of(np.array([row]))[0]), DECIMALS)} if self.weight else {}

    def _of(self, rows: IntArray) -> DoubleArray:
        """(e,) the score of each row; 0 for one that no word leads to."""
        place = np.searchsorted(self.rows, rows)
        led = np.append(self.rows, -1)[place] == rows
        return np.where(led, np.append(self.scores, 0.0)[place], 0.0)
