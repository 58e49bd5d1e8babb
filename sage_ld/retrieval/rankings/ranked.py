"""The result of a ranking: chunks with their scores and paths, before anything is read of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sage_ld.model import IntArray, PathStep, Role
from sage_ld.retrieval.features import DECIMALS
from sage_ld.retrieval.scores import Scores


@dataclass(frozen=True, slots=True)
class Ranked:
    """One chunk of a ranking, before anything is read of it."""

    iri: str
    role: Role
    score: float
    parts: dict[str, float]
    path: tuple[PathStep, ...] = ()


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
