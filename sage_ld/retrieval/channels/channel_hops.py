"""Hops between chunks over every channel but `link`, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.model import DoubleArray, IntArray, PathStep

MOST_HOPS: Final = 50_000
"""Hops of a question that are weighed, those of the highest weight: some 5 ms."""


@dataclass(frozen=True, slots=True)
class ChannelHops:
    """Hops over other channels than `link`, as parallel arrays of length t."""

    seed: IntArray
    """The row that the hop starts from."""
    candidate: IntArray
    """The row that it leads to."""
    weight: DoubleArray
    """In 0..1: of an entity its inverse document frequency, of an edge its own."""
    steps: NDArray[np.object_]
    """The hop as a part of a path."""

    @classmethod
    def of(cls, steps: Sequence[PathStep], rows: Mapping[str, int]) -> ChannelHops:
        """The hops of some steps, in their order; `rows` has the row of each chunk by IRI."""
        read = np.empty(len(steps), object)
        read[:] = steps
        return cls(
            np.array([rows[step.seed] for step in steps], np.int64),
            np.array([rows[step.chunk] for step in steps], np.int64),
            np.array([step.weight for step in steps], np.float64),
            read,
        ).heaviest()

    def heaviest(self) -> ChannelHops:
        """The `MOST_HOPS` of the highest weight, in their order; of equal ones the first."""
        if len(self.weight) <= MOST_HOPS:
            return self
        kept = np.zeros(len(self.weight), np.bool_)
        kept[np.argsort(-self.weight, kind="stable")[:MOST_HOPS]] = True
        return self.where(kept)

    @classmethod
    def joined(cls, parts: Sequence[ChannelHops]) -> ChannelHops:
        """The hops of all parts, one part after another."""
        return cls(*(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(cls)))

    def where(self, kept: NDArray[np.bool_]) -> ChannelHops:
        """The hops that `kept` (t,) names."""
        return ChannelHops(*(getattr(self, each.name)[kept] for each in fields(self)))
