"""Hops between chunks over every channel but `link`, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sage_ld.model import DoubleArray, IntArray, PathStep


@dataclass(frozen=True, slots=True)
class ChannelHops:
    """Hops over other channels than `link`, as parallel arrays of length t."""

    seed: IntArray
    """The row that the hop starts from."""
    candidate: IntArray
    """The row that it leads to."""
    weight: DoubleArray
    """In 0..1: of an entity its inverse document frequency, of an edge its own."""
    steps: tuple[PathStep, ...]

    @classmethod
    def of(cls, steps: Sequence[PathStep], rows: Mapping[str, int]) -> ChannelHops:
        """The hops of some steps, in their order; `rows` has the row of each chunk by IRI."""
        return cls(
            np.array([rows[step.seed] for step in steps], np.int64),
            np.array([rows[step.chunk] for step in steps], np.int64),
            np.array([step.weight for step in steps], np.float64),
            tuple(steps),
        )

    @classmethod
    def joined(cls, parts: Sequence[ChannelHops]) -> ChannelHops:
        """The hops of all parts, one part after another."""
        return cls(
            np.concatenate([part.seed for part in parts]),
            np.concatenate([part.candidate for part in parts]),
            np.concatenate([part.weight for part in parts]),
            tuple(step for part in parts for step in part.steps),
        )

    def where(self, kept: NDArray[np.bool_]) -> ChannelHops:
        """The hops that `kept` (t,) names."""
        steps = tuple(step for step, keep in zip(self.steps, kept.tolist(), strict=True) if keep)
        return ChannelHops(self.seed[kept], self.candidate[kept], self.weight[kept], steps)
