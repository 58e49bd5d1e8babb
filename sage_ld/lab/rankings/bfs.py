"""The ranking `bfs`: the chunks of what a question names, and what the graph leads to from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.layout import concatenated_ranges
from sage_ld.graph.indexes.strings import Numbers
from sage_ld.lab.rankings.channel_edges import edge_matrices
from sage_ld.lab.rankings.pagerank import strongest_steps
from sage_ld.lab.rankings.trails import MOST_EDGES
from sage_ld.retrieval.questions.question_nodes import ENTITY_NODES, ENTRY_KINDS, named_nodes
from sage_ld.retrieval.rankings.features import DECIMALS
from sage_ld.retrieval.rankings.method import Inquiry, Order, Paths, Ranked, Reach, parts
from sage_ld.retrieval.scoring.scores import by_level, relative
from sage_ld.retrieval.scoring.section_tree import SectionPart

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_BLOCK: Final = 50_000
"""Mentions whose vectors are added up at once."""


class NearEntity(NamedTuple):
    """An entity that is near to a question."""

    number: int
    cosine: float
    chunks: IntArray
    """The rows of the chunks that mention it, ascending."""


@dataclass(frozen=True, slots=True)
class EntityVectors:
    """The m entities that any chunk mentions."""

    numbers: Numbers
    """(m,) ascending."""
    rows: IntArray
    """(e,) the rows of the chunks that mention each, one entity after another."""
    starts: IntArray
    """(m,) where the rows of each begin."""
    lengths: DoubleArray
    """(m,) the length of the mean of these chunks' vectors."""

    @classmethod
    def of(cls, snapshot: Snapshot) -> EntityVectors:
        """The vectors of a revision: made once, by a pass over the vectors of all mentions."""
        return snapshot.derived(_read)

    def nearest(self, scores: FloatArray, count: int) -> list[NearEntity]:
        """The `count` entities nearest to a question, nearest first, of equal ones the lowest number.

        `scores` (n,) are the question's inner products with the chunks.
        """
        if not len(self.numbers):
            return []
        near = cosines(scores[self.rows], self.starts, self.lengths)
        ends = np.append(self.starts[1:], len(self.rows))
        return [
            NearEntity(
                int(self.numbers[place]),
                float(near[place]),
                self.rows[self.starts[place] : ends[place]].astype(np.int64),
            )
            for place in np.lexsort((self.numbers, -near))[:count].tolist()
        ]


def cosines(scores: FloatArray, starts: IntArray, lengths: DoubleArray) -> DoubleArray:
    """(m,) the cosine of a question with the mean of each group of vectors.

    `scores` (e,) are its inner products with the vectors, group after group; `starts` (m,) is where each
    group begins, `lengths` (m,) how long its mean is.

    >>> cosines(np.array([1.0, 0.0, 0.6]), np.array([0, 2]), np.array([0.5**0.5, 1.0])).round(6).tolist()
    [0.707107, 0.6]
    """
    counts = np.diff(np.append(starts, len(scores)))
    return np.asarray(np.add.reduceat(scores.astype(np.float64), starts) / counts / np.maximum(lengths, 1e-9))


def mean_lengths(vectors: FloatArray, starts: IntArray) -> DoubleArray:
    """(m,) the length of the mean of each group of `vectors` (e, d); `starts` (m,) as above.

    >>> mean_lengths(np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]), np.array([0, 2])).round(6).tolist()
    [0.707107, 1.0]
    """
    counts = np.diff(np.append(starts, len(vectors)))
    means = np.add.reduceat(vectors.astype(np.float64), starts, axis=0) / counts[:, None]
    return np.asarray(np.linalg.norm(means, axis=1))


def _read(snapshot: Snapshot) -> EntityVectors:
    rows, entities = ENTITY_NODES.pairs(snapshot)
    order = np.lexsort((rows, entities))
    rows = rows[order]
    numbers, starts = np.unique(entities[order], return_index=True)
    lengths = [np.zeros(0)]
    begin = 0
    while begin < len(numbers):
        end = max(begin + 1, int(np.searchsorted(starts, starts[begin] + _BLOCK)))
        last = starts[end] if end < len(numbers) else len(rows)
        vectors = snapshot.vectors.take(rows[starts[begin] : last])
        lengths.append(mean_lengths(vectors, starts[begin:end] - starts[begin]))
        begin = end
    return EntityVectors(numbers, rows, starts, np.concatenate(lengths))


