"""One question put to one revision: its scores, and what a ranking may follow in the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import DoubleArray, FloatArray
from sage_ld.foundation.question import Question
from sage_ld.foundation.recipes import Retrieval
from sage_ld.graph import Snapshot
from sage_ld.retrieval.channels.relations import NO_RELATIONS, FollowedRelations
from sage_ld.retrieval.rankings.features import UNRANKED, ScoredQuestion
from sage_ld.retrieval.scoring.scores import FUSIONS, Scores

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question, the revision that it is put to, and how it is to be answered."""

    snapshot: Snapshot
    asked: Question
    encode: Callable[[str], FloatArray]
    """The vector (d,) of a text, encoded as a question."""
    similarity: Callable[[FloatArray, FloatArray], FloatArray]
    """The encoder's measure: (a, d) and (b, d) vectors to (a, b) similarities."""
    channels: Sequence[str]
    """The names of those that the graph is followed over."""
    parameters: Retrieval
    allowed: NDArray[np.bool_] | None = None
    """(n,) which chunks may be ranked at all; None: all."""
    language: str = ""
    """The language of the question."""
    check: Check = unchecked
    """Called between the steps of the work, which it may end."""
    relations: FollowedRelations = NO_RELATIONS
    """The relations that the channel `relation` follows."""
    _made: dict[Callable[[Inquiry], Any], Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def text(self) -> str:
        """The text of the question."""
        return self.asked.text

    @property
    def vector(self) -> FloatArray:
        """(d,) the text, encoded as a question."""
        return self.once(lambda inquiry: inquiry.encode(inquiry.text))

    def once(self, make: Callable[[Inquiry], T]) -> T:
        """The result of a function for this question, made once however many rankings ask for it."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast(T, self._made[make])

    def scores(self) -> Scores:
        """BM25, dense and fused scores of all chunks."""
        return self.once(Inquiry._scores)

    def _scores(self) -> Scores:
        self.check()
        bm25 = self.snapshot.lexical.all_scores(self.text, self.language)
        return Scores(*self._fused(bm25), self.allowed)

    def question(self) -> ScoredQuestion:
        """The scores, and what a learned ranking asks beyond them: which chunk holds which terms."""
        self.check()
        matches = self.snapshot.lexical.matches(self.text, self.language)
        scores = Scores(*self._fused(matches.scores), self.allowed)
        first = scores.best(scores.hybrid, self.snapshot.vectors.iris, UNRANKED)
        return ScoredQuestion(
            scores.bm25, scores.dense, scores.hybrid, self.allowed, matches, self.snapshot.lexical_rows, first
        )

    def _fused(self, lexical: FloatArray) -> tuple[FloatArray, FloatArray, DoubleArray]:
        """BM25, dense and fused scores; `lexical` are the first in the order of the lexical index."""
        self.check()
        dense = self.snapshot.vectors.scores(self.vector, self.similarity)
        bm25 = lexical[self.snapshot.lexical_rows]
        fuse = FUSIONS[self.parameters.fusion]
        return bm25, dense, fuse(bm25, dense, self.parameters.bm25_weight)
