"""The ranking `bfs`: the chunks of what a question names, and what the graph leads to from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.lab.rankings.breadth_first import Spread, spread
from sage_ld.lab.rankings.channel_edges import edge_matrices
from sage_ld.lab.rankings.entity_vectors import EntityVectors
from sage_ld.lab.rankings.pagerank import strongest_steps
from sage_ld.retrieval.inquiry import Inquiry
from sage_ld.retrieval.questions.question_nodes import ENTRY_KINDS, named_nodes
from sage_ld.retrieval.rankings.features import DECIMALS
from sage_ld.retrieval.rankings.ranked import Order, Paths, Ranked, Reach, parts
from sage_ld.retrieval.rankings.section_part import SectionPart
from sage_ld.retrieval.scoring.scores import by_level, relative


class EntryNode(NamedTuple):
    """A node from which the graph is followed."""

    chunks: IntArray
    """The rows of the chunks that refer to it, ascending."""
    weight: float
    """What such a chunk gains: 1 where the question names the node, else their cosine."""


@dataclass(frozen=True, slots=True)
class NodeScores:
    """The scores of all chunks by the nodes that a question names, and how the graph led to them."""

    spreads: Sequence[Spread]
    """One from the chunks of each node, its gains multiplied by the weight of the node."""
    scores: DoubleArray
    """(n,) the sum of what a chunk gains of each node, over the highest."""

    @classmethod
    def of(cls, inquiry: Inquiry) -> NodeScores:
        """The scores for a question; all 0 where it names nothing."""
        snapshot, given = inquiry.snapshot, inquiry.parameters
        scores = np.zeros(len(snapshot.vectors.iris))
        spreads = []
        if entries := _entries(inquiry):
            evidence = edge_matrices(snapshot, inquiry.channels, given, inquiry.relations).evidence
            for entry in entries:
                spread_scores = spread(
                    evidence, entry.chunks, given.hops, given.neighbour_weight, inquiry.allowed, inquiry.check
                )
                weighted = replace(spread_scores, gains=entry.weight * spread_scores.gains)
                scores[weighted.rows] += weighted.gains
                spreads.append(weighted)
        return cls(spreads, relative(scores))

    def starts(self) -> IntArray:
        """The rows of the chunks that refer to a node, ascending."""
        none = [np.zeros(0, np.int64)]
        return np.unique(np.concatenate(none + [each.rows[each.previous < 0] for each in self.spreads]))

    def reached(self) -> IntArray:
        """The rows that the graph leads to from these, ascending."""
        every = np.concatenate([np.zeros(0, np.int64), *(each.rows for each in self.spreads)])
        return np.setdiff1d(every, self.starts())

    def way(self, row: int) -> list[int]:
        """The rows on the way to a chunk that the graph leads to, by the node from which it gains most."""
        gained = []
        for number, each in enumerate(self.spreads):
            at = int(np.searchsorted(each.rows, row))
            if at < len(each.rows) and each.rows[at] == row:
                gained.append((-float(each.gains[at]), number))
        return self.spreads[min(gained)[1]].way(row)


def _entries(inquiry: Inquiry) -> list[EntryNode]:
    """The nodes that the question names, then the entities nearest to it that it does not name."""
    snapshot, nearest = inquiry.snapshot, inquiry.parameters.nearest_entities
    named = named_nodes(snapshot, inquiry.text, inquiry.language, ENTRY_KINDS)
    entries = [EntryNode(named.chunks(place), 1.0) for place in named.rarest().tolist()]
    if nearest:
        dense = snapshot.vectors.scores(inquiry.vector, inquiry.similarity)
        nearby = EntityVectors.of(snapshot).nearest(dense, nearest)
        known = set(named.numbers.tolist())
        entries += [EntryNode(each.chunks, each.cosine) for each in nearby if each.number not in known]
    return [each for each in entries if each.weight > 0]


def order(inquiry: Inquiry, k: int, neighbours: int) -> Order:
    """The `k + neighbours` first by what the question names; equal ones in the order of the flat ranking.

    A neighbour is what no node leads to but over edges; all others are seeds. Where the question names
    nothing, the order is that of the flat ranking.
    """
    question, iris = inquiry.scores(), inquiry.snapshot.vectors.iris
    nodes, sections = NodeScores.of(inquiry), SectionPart.of(inquiry)
    scores = sections.blended(nodes.scores)
    rows = question.best(by_level(scores, question.hybrid), iris, k + neighbours)
    results = []
    for row in rows.tolist():
        score_parts = {"graph": round(float(nodes.scores[row]), DECIMALS)} if nodes.scores[row] else {}
        told = parts(question, row) | score_parts | sections.said(row)
        results.append(Ranked(iris[row], float(scores[row]), told))
    return Order(results, partial(_paths, inquiry, nodes))


def scores(inquiry: Inquiry) -> DoubleArray:
    """(n,) the score of each chunk, blended with that of its section."""
    return SectionPart.of(inquiry).blended(NodeScores.of(inquiry).scores)


def reach(inquiry: Inquiry, _k: int) -> Reach:
    """The chunks of what the question names, and those to which the graph leads from there."""
    nodes = NodeScores.of(inquiry)
    return Reach(nodes.starts(), nodes.reached())


def _paths(inquiry: Inquiry, nodes: NodeScores, iris: Sequence[str]) -> Paths:
    """The way to each of some chunks that the graph leads to."""
    vectors = inquiry.snapshot.vectors
    rows = np.intersect1d(vectors.rows(iris), nodes.reached()).tolist()
    pairs = {row: list(pairwise(nodes.way(row))) for row in rows}
    steps = strongest_steps(inquiry, {pair for way in pairs.values() for pair in way})
    return {
        vectors.iris[row]: tuple(steps[pair] for pair in way)
        for row, way in pairs.items()
        if all(pair in steps for pair in way)
    }
