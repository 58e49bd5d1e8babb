"""The neighbours of chunks that retrieval reaches, with what joins them in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sage_ld.foundation.channels import CHANNEL_NAMES, Hubs
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import PathStep
from sage_ld.graph.store.protocol import Store
from sage_ld.retrieval.channels.expansion import expand, placed
from sage_ld.retrieval.channels.relations import NO_RELATIONS, FollowedRelations
from sage_ld.service.representations.labels import Names, Reference


@dataclass(frozen=True, slots=True)
class NeighbourLimits:
    """The limits of following channels from a chunk, by the graph, the recipe and the settings."""

    chunks: Collection[str]
    """IRIs of the chunks in the graph: what a hop may lead to, and the rarity of an entity is measured by."""
    hubs: Hubs
    """The hubs that no neighbour is reached over."""
    neighbours: int
    """Most neighbours of a chunk."""
    relations: FollowedRelations = NO_RELATIONS
    """The relations that the channel `relation` follows."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A chunk that retrieval reaches from this one, and over what."""

    chunk: Reference
    step: PathStep
    relation: str
    """What joins the two, in words or as a label."""
    edges: tuple[Reference, ...]
    via: tuple[Reference, ...]


def best_steps(
    store: Store,
    iri: str,
    reach: NeighbourLimits,
    channels: Sequence[str] = CHANNEL_NAMES,
    check: Check = unchecked,
) -> list[PathStep]:
    """The strongest hop to each neighbour of a chunk, strongest first."""
    return strongest_steps(store, [iri], reach, channels, check).get(iri, [])


def strongest_steps(
    store: Store,
    iris: Sequence[str],
    reach: NeighbourLimits,
    channels: Sequence[str] = CHANNEL_NAMES,
    check: Check = unchecked,
) -> dict[str, list[PathStep]]:
    """For each chunk that has neighbours, the strongest hop to each of them, strongest first."""
    best: dict[str, dict[str, PathStep]] = {}
    for step in expand(store, iris, channels, reach.chunks, reach.hubs, check, reach.relations):
        found = best.setdefault(step.seed, {})
        if step.chunk not in found or step.weight > found[step.chunk].weight:
            found[step.chunk] = step
    chosen = {
        seed: sorted(found.values(), key=lambda step: (-step.weight, step.chunk))[: reach.neighbours]
        for seed, found in best.items()
    }
    rows = placed(store, [step for steps in chosen.values() for step in steps])
    return {seed: [rows[step] for step in steps] for seed, steps in chosen.items()}


def named(steps: Sequence[PathStep], names: Names) -> tuple[Neighbour, ...]:
    """The neighbours that steps lead to, with the names of all that the steps go over."""
    return tuple(
        Neighbour(
            names.reference(step.chunk),
            step,
            names.kind(step.kind),
            tuple(Reference(edge, "edge", names.href(edge)) for edge in step.edges),
            tuple(map(names.reference, step.via)),
        )
        for step in steps
    )
