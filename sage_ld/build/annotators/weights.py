"""Weights of the evidence for links: logistic regressions, fitted by `benchmarks/linking.py --fit`.

One for candidates that a title names, one for those that another name does, one for those that a part of a
title does: evidence means different things for the three. The numbers are in `link_weights.json`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from importlib import resources

import numpy as np

from sage_ld.build.annotators.candidates import Candidate
from sage_ld.build.annotators.titles import AliasKind
from sage_ld.foundation.model import DoubleArray

FILE = "link_weights.json"


class Stage(StrEnum):
    """The evidence that a regression weighs."""

    OWN = "own"
    JOINT = "joint"
    SIMILARITY = "similarity"
    """Own, joint, and the similarity of vectors."""


def group(candidate: Candidate) -> int:
    """The number of the regression, of three, that weighs a candidate."""
    if candidate.kind is None:
        return 2
    return 0 if candidate.kind is AliasKind.TITLE else 1


def probabilities(stage: Stage, candidates: Sequence[Candidate], evidence: DoubleArray) -> DoubleArray:
    """The probability of each candidate, shape (n,), from its evidence, shape (n, e)."""
    weights = _weights()[stage][[group(each) for each in candidates]]
    odds = np.einsum("ij,ij->i", weights, evidence)
    return np.asarray(1.0 / (1.0 + np.exp(-odds)), np.float64)


@lru_cache(maxsize=1)
def _weights() -> dict[Stage, DoubleArray]:
    """For each stage the weights, shape (3, e)."""
    text = resources.files("sage_ld.build.annotators").joinpath(FILE).read_text(encoding="utf-8")
    return {Stage(name): np.array(rows, np.float64) for name, rows in json.loads(text)["weights"].items()}
