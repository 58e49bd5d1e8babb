"""Hops over entities that two chunks mention, read from the index of mentions.

They are those of the channel `entity`, as `entity.rq` defines them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.channels import ENTITY, NAMES_TOO, rarity
from sage_ld.foundation.model import DoubleArray, IntArray, PathStep
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.hashed import Numbers, text_number
from sage_ld.graph.indexes.layout import concatenated_ranges
from sage_ld.graph.store import reading
from sage_ld.retrieval.channels.hub_sampling import MOST_FAN_OUT, HubSampling

MOST_HOPS: Final = 50_000
"""Hops of a question that are looked at, those over the rarest entities first: some 5 ms."""


@dataclass(frozen=True, slots=True)
class EntityHops:
    """Hops from seeds to chunks that mention one of their entities, as parallel arrays of length t."""

    seed: IntArray
    """The row that the hop starts from."""
    candidate: IntArray
    """The row that it leads to."""
    entity: Numbers
    """The number of the entity that both mention."""
    frequency: IntArray
    """The number of chunks that mention it."""

    @classmethod
    def of(
        cls, snapshot: Snapshot, seeds: IntArray, hub: int, sampling: HubSampling | None = None
    ) -> EntityHops:
        """The hops from seeds (rows) over entities that at most `hub` chunks mention, never to themselves.

        With `sampling`, also those over entities that more chunks mention, a sample of each from each seed.

        They are sorted by seed, as the seeds are, entity and IRI of the candidate, so that the order of rows
        does not count. Of more than `MOST_HOPS` hops, there are those over the rarest entities.
        """
        mentions = snapshot.mentions
        every, place = mentions.of_rows(snapshot.mention_rows[seeds])
        entities, number = np.unique(every, return_inverse=True)
        frequency = mentions.frequencies(entities)[number]
        most = hub if sampling is None else max(hub, MOST_FAN_OUT)
        pair = _rarest(np.flatnonzero((frequency > 1) & (frequency <= most)), frequency, number)
        followed, list_of = np.unique(number[pair], return_inverse=True)
        mentioning = mentions.mentioning(entities[followed])
        order = np.argsort(mentioning.places, kind="stable")
        counts = np.bincount(mentioning.places, minlength=len(followed))
        begin = np.cumsum(counts) - counts
        reached = order[concatenated_ranges(begin[list_of], counts[list_of])]
        hop = np.repeat(pair, counts[list_of])
        candidate = snapshot.mentioning_rows[mentioning.rows[reached]]
        seed = seeds[place[hop]]
        between = (candidate != seed) & (candidate >= 0)
        hop, seed, candidate = hop[between], seed[between], candidate[between]
        if sampling is not None:
            kept = (frequency[hop] <= hub) | sampling.kept(hop, candidate)
            hop, seed, candidate = hop[kept], seed[kept], candidate[kept]
        iris = np.array([snapshot.vectors.iris[row] for row in candidate.tolist()], str)
        order = np.lexsort((iris, number[hop], place[hop]))
        hop = hop[order]
        return cls(seed[order], candidate[order], every[hop], frequency[hop])

    def where(self, kept: NDArray[np.bool_] | IntArray) -> EntityHops:
        """The hops that `kept` names."""
        return EntityHops(self.seed[kept], self.candidate[kept], self.entity[kept], self.frequency[kept])

    def weights(self, chunks: int) -> DoubleArray:
        """(t,) the weight of each hop in a graph of so many chunks."""
        frequencies, number = np.unique(self.frequency, return_inverse=True)
        return np.array([rarity(each, chunks) for each in frequencies.tolist()], np.float64)[number]


def _rarest(pairs: IntArray, frequency: IntArray, entity: IntArray) -> IntArray:
    """The pairs of a seed and an entity, the rarest, that have at most `MOST_HOPS` hops together.

    Of equally rare ones, those of the lowest `entity` come first.
    """
    hops = frequency[pairs]
    if hops.sum() <= MOST_HOPS:
        return pairs
    order = np.lexsort((pairs, entity[pairs], hops))
    return np.sort(pairs[order[np.cumsum(hops[order]) <= MOST_HOPS]])


def entity_steps(snapshot: Snapshot, hops: Collection[tuple[int, int, float, int]]) -> list[PathStep]:
    """Some hops as parts of paths, from the row of the seed, that of the candidate, weight and entity."""
    iris = snapshot.vectors.iris
    mentions = reading.mentions(snapshot.store, {iris[seed] for seed, *_ in hops})
    named = {iri: {text_number(entity): entity for entity in each} for iri, each in mentions.items()}
    steps = []
    for seed, candidate, weight, number in hops:
        entity = named.get(iris[seed], {}).get(number)
        via = () if entity is None else (entity,)
        steps.append(PathStep(iris[seed], iris[candidate], ENTITY, NAMES_TOO, weight, via=via))
    return steps