@dataclass(frozen=True, slots=True)
class Spread:
    """The r chunks to which some lead, each once at its nearest hop, as parallel arrays (r,), by row."""

    rows: IntArray
    gains: DoubleArray
    """1 for the chunks that it starts from."""
    previous: IntArray
    """The row of the chunk before; -1 for the chunks that it starts from."""

    def way(self, row: int) -> list[int]:
        """The rows from a chunk that it starts from to one of its rows."""
        way: list[int] = []
        while row >= 0:
            way.append(row)
            row = int(self.previous[np.searchsorted(self.rows, row)])
        return way[::-1]


def spread(
    evidence: csr_matrix,
    starts: IntArray,
    hops: int,
    share: float,
    allowed: NDArray[np.bool_] | None = None,
    check: Check = unchecked,
) -> Spread:
    """The nodes to which `starts` (distinct rows) lead over at most `hops` edges.

    `evidence` (n, n) has the weights of the edges, above 0. A chunk at hop h gains share^h · weight / highest
    weight, of its strongest edge from the hop before. Chunks that are not among the `allowed` (n,) are not
    gone over. At most `MOST_EDGES` are looked at in a hop, those of chunks with the highest gains. `check`
    is called before each hop.

    >>> from scipy.sparse import csr_matrix
    >>> edges = csr_matrix(np.array([[0, 1.0, 0.5], [0, 0, 0.4], [0, 0, 0]]))
    >>> spread(edges, np.array([0]), 2, 0.5).gains.tolist()
    [1.0, 0.5, 0.25]
    """
    met = np.zeros(evidence.shape[0], np.bool_) if allowed is None else ~allowed
    front = starts[~met[starts]]
    met[front] = True
    rows, gains, previous = [front], [np.ones(len(front))], [np.full(len(front), -1)]
    highest = evidence.data.max(initial=0.0) or 1.0
    for hop in range(1, hops + 1):
        check()
        order = np.argsort(-gains[-1], kind="stable")
        counts = np.diff(evidence.indptr)[front].astype(np.int64)
        front = front[order[np.cumsum(counts[order]) <= MOST_EDGES]]
        begin = evidence.indptr[front].astype(np.int64)
        counts = evidence.indptr[front + 1] - begin
        at, sources = concatenated_ranges(begin, counts), np.repeat(front, counts)
        new = ~met[evidence.indices[at]]
        at, sources = at[new], sources[new]
        ends, weights = evidence.indices[at].astype(np.int64), evidence.data[at]
        strongest = np.lexsort((sources, -weights, ends))
        front, first = np.unique(ends[strongest], return_index=True)
        met[front] = True
        rows.append(front)
        gains.append(share**hop * weights[strongest[first]] / highest)
        previous.append(sources[strongest[first]])
    order = np.argsort(np.concatenate(rows))
    return Spread(*(np.concatenate(each)[order] for each in (rows, gains, previous)))


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


def order(inquiry: Inquiry, seed_count: int, neighbours: int) -> Order:
    """The first chunks by what the question names; equal ones in the order of the flat ranking.

    A neighbour is what no node leads to but over edges; all others are seeds. Where the question names
    nothing, the order is that of the flat ranking.
    """
    question, iris = inquiry.scores(), inquiry.snapshot.vectors.iris
    nodes, sections = NodeScores.of(inquiry), SectionPart.of(inquiry)
    scores = sections.blended(nodes.scores)
    rows = question.best(by_level(scores, question.hybrid), iris, seed_count + neighbours)
    results = []
    for row in rows.tolist():
        score_parts = {"graph": round(float(nodes.scores[row]), DECIMALS)} if nodes.scores[row] else {}
        told = parts(question, row) | score_parts | sections.said(row)
        results.append(Ranked(iris[row], float(scores[row]), told))
    return Order(results, partial(_paths, inquiry, nodes))


def scores(inquiry: Inquiry) -> DoubleArray:
    """(n,) the score of each chunk, blended with that of its section."""
    return SectionPart.of(inquiry).blended(NodeScores.of(inquiry).scores)


def reach(inquiry: Inquiry, _seed_count: int) -> Reach:
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
