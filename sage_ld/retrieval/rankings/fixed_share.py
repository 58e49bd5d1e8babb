"""The ranking `shared`: seeds, then neighbours at a share of their seed's score (the paper, section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sage_ld.foundation.channels import Hubs
from sage_ld.foundation.model import PathStep
from sage_ld.retrieval.channels.expansion import HubSampling, expand, with_sampled_hubs
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.retrieval.rankings.features import DECIMALS
from sage_ld.retrieval.rankings.method import Inquiry, Order, Paths, Ranked, Reach, allowed, flat, parts
from sage_ld.retrieval.scoring.scores import Scores
from sage_ld.retrieval.scoring.section_tree import SectionPart


def order(inquiry: Inquiry, seed_count: int, neighbours: int) -> Order:
    """The seeds, then the best of their neighbours, each at its own score and a share of its best seed's.

    What a hop gains is the seed's score times the edge's weight; a later hop starts from the `pool` best of
    the one before, and gains `decay` times as much.
    """
    question, vectors = inquiry.scores(), inquiry.snapshot.vectors
    sections = SectionPart.of(inquiry)
    own = sections.blended(question.hybrid)
    seeds = [
        replace(each, parts=each.parts | sections.said(row))
        for each in flat(question, own, vectors.iris, seed_count)
        for row in vectors.rows([each.iri]).tolist()
    ]
    gains, paths = _spread(inquiry, question, seeds)
    reached = []
    for row, (iri, gain) in zip(vectors.rows(gains).tolist(), gains.items(), strict=True):
        graph = inquiry.parameters.seed_share * gain
        score_parts = parts(question, row) | {"graph": round(graph, DECIMALS)} | sections.said(row)
        score = float(own[row]) + graph
        reached.append(Ranked(iri, score, score_parts))
    best = sorted(reached, key=lambda each: (-each.score, each.iri))[:neighbours]
    return Order(seeds + best, lambda _: paths)


def reach(inquiry: Inquiry, seed_count: int) -> Reach:
    """The `seed_count` seeds of `order`, and all rows that it may reach from them."""
    question, vectors = inquiry.scores(), inquiry.snapshot.vectors
    seeds = flat(question, SectionPart.of(inquiry).blended(question.hybrid), vectors.iris, seed_count)
    gains, _ = _spread(inquiry, question, seeds)
    return Reach(vectors.rows([seed.iri for seed in seeds]), vectors.rows(list(gains)))


def _spread(inquiry: Inquiry, question: Scores, seeds: Sequence[Ranked]) -> tuple[dict[str, float], Paths]:
    """The gain of each chunk that the seeds lead to, and the paths to it and to each seed."""
    snapshot, given = inquiry.snapshot, inquiry.parameters
    row_of, chunks = snapshot.vectors.rows, ChunkTable.of(snapshot).rows
    strength = {seed.iri: seed.score for seed in seeds}
    paths: dict[str, tuple[PathStep, ...]] = dict.fromkeys(strength, ())
    gains: dict[str, float] = {}
    front = list(strength)
    for _ in range(given.hops):
        met: dict[str, tuple[float, PathStep]] = {}

        def read(hubs: Hubs, seeds: Sequence[str] = front) -> list[PathStep]:
            channels, relations = inquiry.channels, inquiry.relations
            return expand(snapshot.store, seeds, channels, chunks, hubs, inquiry.check, relations)

        steps = with_sampled_hubs(read, given.hubs, HubSampling.of(given, question), chunks)
        may = allowed(question, row_of([step.chunk for step in steps]))
        for step in (step for step, is_allowed in zip(steps, may, strict=True) if is_allowed):
            gain = strength[step.seed] * step.weight
            if step.chunk not in paths and (step.chunk not in met or gain > met[step.chunk][0]):
                met[step.chunk] = (gain, step)
        for chunk, (gain, step) in met.items():
            gains[chunk], strength[chunk] = gain, given.decay * gain
            paths[chunk] = (*paths[step.seed], step)
        front = sorted(met, key=lambda chunk: (-met[chunk][0], chunk))[: given.pool]
    return gains, paths
