"""The input and output of a ranking: an inquiry, and chunks in an order with their paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray, PathStep, Role
from sage_ld.foundation.question import Question
from sage_ld.foundation.recipes import Retrieval
from sage_ld.graph import Snapshot
from sage_ld.retrieval.channels.relations import NO_RELATIONS, FollowedRelations
from sage_ld.retrieval.rankings.features import DECIMALS, UNRANKED, ScoredQuestion
from sage_ld.retrieval.rankings.reranker import Reranker
from sage_ld.retrieval.scoring.scores import FUSIONS, Scores, best_rows, with_identified_first

Paths: TypeAlias = Mapping[str, tuple[PathStep, ...]]
"""The way to each chunk (by IRI) that the graph led to."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One chunk of a ranking, before anything is read of it."""

    iri: str
    score: float
    parts: dict[str, float]
    path: tuple[PathStep, ...] = ()

    @property
    def role(self) -> Role:
        """A neighbour is what the graph led to; all others are seeds."""
        return Role.NEIGHBOUR if self.path else Role.SEED


def no_paths(_iris: Sequence[str]) -> Paths:
    """The paths of a ranking that follows no edge."""
    return {}


class Order(NamedTuple):
    """Chunks in the order of a ranking, before their paths are made: these take longer than the order."""

    chunks: list[Ranked]
    paths: Callable[[Sequence[str]], Paths] = no_paths
    """The paths of some of the chunks, given by their IRIs."""

    def with_paths(self, chosen: Iterable[Ranked]) -> list[Ranked]:
        """Some of the chunks with their paths."""
        shown = list(chosen)
        paths = self.paths([each.iri for each in shown])
        return [replace(each, path=paths.get(each.iri, ())) for each in shown]


class Reach(NamedTuple):
    """The rows from which a ranking follows the graph, and the rows that it may reach."""

    seeds: IntArray
    reached: IntArray


def parts(question: Scores, row: int) -> dict[str, float]:
    """The scores of a row's text."""
    return {
        name: round(float(getattr(question, name)[row]), DECIMALS) for name in ("bm25", "dense", "hybrid")
    }


def allowed(question: Scores, rows: Any) -> Any:
    """Whether each of the rows may be ranked."""
    return np.ones(np.shape(rows), np.bool_) if question.allowed is None else question.allowed[rows]


def flat(question: Scores, scores: FloatArray | DoubleArray, iris: Sequence[str], count: int) -> list[Ranked]:
    """The flat ranking: the first `count` chunks by `scores` (n,), nothing followed."""
    return [
        Ranked(iris[row], float(scores[row]), parts(question, row))
        for row in question.best(scores, iris, count).tolist()
    ]


def flat_bm25(inquiry: Inquiry, count: int) -> list[Ranked]:
    """The flat ranking by BM25 alone, for which no question is encoded."""
    iris, scores = inquiry.snapshot.vectors.iris, inquiry.bm25()
    return [
        Ranked(iris[row], score, {"bm25": round(score, DECIMALS)})
        for row in best_rows(scores, inquiry.allowed, iris, count).tolist()
        for score in (float(scores[row]),)
    ]


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
    reranker: Reranker | None = None
    """Puts the first candidates in order; None: they stay in that of the ranking."""
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

    def bm25(self) -> FloatArray:
        """(n,) BM25 of all chunks; nothing is encoded for it."""
        self.check()
        return self.snapshot.lexical.all_scores(self.text, self.language)[self.snapshot.lexical_rows]

    def _scores(self) -> Scores:
        self.check()
        return self._fused(self.snapshot.lexical.all_scores(self.text, self.language))

    def question(self) -> ScoredQuestion:
        """The scores, and what a learned ranking asks beyond them: which chunk holds which terms."""
        self.check()
        matches = self.snapshot.lexical.matches(self.text, self.language)
        scores = self._fused(matches.scores)
        first = scores.best(scores.hybrid, self.snapshot.vectors.iris, UNRANKED)
        given = {each.name: getattr(scores, each.name) for each in fields(scores)}
        return ScoredQuestion(**given, matches=matches, lexical_rows=self.snapshot.lexical_rows, order=first)

    def _fused(self, lexical: FloatArray) -> Scores:
        """BM25, dense and fused scores; `lexical` are the first in the order of the lexical index."""
        self.check()
        dense = self.snapshot.vectors.scores(self.vector, self.similarity)
        bm25 = lexical[self.snapshot.lexical_rows]
        fused = FUSIONS[self.parameters.fusion](bm25, dense, self.parameters.bm25_weight)
        identified = self._identified()
        return Scores(bm25, dense, with_identified_first(fused, identified), self.allowed, identified)

    def _identified(self) -> NDArray[np.bool_] | None:
        """(n,) the chunks with what the question identifies, of those that may be ranked."""
        found = self.snapshot.lexical.identified(self.text, self.language)
        if found is None:
            return None
        rows = found[self.snapshot.lexical_rows]
        return rows if self.allowed is None else rows & self.allowed


@dataclass(frozen=True, slots=True)
class RankingMethod:
    """One ranking: what it does, and what of it others have to know."""

    order: Callable[[Inquiry, int, int], Order]
    """The list for a question, `seed_count` seeds and `neighbours` neighbours."""
    reach: Callable[[Inquiry, int], Reach]
    """What that list is chosen from, with `seed_count` seeds."""
    fixed_shares: bool = False
    """Whether seeds and neighbours have places of their own, so that a short answer begins no longer one."""
    learned: bool = False
    """Whether it goes by the recipe's `model`, which `sage-ld tune` learns."""
    scores: Callable[[Inquiry], DoubleArray] | None = None
    """(n,) the score of every chunk by which it ranks, in 0..1; None where it scores candidates alone."""

    def rank(self, inquiry: Inquiry, seed_count: int, neighbours: int) -> list[Ranked]:
        """The list with its paths."""
        found = self.order(inquiry, seed_count, neighbours)
        return found.with_paths(found.chunks)
