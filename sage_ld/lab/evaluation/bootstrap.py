"""The paired bootstrap interval of the mean difference between two systems on the same questions.

The percentile interval of Efron and Tibshirani (An Introduction to the Bootstrap, 1993, §13.3), as applied to
information retrieval by Sakai (SIGIR 2006): questions are drawn with replacement, each with both its values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import DoubleArray

SEED = 20060806
"""Fixed, so that the same values give the same interval."""
RESAMPLES = 10_000
CONFIDENCE = 0.95
LEAST_QUESTIONS = 10
"""Of fewer questions the resamples say little of others: with one, all are the same."""
BLOCK = 500
"""Resamples that are drawn at a time: 500 for 2,000 questions are 8 MB."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The mean difference, and the interval that holds it with the confidence asked for."""

    difference: float
    low: float
    high: float
    questions: int
    """How many it was drawn from."""

    @property
    def significant(self) -> bool:
        """Whether the interval leaves out 0, and is of at least `LEAST_QUESTIONS`."""
        return self.questions >= LEAST_QUESTIONS and (self.low > 0 or self.high < 0)


def paired_bootstrap(
    baseline: DoubleArray,
    system: DoubleArray,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> list[Interval]:
    """The interval of mean(system - baseline) for each column of two arrays of shape (questions, measures).

    All columns are resampled with the same draws, so that they can be compared too.
    Raises InputError for shapes that differ or hold no question, or a confidence outside 0..1.

    >>> flat, graph = np.array([[0.0], [1.0], [0.0], [1.0]]), np.array([[1.0], [1.0], [1.0], [1.0]])
    >>> interval = paired_bootstrap(flat, graph)[0]
    >>> interval.difference, interval.low, interval.high
    (0.5, 0.0, 1.0)
    """
    if baseline.shape != system.shape or baseline.ndim != 2 or not len(baseline):
        raise InputError(
            f"paired values of shapes {baseline.shape} and {system.shape}; give the same questions and "
            "measures for both systems"
        )
    if not 0 < confidence < 1:
        raise InputError(f"confidence {confidence}: outside 0..1; give 0.95 for 95 %")
    differences = np.asarray(system - baseline, dtype=np.float64)
    means = _resampled_means(differences, resamples, seed)
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail], axis=0)
    return [
        Interval(float(a), float(b), float(c), len(differences))
        for a, b, c in zip(differences.mean(axis=0), low, high, strict=True)
    ]


def _resampled_means(values: DoubleArray, resamples: int, seed: int) -> DoubleArray:
    """Means over questions drawn with replacement, shape (resamples, measures)."""
    generator = np.random.default_rng(seed)
    count = len(values)
    shares = np.full(count, 1 / count)
    blocks = [
        generator.multinomial(count, shares, size=min(BLOCK, resamples - start)) @ values / count
        for start in range(0, resamples, BLOCK)
    ]
    return np.concatenate(blocks)
