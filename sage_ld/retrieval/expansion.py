"""From seeds to their neighbours: one named SPARQL query a channel, over the graph that all can query."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from pyoxigraph import QuerySolution, Store

from sage_ld import vocabulary as v
from sage_ld.model import PathStep
from sage_ld.store import queries
from sage_ld.store.reading import select

STRUCTURE_WEIGHT = 0.5
"""Evidence of standing in the same section or table, where no similarity was measured."""
FORWARD = "links to"
BACKWARD = "linked from"


def expand(
    store: Store,
    seeds: Sequence[str],
    channels: Sequence[str],
    chunks: Collection[str],
    entity_hub: int,
) -> list[PathStep]:
    """All hops from the seeds (IRIs) over the given channels, never from a chunk to itself.

    `chunks` are the IRIs of the graph's chunks: what else an edge leads to, by an update or a file's own
    triples, is no chunk and left out. `entity_hub` is the frequency above which an entity joins nothing.
    """
    steps: list[PathStep] = []
    for channel in channels:
        text = queries.bind(channel, seed=seeds, most=entity_hub)
        read = _READERS[channel]
        steps.extend(read(row, len(chunks)) for row in select(store, text))
    found = (step for step in steps if step.chunk != step.seed and step.chunk in chunks)
    return sorted(found, key=_order)


def _order(step: PathStep) -> tuple[str, str, str, str]:
    return step.seed, step.chunk, step.channel, step.edge or step.entity or step.kind


def placed(store: Store, steps: Sequence[PathStep]) -> dict[PathStep, PathStep]:
    """Each step with the row of the table that its link stands in, where there is one."""
    edges = sorted({step.edge for step in steps if step.channel == "link" and step.edge is not None})
    rows = {
        row["edge"].value: int(row["row"].value)
        for row in select(store, queries.bind("link_rows", edge=edges))
    }
    return {step: replace(step, row=rows.get(step.edge or "")) for step in steps}


def _similarity(row: QuerySolution, _chunks: int) -> PathStep:
    kind = row["kind"].value.removeprefix(v.SAGE).removesuffix("Edge")
    return PathStep(
        _iri(row, "seed"), _iri(row, "chunk"), "similarity", kind, _number(row, "weight"), _iri(row, "edge")
    )


def _entity(row: QuerySolution, chunks: int) -> PathStep:
    frequency = _number(row, "frequency")
    weight = math.log(max(chunks, 2) / frequency) / math.log(max(chunks, 2))
    seed, chunk = _iri(row, "seed"), _iri(row, "chunk")
    return PathStep(seed, chunk, "entity", "names too", max(weight, 0.0), entity=_iri(row, "entity"))


def _link(row: QuerySolution, _chunks: int) -> PathStep:
    kind = FORWARD if row["forward"].value == "true" else BACKWARD
    seed, chunk = _iri(row, "seed"), _iri(row, "chunk")
    return PathStep(seed, chunk, "link", kind, _number(row, "confidence"), _iri(row, "edge"))


def _structure(row: QuerySolution, _chunks: int) -> PathStep:
    weight = STRUCTURE_WEIGHT if row["weight"] is None else _number(row, "weight")
    edge = None if row["edge"] is None else _iri(row, "edge")
    return PathStep(_iri(row, "seed"), _iri(row, "chunk"), "structure", row["relation"].value, weight, edge)


def _iri(row: QuerySolution, name: str) -> str:
    value: str = row[name].value
    return value


def _number(row: QuerySolution, name: str) -> float:
    return float(row[name].value)


_READERS: dict[str, Callable[[QuerySolution, int], PathStep]] = {
    "similarity": _similarity,
    "entity": _entity,
    "link": _link,
    "structure": _structure,
}
