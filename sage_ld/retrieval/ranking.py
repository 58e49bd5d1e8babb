"""Candidates to a ranking: by a share of the seed's score, by a walk, or by a model over all evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, diags

from sage_ld.channels import LINK
from sage_ld.graph import Snapshot
from sage_ld.indexes.selection import best
from sage_ld.model import DoubleArray, IntArray, PathStep, Role
from sage_ld.recipes import Retrieval
from sage_ld.retrieval import pagerank
from sage_ld.retrieval.catalogue import Catalogue
from sage_ld.retrieval.expansion import expand
from sage_ld.retrieval.features import (
    DECIMALS,
    HIGHEST_TOTAL,
    Evidence,
    Features,
    Question,
    Seeds,
    features,
    promise,
    weigh,
    weigh_ties,
)
from sage_ld.retrieval.links import NO_HOPS, Hops, follow
from sage_ld.retrieval.scores import Scores
from sage_ld.retrieval.ties import Ties
from sage_ld.retrieval.trees import Trees


@dataclass(frozen=True, slots=True)
class Ranked:
    """One chunk of a ranking, before anything is read of it."""

    iri: str
    role: Role
    score: float
    parts: dict[str, float]
    path: tuple[PathStep, ...] = ()


class Reach(NamedTuple):
    """What a search goes from and what that leads to: rows."""

    seeds: IntArray
    reached: IntArray


@dataclass(frozen=True, slots=True)
class Candidates:
    """All candidates of a question with their evidence, and the hops that led to them."""

    features: Features
    hops: Hops
    """In the numbering of `features.best_hop`."""
    ties: Ties
    """In the numbering of `features.best_tie`."""
    expanded: Mapping[int, tuple[PathStep, ...]]
    """Row that hops start from -> how it was reached itself: not at all where it is a seed."""

    def paths(
        self, snapshot: Snapshot, catalogue: Catalogue, places: Sequence[int]
    ) -> dict[int, tuple[PathStep, ...]]:
        """How candidates, given by their places, were reached; of one that nothing leads to, nothing."""
        best = {place: int(self.features.best_hop[place]) for place in places}
        steps = self.hops.steps(snapshot, catalogue, sorted({hop for hop in best.values() if hop >= 0}))
        found = {}
        for place, hop in best.items():
            tie = int(self.features.best_tie[place])
            if hop >= 0:
                found[place] = (*self.expanded[int(self.hops.seed[hop])], steps[hop])
            elif tie >= 0:
                found[place] = (*self.expanded[int(self.ties.seed[tie])], self.ties.steps[tie])
        return found

    def reached(self) -> IntArray:
        """The rows that any hop leads to, ascending."""
        return np.unique(np.concatenate([self.hops.candidate, self.ties.candidate]))


def flat(question: Scores, scores: np.ndarray, iris: Sequence[str], count: int) -> list[Ranked]:
    """The first `count` chunks by `scores` (n,)."""
    return [
        Ranked(iris[row], Role.SEED, float(scores[row]), parts(question, row))
        for row in question.best(scores, iris, count).tolist()
    ]


def shared(
    snapshot: Snapshot, question: Scores, k: int, neighbours: int, channels: Sequence[str], given: Retrieval
) -> list[Ranked]:
    """`k` seeds, then the best of their neighbours, each at its own score and a share of its best seed's.

    What a hop gains is the seed's score times the edge's weight; a later hop starts from the `pool` best of
    the one before, and gains `decay` times as much.
    """
    seeds = flat(question, question.hybrid, snapshot.vectors.iris, k)
    gains, paths = _spread(snapshot, question, seeds, channels, given)
    found = []
    for row, (iri, gain) in zip(snapshot.vectors.rows(gains).tolist(), gains.items(), strict=True):
        graph = given.seed_share * gain
        said = parts(question, row) | {"graph": round(graph, DECIMALS)}
        score = float(question.hybrid[row]) + graph
        found.append(Ranked(iri, Role.NEIGHBOUR, score, said, paths[iri]))
    return seeds + sorted(found, key=lambda each: (-each.score, each.iri))[:neighbours]


def shared_reach(
    snapshot: Snapshot, question: Scores, k: int, channels: Sequence[str], given: Retrieval
) -> Reach:
    """What `shared` goes from with `k` seeds, and all that it comes to."""
    seeds = flat(question, question.hybrid, snapshot.vectors.iris, k)
    gains, _ = _spread(snapshot, question, seeds, channels, given)
    row_of = snapshot.vectors.rows
    return Reach(row_of([seed.iri for seed in seeds]), row_of(list(gains)))


def _spread(
    snapshot: Snapshot, question: Scores, seeds: Sequence[Ranked], channels: Sequence[str], given: Retrieval
) -> tuple[dict[str, float], dict[str, tuple[PathStep, ...]]]:
    """What each chunk that the seeds lead to gains, and how it and each seed was reached."""
    row_of, chunks = snapshot.vectors.rows, Catalogue.of(snapshot).rows
    strength = {seed.iri: seed.score for seed in seeds}
    paths: dict[str, tuple[PathStep, ...]] = dict.fromkeys(strength, ())
    gains: dict[str, float] = {}
    front = list(strength)
    for _ in range(given.hops):
        met: dict[str, tuple[float, PathStep]] = {}
        steps = expand(snapshot.store, front, channels, chunks, given.entity_hub)
        allowed = _allowed(question, row_of([step.chunk for step in steps]))
        for step in (step for step, may in zip(steps, allowed, strict=True) if may):
            gain = strength[step.seed] * step.weight
            if step.chunk not in paths and (step.chunk not in met or gain > met[step.chunk][0]):
                met[step.chunk] = (gain, step)
        for chunk, (gain, step) in met.items():
            gains[chunk], strength[chunk] = gain, given.decay * gain
            paths[chunk] = (*paths[step.seed], step)
        front = sorted(met, key=lambda chunk: (-met[chunk][0], chunk))[: given.pool]
    return gains, paths


def walked(
    snapshot: Snapshot,
    question: Scores,
    k: int,
    neighbours: int,
    channels: Sequence[str],
    given: Retrieval,
) -> list[Ranked]:
    """The `k + neighbours` best by their own scores and a walk from the `pool` first of the flat ranking.

    A seed is what is among the first `k` of the flat ranking, what the walk mostly starts at, not arrives at,
    or what it does not reach. Its part `graph` is the walk's share in the score, over the highest.
    """
    iris, count = snapshot.vectors.iris, k + neighbours
    first = question.best(question.hybrid, iris, max(given.pool, k))
    starts = first[: given.pool]
    matrix, shares, found = _walk(snapshot, question, starts, channels, given)
    own = question.hybrid / max(float(question.hybrid[first[0]]), 1e-9)
    arrived = found / max(float(found.max()), 1e-9)
    scores = (1 - given.walk_share) * own + given.walk_share * arrived
    rows = question.best(scores, iris, count).tolist()
    started = np.flatnonzero(2 * (1 - given.damping) * shares > found)
    seeds = frozenset([*first[:k].tolist(), *started.tolist()])
    paths = pagerank.paths(
        snapshot, matrix, found, starts, [row for row in rows if row not in seeds], channels, given
    )
    results = []
    for row in rows:
        said, path = parts(question, row), paths.get(row, ())
        if arrived[row] > 0:
            said["graph"] = round(float(arrived[row]), DECIMALS)
        role = Role.NEIGHBOUR if path else Role.SEED
        results.append(Ranked(iris[row], role, float(scores[row]), said, path))
    return results


def walked_reach(snapshot: Snapshot, question: Scores, channels: Sequence[str], given: Retrieval) -> Reach:
    """What `walked` starts from, and wherever it may come to."""
    starts = question.best(question.hybrid, snapshot.vectors.iris, given.pool)
    *_, found = _walk(snapshot, question, starts, channels, given)
    return Reach(starts, np.setdiff1d(np.flatnonzero(found), starts))


def _walk(
    snapshot: Snapshot, question: Scores, starts: IntArray, channels: Sequence[str], given: Retrieval
) -> tuple[csr_matrix, DoubleArray, DoubleArray]:
    """The edges between chunks that may be ranked; (n,) how often a walk starts at each, and is there."""
    matrix = pagerank.transitions(snapshot, channels, given)
    if question.allowed is not None:
        kept = diags(question.allowed.astype(np.float64))
        matrix = (kept @ matrix @ kept).tocsr()
    shares = pagerank.restarts(question.hybrid, starts, given.restart_power)
    return matrix, shares, pagerank.walk(matrix, shares, given.damping)


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
    paths = found.paths(snapshot, catalogue, [place for place in first if int(rows[place]) not in seeds])
    return [
        Ranked(
            iris[row],
            Role.NEIGHBOUR if place in paths else Role.SEED,
            float(scores[place]),
            parts(question, row) | found.features.parts(place),
            paths.get(place, ()),
        )
        for place, row in zip(first, rows[first].tolist(), strict=True)
    ]


def learned_reach(snapshot: Snapshot, question: Question, channels: Sequence[str], given: Retrieval) -> Reach:
    """What `learned` goes from, and all that a hop leads to."""
    found = candidates(snapshot, Catalogue.of(snapshot), question, channels, given)
    return Reach(question.order[: given.pool], found.reached())


def candidates(
    snapshot: Snapshot,
    catalogue: Catalogue,
    question: Question,
    channels: Sequence[str],
    given: Retrieval,
) -> Candidates:
    """The flat ranking's first chunks and all that the graph joins to its very first, with their evidence.

    A later hop starts from the `pool` chunks to which the best links of the one before lead.
    """
    front = Seeds(question.order[: given.pool], question.share[question.order[: given.pool]])
    expanded: dict[int, tuple[PathStep, ...]] = {row: () for row in front.rows.tolist()}
    rounds: list[tuple[Seeds, Hops, Evidence, Ties, Evidence]] = []
    for number in range(given.hops):
        if number and not len((front := _next(snapshot, catalogue, *rounds[-1][1:3], expanded, given)).rows):
            break
        hops = NO_HOPS
        if LINK in channels:
            worth = promise(question, front)
            hops = follow(snapshot, catalogue, front.rows, given.link_hub, worth, given.max_links)
        ties = _ties(snapshot, catalogue, front, channels, given)
        known = list(expanded) if number else []
        hops = hops.where(_allowed(question, hops.candidate) & ~np.isin(hops.candidate, known))
        ties = ties.where(_allowed(question, ties.candidate) & ~np.isin(ties.candidate, known))
        said = weigh(snapshot, catalogue, question, front, hops)
        rounds.append((front, hops, said, ties, weigh_ties(snapshot, question, front, ties)))
    fronts, followed, said_of_hops, tied, said_of_ties = zip(*rounds, strict=True)
    hops, ties = Hops.joined(followed), Ties.joined(tied)
    evidence = Evidence.joined(said_of_hops), Evidence.joined(said_of_ties)
    found = features(question, catalogue, Seeds.joined(fronts), hops, evidence[0], ties, evidence[1])
    return Candidates(found, hops, ties, expanded)


def _next(
    snapshot: Snapshot,
    catalogue: Catalogue,
    hops: Hops,
    evidence: Evidence,
    expanded: dict[int, tuple[PathStep, ...]],
    given: Retrieval,
) -> Seeds:
    """What the next hop starts from, given the links of the one before; `expanded` then knows it."""
    strongest: dict[int, int] = {}
    for hop in np.argsort(-evidence.total, kind="stable").tolist():
        strongest.setdefault(int(hops.candidate[hop]), hop)
    chosen = [(row, hop) for row, hop in strongest.items() if row not in expanded][: given.pool]
    steps = hops.steps(snapshot, catalogue, [hop for _, hop in chosen])
    for row, hop in chosen:
        expanded[row] = (*expanded[int(hops.seed[hop])], steps[hop])
    totals = evidence.total[[hop for _, hop in chosen]]
    return Seeds(np.array([row for row, _ in chosen], np.int64), given.decay * totals / HIGHEST_TOTAL)


def _ties(
    snapshot: Snapshot, catalogue: Catalogue, front: Seeds, channels: Sequence[str], given: Retrieval
) -> Ties:
    """The hops over other channels than `link` from the first `tie_pool` of the front."""
    iris = snapshot.vectors.iris
    names = [iris[row] for row in front.rows[: given.tie_pool].tolist()]
    chosen = tuple(each for each in channels if each != LINK)

    def read(keys: Sequence[tuple[str, tuple[str, ...], int]]) -> dict[Any, list[PathStep]]:
        found: dict[Any, list[PathStep]] = {key: [] for key in keys}
        seeds = [seed for seed, *_ in keys]
        for step in expand(snapshot.store, seeds, chosen, catalogue.rows, given.entity_hub):
            found[step.seed, chosen, given.entity_hub].append(step)
        return found

    steps = catalogue.ties.all([(name, chosen, given.entity_hub) for name in sorted(names)], read)
    return Ties.of([step for found in steps.values() for step in found], catalogue.rows)


def _allowed(question: Scores, rows: Any) -> Any:
    return np.ones(np.shape(rows), np.bool_) if question.allowed is None else question.allowed[rows]


def parts(question: Scores, row: int) -> dict[str, float]:
    """The scores of a row's text."""
    return {
        name: round(float(getattr(question, name)[row]), DECIMALS) for name in ("bm25", "dense", "hybrid")
    }
