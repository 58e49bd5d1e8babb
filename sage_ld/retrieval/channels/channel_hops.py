"""Hops between chunks over every channel but `link`, as arrays."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.model import DoubleArray, IntArray, PathStep
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.hashed import Numbers
from sage_ld.retrieval.channels.entity_hops import EntityHops, entity_steps


@dataclass(frozen=True, slots=True)
class ChannelHops:
    """Hops over other channels than `link`, as parallel arrays of length t."""

    seed: IntArray
    """The row that the hop starts from."""
    candidate: IntArray
    """The row that it leads to."""
    weight: DoubleArray
    """In 0..1: of an entity its inverse document frequency, of an edge its own."""
    entity: Numbers
    """The number of the entity that it goes over; 0 for a hop that was read from the store."""
    read: NDArray[np.object_]
    """The step of a hop that was read from the store; None for one over an entity of the index."""

    @classmethod
    def of(cls, steps: Sequence[PathStep], rows: Mapping[str, int]) -> ChannelHops:
        """The hops of some steps, in their order; `rows` has the row of each chunk by IRI."""
        read = np.empty(len(steps), object)
        read[:] = steps
        return cls(
            np.array([rows[step.seed] for step in steps], np.int64),
            np.array([rows[step.chunk] for step in steps], np.int64),
            np.array([step.weight for step in steps], np.float64),
            np.zeros(len(steps), np.uint64),
            read,
        )

    @classmethod
    def over(cls, shared: EntityHops, chunks: int) -> ChannelHops:
        """The hops over entities, in a graph of so many chunks."""
        read = np.full(len(shared.seed), None, object)
        return cls(shared.seed, shared.candidate, shared.weights(chunks), shared.entity, read)

    @classmethod
    def joined(cls, parts: Sequence[ChannelHops]) -> ChannelHops:
        """The hops of all parts, one part after another."""
        return cls(*(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(cls)))

    def where(self, kept: NDArray[np.bool_]) -> ChannelHops:
        """The hops that `kept` (t,) names."""
        return ChannelHops(*(getattr(self, each.name)[kept] for each in fields(self)))

    def steps(self, snapshot: Snapshot, chosen: Collection[int]) -> dict[int, PathStep]:
        """Some of the hops, by their numbers, as parts of paths."""
        over = [hop for hop in chosen if self.read[hop] is None]
        columns = (self.seed[over], self.candidate[over], self.weight[over], self.entity[over])
        named = entity_steps(snapshot, list(zip(*(each.tolist() for each in columns), strict=True)))
        steps = {hop: self.read[hop] for hop in chosen if self.read[hop] is not None}
        return steps | dict(zip(over, named, strict=True))

    def channel(self, hop: int) -> str | None:
        """The channel of a hop that was read from the store; None for one over an entity."""
        return None if self.read[hop] is None else self.read[hop].channel
