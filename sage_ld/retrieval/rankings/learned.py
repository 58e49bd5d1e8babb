"""The ranking `learned`: all candidates by one model over their evidence, seeds and neighbours alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from sage_ld.foundation.arrays import top_k
from sage_ld.foundation.channels import LINK, RELATION, STATEMENT, Hubs
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import IntArray, PathStep
from sage_ld.foundation.recipes import Retrieval
from sage_ld.graph import Snapshot
from sage_ld.retrieval.channels.expansion import ChannelHops, HubSampling, expand, with_sampled_hubs
from sage_ld.retrieval.channels.link_hops import NO_HOPS, LinkHops, follow
from sage_ld.retrieval.channels.relations import NO_RELATIONS, FollowedRelations
from sage_ld.retrieval.channels.word_hops import word_hops
from sage_ld.retrieval.chunks.chunk_table import ChunkTable, HopsKey
from sage_ld.retrieval.rankings.features import (
    HIGHEST_TOTAL,
    WORD_SEEDS,
    Evidence,
    Features,
    ScoredQuestion,
    Seeds,
    features,
    hop_priority,
    weigh,
    weigh_channel_hops,
)
from sage_ld.retrieval.rankings.learned_model import logistic
from sage_ld.retrieval.rankings.method import Inquiry, Order, Paths, Ranked, Reach, allowed, parts
from sage_ld.retrieval.rankings.models import load_model
from sage_ld.retrieval.scoring.scores import with_identified_first
from sage_ld.retrieval.scoring.section_tree import SectionPart

_TELLING: Final = (STATEMENT, RELATION)
"""Channels whose steps say why two chunks belong together."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """All candidates of a question with their evidence, and the hops that led to them."""

    features: Features
    hops: LinkHops
    """In the numbering of `features.best_hop`."""
    channel_hops: ChannelHops
    """In the numbering of `features.best_channel_hop`."""
    expanded: Mapping[int, tuple[PathStep, ...]]
    """Row that hops start from -> how it was reached itself: not at all where it is a seed."""

    def paths(
        self, snapshot: Snapshot, chunk_table: ChunkTable, places: Sequence[int]
    ) -> dict[int, tuple[PathStep, ...]]:
        """The paths to candidates, given by their places; an empty path where nothing leads to one.

        The best link is told, unless the best tie is a statement or a relation: that says why the two belong
        together.
        """
        best = {place: int(self.features.best_hop[place]) for place in places}
        ties = {place: int(self.features.best_channel_hop[place]) for place in places}
        tied = {
            place: tie
            for place, tie in ties.items()
            if tie >= 0 and (best[place] < 0 or self.channel_hops.steps[tie].channel in _TELLING)
        }
        linked = {place: hop for place, hop in best.items() if hop >= 0 and place not in tied}
        steps = self.hops.steps(snapshot, chunk_table, sorted(set(linked.values())))
        return {
            place: (*self.expanded[int(self.hops.seed[hop])], steps[hop]) for place, hop in linked.items()
        } | {
            place: (*self.expanded[int(self.channel_hops.seed[tie])], self.channel_hops.steps[tie])
            for place, tie in tied.items()
        }

    def reached(self) -> IntArray:
        """The rows that any hop leads to, ascending."""
        return np.unique(np.concatenate([self.hops.candidate, self.channel_hops.candidate]))


def order(inquiry: Inquiry, seed_count: int, neighbours: int) -> Order:
    """The best of all candidates by the model; the logistic function gives scores of 0..1.

    Of equal ones, the higher by BM25 goes first. A seed is what is among the first `seed_count`
    of the flat ranking, or what no hop leads to.
    """
    snapshot, given, question = inquiry.snapshot, inquiry.parameters, inquiry.question()
    chunk_table, model = ChunkTable.of(snapshot), load_model(given.model)
    found = candidates(
        snapshot, chunk_table, question, inquiry.channels, given, inquiry.check, inquiry.relations
    )
    inquiry.check()
    iris = snapshot.vectors.iris
    rows = found.features.candidates
    sections = SectionPart.of(inquiry)
    scores = sections.blended(logistic(model.logits(found.features.values)), rows)
    if question.identified is not None:
        scores = with_identified_first(scores, question.identified[rows])
    keys = [(-float(question.bm25[row]), iris[row]) for row in rows.tolist()]
    first = top_k(scores, keys, seed_count + neighbours).tolist()
    seeds = frozenset(question.order[:seed_count].tolist())
    places = {iris[row]: place for place, row in zip(first, rows[first].tolist(), strict=True)}

    def paths(shown: Sequence[str]) -> Paths:
        reached = [places[iri] for iri in shown if int(rows[places[iri]]) not in seeds]
        ways = found.paths(snapshot, chunk_table, reached)
        return {iri: ways[place] for iri in shown if (place := places[iri]) in ways}

    return Order(
        [
            Ranked(
                iris[row],
                float(scores[place]),
                parts(question, row) | found.features.parts(place) | sections.said(row),
            )
            for place, row in zip(first, rows[first].tolist(), strict=True)
        ],
        paths,
    )


def reach(inquiry: Inquiry, _seed_count: int) -> Reach:
    """The rows that `order` starts from, whatever `seed_count` is, and all rows that a hop leads to."""
    snapshot, given, question = inquiry.snapshot, inquiry.parameters, inquiry.question()
    chunk_table, channels = ChunkTable.of(snapshot), inquiry.channels
    found = candidates(snapshot, chunk_table, question, channels, given, relations=inquiry.relations)
    return Reach(question.order[: given.pool], found.reached())


def candidates(
    snapshot: Snapshot,
    chunk_table: ChunkTable,
    question: ScoredQuestion,
    channels: Sequence[str],
    given: Retrieval,
    check: Check = unchecked,
    relations: FollowedRelations = NO_RELATIONS,
) -> Candidates:
    """The flat ranking's first chunks and all that is joined to its very first, with their evidence.

    A later hop starts from the `pool` chunks to which the best links of the one before lead. `check` is
    called between the steps of each hop.
    """
    front = Seeds(question.order[: given.pool], question.share[question.order[: given.pool]])
    expanded: dict[int, tuple[PathStep, ...]] = {row: () for row in front.rows.tolist()}
    rounds: list[tuple[Seeds, LinkHops, Evidence, ChannelHops, Evidence]] = []
    for number in range(given.hops):
        if number and not len(
            (front := _next(snapshot, chunk_table, *rounds[-1][1:3], expanded, given)).rows
        ):
            break
        hops = NO_HOPS
        if LINK in channels:
            worth = hop_priority(question, front)
            hops = follow(snapshot, chunk_table, front.rows, given.link_hub, worth, given.max_links, check)
        sampling = HubSampling.of(given, question)
        channel_hops = _channel_hops(
            snapshot, chunk_table, front, channels, given, sampling, check, relations
        )
        known = list(expanded) if number else []
        hops = hops.where(allowed(question, hops.candidate) & ~np.isin(hops.candidate, known))
        channel_hops = channel_hops.where(
            allowed(question, channel_hops.candidate) & ~np.isin(channel_hops.candidate, known)
        )
        check()
        said = weigh(snapshot, chunk_table, question, front, hops)
        rounds.append(
            (front, hops, said, channel_hops, weigh_channel_hops(snapshot, question, front, channel_hops))
        )
    fronts, followed, said_of_hops, tied, said_of_channel_hops = zip(*rounds, strict=True)
    hops, channel_hops = LinkHops.joined(followed), ChannelHops.joined(tied)
    check()
    words = word_hops(snapshot, chunk_table, question.order[:WORD_SEEDS].tolist(), question.terms)
    words = words.where(allowed(question, words.candidate))
    check()
    evidence = Evidence.joined(said_of_hops), Evidence.joined(said_of_channel_hops)
    found = features(
        snapshot,
        question,
        chunk_table,
        Seeds.joined(fronts),
        hops,
        evidence[0],
        channel_hops,
        evidence[1],
        words,
    )
    return Candidates(found, hops, channel_hops, expanded)


def _next(
    snapshot: Snapshot,
    chunk_table: ChunkTable,
    hops: LinkHops,
    evidence: Evidence,
    expanded: dict[int, tuple[PathStep, ...]],
    given: Retrieval,
) -> Seeds:
    """The rows from which the next hop starts, by the links of the previous one; adds them to `expanded`."""
    strongest: dict[int, int] = {}
    for hop in np.argsort(-evidence.total, kind="stable").tolist():
        strongest.setdefault(int(hops.candidate[hop]), hop)
    chosen = [(row, hop) for row, hop in strongest.items() if row not in expanded][: given.pool]
    steps = hops.steps(snapshot, chunk_table, [hop for _, hop in chosen])
    for row, hop in chosen:
        expanded[row] = (*expanded[int(hops.seed[hop])], steps[hop])
    totals = evidence.total[[hop for _, hop in chosen]]
    return Seeds(np.array([row for row, _ in chosen], np.int64), given.decay * totals / HIGHEST_TOTAL)


def _channel_hops(
    snapshot: Snapshot,
    chunk_table: ChunkTable,
    front: Seeds,
    channels: Sequence[str],
    given: Retrieval,
    sampling: HubSampling | None,
    check: Check,
    relations: FollowedRelations,
) -> ChannelHops:
    """The hops over other channels than `link` from the first `tie_pool` of the front."""
    iris = snapshot.vectors.iris
    rows = sorted(front.rows[: given.tie_pool].tolist(), key=iris.__getitem__)
    chosen = tuple(each for each in channels if each != LINK)

    def read(keys: Sequence[HopsKey]) -> dict[Any, list[PathStep]]:
        found: dict[Any, list[PathStep]] = {key: [] for key in keys}
        seeds, hubs = [seed for seed, *_ in keys], keys[0][2]
        for step in expand(snapshot.store, seeds, chosen, chunk_table.rows, hubs, check, relations):
            found[step.seed, chosen, hubs, relations].append(step)
        return found

    def kept(hubs: Hubs) -> list[PathStep]:
        keys: list[HopsKey] = [(iris[row], chosen, hubs, relations) for row in rows]
        within = hubs == given.hubs  # beyond them are too many to keep
        found = chunk_table.channel_steps.all(keys, read) if within else read(keys) if keys else {}
        return [step for steps in found.values() for step in steps]

    steps = with_sampled_hubs(kept, given.hubs, sampling, chunk_table.rows)
    return ChannelHops.of(steps, chunk_table.rows)
