"""Expansion from seeds to their neighbours: one named SPARQL query for each channel, and its hops as arrays.

Channels do not go over a node that leads to more chunks or nodes than their limit says (`Hubs`). With the
recipe's `hub_sample` they do, to as many chunks of each such node as it says; `docs/structure.md` tells when.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import Literal

from sage_ld.foundation.channels import CHANNELS, RELATION, Channel, Hubs
from sage_ld.foundation.deadline import Check, each_checked, unchecked
from sage_ld.foundation.model import DoubleArray, IntArray, PathStep
from sage_ld.foundation.rdf_values import integer_of
from sage_ld.foundation.recipes import Retrieval
from sage_ld.graph.store import queries
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.queries import select
from sage_ld.graph.store.reading import has_instances
from sage_ld.retrieval.channels.relations import NO_RELATIONS, FollowedRelations
from sage_ld.retrieval.scoring.scores import Scores

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


_SEEDS: Final = 32
"""Seeds of one query, which cannot be interrupted: some 0.02 s over the densest channel."""


def expand(
    store: Store,
    seeds: Sequence[str],
    channels: Sequence[str],
    chunks: Collection[str],
    hubs: Hubs,
    check: Check = unchecked,
    relations: FollowedRelations = NO_RELATIONS,
) -> list[PathStep]:
    """All hops from the seeds (IRIs) over the given channels, never from a chunk to itself.

    `chunks` are the IRIs of the graph's chunks: what else an edge leads to, by an update or a file's own
    triples, is no chunk and left out. No channel goes over nodes that lead to more than `hubs` says.
    `check` is called before each query, of some seeds over one channel, and between its rows.
    """
    steps: list[PathStep] = []
    for name in channels:
        channel = CHANNELS[name]
        if not can_follow(store, channel, relations):
            continue
        for begin in range(0, len(seeds), _SEEDS):
            check()
            text = bind(channel.query, seeds[begin : begin + _SEEDS], hubs, relations)
            rows = each_checked(select(store, text), check)
            read = (channel.read(row, len(chunks)) for row in rows)
            found = (step for step in read if step is not None)
            steps.extend(_by_own_class(found, channel.general_kinds) if channel.general_kinds else found)
    between = (step for step in steps if step.chunk != step.seed and step.chunk in chunks)
    return sorted(between, key=_order)


def can_follow(store: Store, channel: Channel, relations: FollowedRelations = NO_RELATIONS) -> bool:
    """Whether a graph may have what a channel goes over: a look-up, where the query of nothing takes 2 ms."""
    if channel.name == RELATION:
        return bool(relations.properties)
    return channel.followed_class is None or has_instances(store, channel.followed_class)


def bind(
    query: str, seeds: Sequence[str] | None, hubs: Hubs, relations: FollowedRelations = NO_RELATIONS
) -> str:
    """The text of a channel's query; over the whole graph where `seeds` is None."""
    parameters = {"most": hubs.entity, "hub": hubs.statement, "beyond": hubs.statement + 1}
    return queries.bind(
        query,
        seed=seeds,
        reach=[Literal(hubs.relation)],
        over=hubs.relation + 1,
        day=[Literal(relations.day)],
        property_forward_backward_strength_elsewhere=[each.row() for each in relations.properties],
        **parameters,
    )


def _by_own_class(steps: Iterable[PathStep], general: Sequence[str]) -> Iterable[PathStep]:
    """One step for each edge and direction, by the edge's own class: it may state a superclass beside it."""
    own: dict[tuple[str, str, tuple[str, ...]], PathStep] = {}

    def rank(step: PathStep) -> tuple[int, bool, str]:
        return general.index(step.kind) if step.kind in general else -1, ":" in step.kind, step.kind

    for step in steps:
        key = step.seed, step.chunk, step.edges
        if key not in own or rank(step) < rank(own[key]):
            own[key] = step
    return own.values()


def _order(step: PathStep) -> tuple[str, str, str, tuple[str, ...], tuple[str, ...]]:
    return step.seed, step.chunk, step.channel, step.edges or step.via or (step.kind,), step.properties


def placed(store: Store, steps: Sequence[PathStep]) -> dict[PathStep, PathStep]:
    """Each step with the row of the table that its edge stands in, where there is one."""
    edges = sorted({edge for step in steps if CHANNELS[step.channel].in_tables for edge in step.edges})
    rows: dict[str, int] = {}
    for row in select(store, queries.bind("link_rows", edge=edges)):
        if (number := integer_of(row["row"])) is not None:
            rows[row["edge"].value] = number
    return {
        step: replace(step, row=next((rows[edge] for edge in step.edges if edge in rows), None))
        for step in steps
    }
