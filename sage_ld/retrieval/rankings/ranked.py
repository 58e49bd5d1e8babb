"""The result of a ranking: chunks with their scores and paths, before anything is read of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray, PathStep, Role
from sage_ld.retrieval.rankings.features import DECIMALS
from sage_ld.retrieval.scoring.scores import Scores

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
