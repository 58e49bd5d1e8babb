"""Candidates to a ranking: by a share of the seed's score, or by a learned model over all evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sage_ld.graph import Snapshot
from sage_ld.indexes.selection import best
from sage_ld.model import PathStep, Role
from sage_ld.recipes import Retrieval
from sage_ld.retrieval.catalogue import Catalogue
from sage_ld.retrieval.expansion import FORWARD, expand
from sage_ld.retrieval.features import Features, Hops, Question, features
from sage_ld.retrieval.scores import Scores
from sage_ld.retrieval.trees import Trees

DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Ranked:
    """One chunk of a ranking, before anything is read of it."""

    iri: str
    role: Role
    score: float
    parts: dict[str, float]
    path: tuple[PathStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidates:
    """All candidates of a question with their evidence, and the hops that led to them."""

    features: Features
    links: Sequence[PathStep]
    """In the numbering of `features.best_hop`."""
    others: Mapping[int, PathStep]
    """Row -> the strongest hop over another channel than `link`."""


def flat(question: Scores, scores: np.ndarray, iris: Sequence[str], count: int) -> list[Ranked]:
    """The first `count` chunks by `scores` (n,)."""
    return [
        Ranked(iris[row], Role.SEED, float(scores[row]), _parts(question, row))
        for row in question.best(scores, iris, count).tolist()
    ]


def shared(
    snapshot: Snapshot, question: Scores, k: int, neighbours: int, channels: Sequence[str], given: Retrieval
) -> list[Ranked]:
    """`k` seeds, then the best of their neighbours, each at its own score and a share of its best seed's."""
    iris = snapshot.vectors.iris
    seeds = flat(question, question.hybrid, iris, k)
    own = {seed.iri: seed.score for seed in seeds}
    steps = expand(snapshot.store, list(own), channels, len(iris), given.entity_hub)
    strongest: dict[str, tuple[float, PathStep]] = {}
    for step in steps:
        gain = own[step.seed] * step.weight
        if step.chunk not in own and (step.chunk not in strongest or gain > strongest[step.chunk][0]):
            strongest[step.chunk] = (gain, step)
    rows = snapshot.vectors.rows(strongest).tolist()
    found = []
    for row, (iri, (gain, step)) in zip(rows, strongest.items(), strict=True):
        if question.allowed is not None and not question.allowed[row]:
            continue
        graph = given.seed_share * gain
        parts = _parts(question, row) | {"graph": round(graph, DECIMALS)}
        found.append(Ranked(iri, Role.NEIGHBOUR, float(question.hybrid[row]) + graph, parts, (step,)))
    return seeds + sorted(found, key=lambda each: (-each.score, each.iri))[:neighbours]


def learned(
    snapshot: Snapshot,
    catalogue: Catalogue,
    question: Question,
    k: int,
    neighbours: int,
    channels: Sequence[str],
    given: Retrieval,
    model: Trees,
) -> list[Ranked]:
    """The `k + neighbours` best of all candidates by the model; the logistic function makes scores of 0..1.

    A seed is what is among the first `k` of the flat ranking, or what no hop leads to.
    """
    found = candidates(snapshot, catalogue, question, channels, given)
    iris = snapshot.vectors.iris
    rows = found.features.candidates
    scores = 1 / (1 + np.exp(-model.predict(found.features.values)))
    first = best(scores, [iris[row] for row in rows.tolist()], k + neighbours).tolist()
    seeds = frozenset(question.order[:k].tolist())
    return [_ranked(found, place, float(scores[place]), seeds, question, iris) for place in first]


def candidates(
    snapshot: Snapshot,
    catalogue: Catalogue,
    question: Question,
    channels: Sequence[str],
    given: Retrieval,
) -> Candidates:
    """The flat ranking's first chunks and all that the graph joins to its very first, with their evidence."""
    iris = snapshot.vectors.iris
    seeds = question.order[: given.pool]
    linked = [
        iris[row]
        for row in seeds.tolist()
        if not catalogue.is_hub(snapshot.store, int(catalogue.documents[row]), given.link_hub)
    ]
    names = [iris[row] for row in seeds.tolist()]
    steps = [
        step
        for step in expand(snapshot.store, names, channels, len(iris), given.entity_hub, linked)
        if question.allowed is None or question.allowed[catalogue.rows[step.chunk]]
    ]
    links = [step for step in steps if step.channel == "link"]
    hops = _hops(snapshot, catalogue, links, names)
    others: dict[int, PathStep] = {}
    for step in steps:
        row = catalogue.rows[step.chunk]
        if step.channel != "link" and (row not in others or step.weight > others[row].weight):
            others[row] = step
    values = features(
        question, seeds, hops, np.array(sorted(others), np.int64), catalogue, snapshot.vectors.matrix
    )
    return Candidates(values, links, others)


def _hops(snapshot: Snapshot, catalogue: Catalogue, links: Sequence[PathStep], seeds: Sequence[str]) -> Hops:
    slots = {iri: slot for slot, iri in enumerate(seeds)}
    return Hops(
        np.array([slots[step.seed] for step in links], np.int64),
        np.array([catalogue.rows[step.chunk] for step in links], np.int64),
        np.array([step.kind == FORWARD for step in links], np.bool_),
        np.array([step.weight for step in links], np.float64),
        catalogue.unit(snapshot.store, [step.edge or "" for step in links]),
    )


def _ranked(
    found: Candidates,
    place: int,
    score: float,
    seeds: frozenset[int],
    question: Question,
    iris: Sequence[str],
) -> Ranked:
    row = int(found.features.candidates[place])
    parts = _parts(question, row)
    hop = int(found.features.best_hop[place])
    step = found.links[hop] if hop >= 0 else found.others.get(row)
    if row in seeds or step is None:
        return Ranked(iris[row], Role.SEED, score, parts)
    return Ranked(iris[row], Role.NEIGHBOUR, score, parts | {"graph": round(step.weight, DECIMALS)}, (step,))


def _parts(question: Scores | Question, row: int) -> dict[str, float]:
    return {
        name: round(float(getattr(question, name)[row]), DECIMALS) for name in ("bm25", "dense", "hybrid")
    }
