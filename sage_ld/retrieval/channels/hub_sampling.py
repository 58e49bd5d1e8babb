"""Sampling of hubs: of the many chunks to which a node leads, those that fit the question best.

Channels do not go over a node that leads to more chunks or nodes than their limit says (`Hubs`). With the
recipe's `hub_sample` they do, to as many chunks of each such node as it says; `docs/structure.md` tells when.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.channels import Hubs
from sage_ld.foundation.model import DoubleArray, IntArray, PathStep
from sage_ld.foundation.recipes import Retrieval
from sage_ld.retrieval.scoring.scores import Scores

MOST_FAN_OUT: Final = 1_000
"""Chunks or nodes to which a hub may lead for a sample of them to be taken: what is read for one hub."""


@dataclass(frozen=True, slots=True)
class HubSampling:
    """A sample of the chunks beyond each hub."""

    most: int
    """Chunks beyond one hub."""
    scores: DoubleArray
    """(n,) how well each chunk of the graph fits the question; -inf for one that may not be ranked."""

    @classmethod
    def of(cls, given: Retrieval, question: Scores) -> HubSampling | None:
        """The sampling that a recipe asks for; None if it asks for none."""
        if not given.hub_sample:
            return None
        allowed = True if question.allowed is None else question.allowed
        return cls(given.hub_sample, np.where(allowed, question.hybrid, -np.inf))

    def kept(self, hubs: IntArray, rows: IntArray) -> NDArray[np.bool_]:
        """(t,) which hops are kept, by the number of the hub that each goes over and the row it leads to."""
        return highest_of_each(hubs, self.scores[rows], self.most)


def highest_of_each(groups: IntArray, scores: DoubleArray, most: int) -> NDArray[np.bool_]:
    """(t,) whether each value is among the `most` highest of its group; of equal ones the first.

    >>> highest_of_each(np.array([0, 0, 0, 1]), np.array([0.1, 0.9, 0.5, 0.0]), 2).tolist()
    [False, True, True, True]
    """
    order = np.lexsort((-scores, groups))
    ordered = groups[order]
    kept = np.zeros(len(groups), np.bool_)
    kept[order[np.arange(len(order)) - np.searchsorted(ordered, ordered) < most]] = True
    return kept


def widened(hubs: Hubs) -> Hubs:
    """The limits within which hubs of entities and of statements are read to be sampled."""
    return hubs._replace(entity=max(hubs.entity, MOST_FAN_OUT), statement=max(hubs.statement, MOST_FAN_OUT))


def with_sampled_hubs(
    read: Callable[[Hubs], Sequence[PathStep]],
    hubs: Hubs,
    sampling: HubSampling | None,
    rows: Mapping[str, int],
) -> list[PathStep]:
    """The steps within the limits `hubs`, and a sample of those over each hub; `read` reads within limits.

    `rows` has the row of each chunk by IRI. A hub is a node from which one way leads on: an entity, or what
    a chunk stands for with the properties that are followed from there.
    """
    steps = list(read(hubs))
    if sampling is None:
        return steps
    within = set(steps)
    over = [step for step in read(widened(hubs)) if step not in within]
    numbers: dict[tuple[str, tuple[str, ...], tuple[str, ...]], int] = {}
    groups = [numbers.setdefault((s.seed, s.properties, s.via[:1]), len(numbers)) for s in over]
    kept = sampling.kept(np.array(groups, np.int64), np.array([rows[s.chunk] for s in over], np.int64))
    return steps + [step for step, is_kept in zip(over, kept.tolist(), strict=True) if is_kept]
