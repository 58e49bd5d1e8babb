"""Expansion from seeds to their neighbours: one named SPARQL query for each channel."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from pyoxigraph import Literal

from sage_ld.foundation.channels import CHANNELS, RELATION, Channel, Hubs
from sage_ld.foundation.deadline import Check, each_checked, unchecked
from sage_ld.foundation.model import PathStep
from sage_ld.foundation.rdf_values import integer_of
from sage_ld.graph.store import queries
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import has_instances, select
from sage_ld.retrieval.channels.relations import NO_RELATIONS, FollowedRelations

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
