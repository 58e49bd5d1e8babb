"""The evidence for each candidate of a question, as numbers: what a learned ranking weighs.

All of it comes from the indexes and the graph's edges at query time; nothing is encoded but the question.
`docs/ranking.md` gives every feature's formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.arrays import cosine, unit_rows
from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.lexical import Matches
from sage_ld.graph.indexes.positions import AskedTerms, TokenRanges
from sage_ld.retrieval.channels.expansion import ChannelHops
from sage_ld.retrieval.channels.link_hops import HopPriority, LinkHops
from sage_ld.retrieval.channels.word_hops import WordHops
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.retrieval.scoring.scores import Scores

OWN_FEATURES: Final = (
    "bm25", "dense", "hybrid", "log_rank", "coverage", "title_coverage", "title_asked", "likeness",
)  # fmt: skip
"""Features of a candidate without the hops that lead to it."""
BEST_LINK_FEATURES: Final = (
    "seed", "seed_log_rank", "seed_title", "confidence", "forward", "unit_coverage", "pair_coverage", "mean",
)  # fmt: skip
"""Features of its best link."""
MAXIMUM_FEATURES: Final = ("seed", "pair_coverage", "mean", "seed_title", "total")
"""Maxima over all its links, each number for itself."""
ALL_LINKS_FEATURES: Final = ("links", "seeds", "log_place")
"""Counts over all its links."""
CHANNEL_HOP_FEATURES: Final = (
    "tie_weight", "max_tie_pair_coverage", "max_tie_mean", "max_tie_total",
    "ties", "tie_seeds", "tie_log_place",
)  # fmt: skip
"""Features of the hops from seeds over other channels than `link`; such a hop is a `tie` in these names."""
WORD_HOP_FEATURES: Final = ("word_weight", "word_pair_coverage", "word_mean", "word_total")
"""Features of the best hop over rare words."""
BELOW_HIGHEST_FEATURES: Final = (
    "dense", "coverage", "title_asked", "edge_unit_coverage", "max_pair_coverage", "max_mean",
    "max_seed_title", "max_total", "links", "word_total",
)  # fmt: skip
"""Features that are also given as the distance from the highest of all candidates."""
RANK_FEATURES: Final = (
    "hybrid", "dense", "bm25", "coverage", "max_pair_coverage", "max_mean", "max_total", "max_tie_total",
    "word_total",
)  # fmt: skip
"""In which place a number puts the candidate among all."""
QUESTION_FEATURES: Final = ("top_coverage",)
"""Features of the question, which all its candidates have alike."""
FEATURE_NAMES: Final = (
    *OWN_FEATURES,
    *(f"edge_{name}" for name in BEST_LINK_FEATURES),
    *(f"max_{name}" for name in MAXIMUM_FEATURES),
    *ALL_LINKS_FEATURES,
    *CHANNEL_HOP_FEATURES,
    *WORD_HOP_FEATURES,
    *(f"below_{name}" for name in BELOW_HIGHEST_FEATURES),
    *(f"log_rank_{name}" for name in RANK_FEATURES),
    *QUESTION_FEATURES,
)
_COLUMN: Final = {name: number for number, name in enumerate(FEATURE_NAMES)}
DECIMALS: Final = 6
"""Of a part that a result shows."""
UNCONSTRAINED_FEATURES: Final = frozenset(
    (
        *("log_rank", "links", "below_links", "log_place", "edge_seed_log_rank", "edge_forward"),
        *("tie_weight", "ties", "tie_seeds", "tie_log_place"),
        *(f"log_rank_{name}" for name in RANK_FEATURES),
        *QUESTION_FEATURES,
    )
)
"""Features of which more may lower a score; of all others it never does, which a model is held to."""

HIGHEST_TOTAL: Final = 2.8
"""The most that all evidence of one hop adds up to."""
CANDIDATES: Final = 200
"""How many of the flat ranking's first chunks are candidates."""
WORD_CANDIDATES: Final = 50
"""How many chunks, of those that rare words lead to, are candidates for that alone."""
WORD_SEEDS: Final = 6
"""The number of the flat ranking's first chunks whose rare words are followed."""
UNRANKED: Final = 400
"""How deep the flat ranking is looked at; what is not in it counts as standing right behind."""
EXEMPLARS: Final = 5
"""The number of the flat ranking's first chunks with which others are compared for similarity."""
BEYOND_EXEMPLARS: Final = 3 * EXEMPLARS
"""A place in the flat ranking: an exemplar weighs as much as its score is above the one there."""
LEAST_COSINE: Final = 0.3
"""Cosines below this count as 0."""


@dataclass(frozen=True)
class ScoredQuestion(Scores):
    """A question's scores over all chunks, and which chunk holds which of its m words."""

    matches: Matches
    lexical_rows: IntArray
    """(n,) the row of `matches` for each row of the vector index."""
    order: IntArray
    """The first `UNRANKED` rows of the flat ranking, best first."""

    def term_presence(self, rows: IntArray) -> NDArray[np.bool_]:
        """(e, m) which of the terms each row (e,) holds."""
        return self.matches.term_presence[self.lexical_rows[rows]]

    @cached_property
    def terms(self) -> frozenset[str]:
        """The terms of its words, and of its names with numbers."""
        return frozenset(term for word in (*self.matches.terms, *self.matches.names) for term in word)

    @cached_property
    def asked(self) -> AskedTerms:
        """The terms of the m words as numbers."""
        return AskedTerms.of(self.matches.terms)

    @cached_property
    def weights(self) -> DoubleArray:
        """(m,) each word's share of the question's inverse document frequency, question words left out."""
        content = ~self.matches.function_words
        idf = np.where(content if content.any() else True, self.matches.idf, 0.0)
        return np.asarray(idf / max(idf.sum(), 1e-9))

    @cached_property
    def share(self) -> DoubleArray:
        """(n,) the fused score over the highest of those that may be ranked."""
        return np.asarray(self.hybrid / max(float(self.hybrid[self.order[0]]), 1e-9))


@dataclass(frozen=True, slots=True)
class Seeds:
    """The chunks that were expanded, as parallel arrays; a chunk of a later hop has its path's strength."""

    rows: IntArray
    strength: DoubleArray
    """In 0..1: the fused score over the highest, or what is left of it after several hops."""

    @classmethod
    def joined(cls, parts: Sequence[Seeds]) -> Seeds:
        """All parts, one after another."""
        return cls(
            np.concatenate([part.rows for part in parts]), np.concatenate([part.strength for part in parts])
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of hops for their candidates: name -> (e,).

    Of links each name of `BEST_LINK_FEATURES`, and `total`.
    """

    values: dict[str, DoubleArray]

    @property
    def total(self) -> DoubleArray:
        """(e,) by which a candidate's best hop is chosen, in 0..`HIGHEST_TOTAL`."""
        return self.values["total"]

    @classmethod
    def joined(cls, parts: Sequence[Evidence]) -> Evidence:
        """All parts, one after another."""
        return cls({name: np.concatenate([part.values[name] for part in parts]) for name in parts[0].values})


@dataclass(frozen=True, slots=True)
class Features:
    """(c, len(FEATURE_NAMES)) numbers for c candidates."""

    candidates: IntArray
    """(c,) rows, ascending."""
    values: FloatArray
    best_hop: IntArray
    """(c,) the number of the best link that leads to each; -1 where none does."""
    best_channel_hop: IntArray
    """(c,) the number of its best hop over another channel, likewise."""

    def parts(self, place: int) -> dict[str, float]:
        """The parts of a candidate's score that a result shows; the candidate is given by its place.

        `coverage` and `likeness` are its own; `pair_coverage`, `pair_dense` and `graph` are the best that
        hops give of the coverage of both texts, of the mean of both vectors, and of all in all.
        """
        values = self.values[place]
        score_parts = {name: values[_COLUMN[name]] for name in ("coverage", "likeness")}
        if self.best_hop[place] >= 0 or self.best_channel_hop[place] >= 0:
            for part, name in (
                ("pair_coverage", "pair_coverage"),
                ("pair_dense", "mean"),
                ("graph", "total"),
            ):
                score_parts[part] = max(values[_COLUMN[f"max_{name}"]], values[_COLUMN[f"max_tie_{name}"]])
        return {name: round(float(value), DECIMALS) for name, value in score_parts.items()}


def hop_priority(question: ScoredQuestion, seeds: Seeds) -> HopPriority:
    """The priority of hops from these seeds, by what the two ends of a hop alone cover of the question."""

    def of(rows: IntArray, candidates: IntArray) -> DoubleArray:
        strength = seeds.strength[_slots(seeds.rows, rows)]
        covered = (question.term_presence(rows) | question.term_presence(candidates)) @ question.weights
        return np.asarray(0.5 * strength + covered + 0.5 * question.dense[candidates])

    return of


def weigh(
    snapshot: Snapshot, chunk_table: ChunkTable, question: ScoredQuestion, seeds: Seeds, hops: LinkHops
) -> Evidence:
    """The evidence of each link hop for its candidate."""
    asked, weights = question.asked, question.weights
    slot = _slots(seeds.rows, hops.seed)
    target = np.where(hops.forward, hops.candidate, hops.seed)
    unit, window, heading = hops.surroundings(snapshot)

    def held(spans: TokenRanges) -> NDArray[np.bool_]:
        return asked.by_word(snapshot.positions.term_presence(spans, asked.hashes))

    units = held(unit) | held(heading)
    titles = chunk_table.in_titles(seeds.rows, asked)
    seed_title = (titles.sum(axis=1) / chunk_table.title_lengths(seeds.rows))[slot]
    pair_coverage = (units | question.term_presence(target)) @ weights
    mean = _mean(snapshot, question, hops.seed, hops.candidate)
    values = {
        "seed": seeds.strength[slot],
        "seed_log_rank": np.log(slot + 1.0),
        "seed_title": seed_title,
        "confidence": hops.confidence,
        "forward": hops.forward.astype(np.float64),
        "unit_coverage": units @ weights,
        "pair_coverage": pair_coverage,
        "mean": mean,
    }
    own = titles[slot] | chunk_table.in_titles(hops.candidate, asked)
    around = (held(window) & ~own) @ weights
    strength = 0.5 * values["seed"] + pair_coverage + 0.5 * around + 0.3 * seed_title + 0.5 * mean
    return Evidence(values | {"total": hops.confidence * strength})


def weigh_channel_hops(
    snapshot: Snapshot, question: ScoredQuestion, seeds: Seeds, channel_hops: ChannelHops
) -> Evidence:
    """The evidence of each hop over another channel for its candidate."""
    seed = seeds.strength[_slots(seeds.rows, channel_hops.seed)]
    covered = (
        question.term_presence(channel_hops.seed) | question.term_presence(channel_hops.candidate)
    ) @ question.weights
    mean = _mean(snapshot, question, channel_hops.seed, channel_hops.candidate)
    total = channel_hops.weight * (0.5 * seed + covered + 0.5 * mean)
    return Evidence({"seed": seed, "pair_coverage": covered, "mean": mean, "total": total})


def weigh_word_hops(snapshot: Snapshot, question: ScoredQuestion, hops: WordHops) -> Evidence:
    """The evidence of each hop over rare words for its candidate."""
    covered = (question.term_presence(hops.seed) | question.term_presence(hops.candidate)) @ question.weights
    mean = _mean(snapshot, question, hops.seed, hops.candidate)
    total = hops.weight * question.share[hops.seed] * (covered + 0.5 * mean)
    return Evidence({"weight": hops.weight, "pair_coverage": covered, "mean": mean, "total": total})


def likeness(snapshot: Snapshot, question: ScoredQuestion, rows: IntArray) -> DoubleArray:
    """(c,) in 0..1: how near the vectors of rows are to those of the flat ranking's first chunks.

    What answers a question is alike (van Rijsbergen 1979, "Information Retrieval", chapter 3), and the first
    chunks are likely to answer it. Each counts by how far its score stands out.
    """
    exemplars, beyond = question.order[:EXEMPLARS], question.order[: BEYOND_EXEMPLARS + 1][-1]
    weights = question.share[exemplars] - question.share[beyond]
    if weights.sum() <= 0:
        return np.zeros(len(rows))
    cosines = cosine(*(unit_rows(snapshot.vectors.take(each)) for each in (rows, exemplars)))
    near = np.clip((cosines - LEAST_COSINE) / (1 - LEAST_COSINE), 0, 1)
    return np.asarray(near @ (weights / weights.sum()))


def features(
    snapshot: Snapshot,
    question: ScoredQuestion,
    chunk_table: ChunkTable,
    seeds: Seeds,
    hops: LinkHops,
    evidence: Evidence,
    channel_hops: ChannelHops,
    channel_evidence: Evidence,
    words: WordHops,
) -> Features:
    """The features of the flat ranking's first chunks, and of what hops lead to."""
    word_evidence = weigh_word_hops(snapshot, question, words)
    led = words.candidate[np.argsort(-word_evidence.total, kind="stable")[:WORD_CANDIDATES]]
    candidates = np.unique(
        np.concatenate([question.order[:CANDIDATES], hops.candidate, channel_hops.candidate, led])
    )
    table = _own(snapshot, question, candidates, chunk_table)
    best_hop = _enter_links(table, candidates, seeds, hops, evidence)
    best_channel_hop = _enter_channel_hops(table, candidates, seeds, channel_hops, channel_evidence)
    _enter_word_hops(table, candidates, words, word_evidence)
    table |= {f"below_{name}": table[name] - table[name].max() for name in BELOW_HIGHEST_FEATURES}
    table |= {f"log_rank_{name}": _log_rank(table[name]) for name in RANK_FEATURES}
    table["top_coverage"] = np.full(len(candidates), table["coverage"].max(initial=0.0))
    values = np.column_stack([table[name] for name in FEATURE_NAMES]).astype(np.float32)
    return Features(candidates, values, best_hop, best_channel_hop)


def _enter_links(
    table: dict[str, DoubleArray], candidates: IntArray, seeds: Seeds, hops: LinkHops, evidence: Evidence
) -> IntArray:
    """Enters what links give; returns the best link to each candidate."""
    place = np.searchsorted(candidates, hops.candidate)
    best_hop = _best(place, evidence.total, len(candidates))
    linked = best_hop >= 0
    none = {"forward": -1.0, "seed_log_rank": np.log(UNRANKED + 1)}
    for name in BEST_LINK_FEATURES:
        column = np.full(len(candidates), none.get(name, 0.0))
        column[linked] = evidence.values[name][best_hop[linked]]
        table[f"edge_{name}"] = column
    for name in MAXIMUM_FEATURES:
        table[f"max_{name}"] = _highest(place, evidence.values[name], len(candidates))
    table["links"] = np.log1p(np.bincount(place, minlength=len(candidates)))
    slot, count = _slots(seeds.rows, hops.seed), len(seeds.rows)
    table["log_place"] = _log_place(place, slot, evidence.total, len(candidates))
    pairs = np.unique(place * count + slot)
    strengths = seeds.strength[pairs % count]
    table["seeds"] = np.bincount(pairs // count, strengths, len(candidates)).astype(np.float64)
    return best_hop


def _enter_channel_hops(
    table: dict[str, DoubleArray],
    candidates: IntArray,
    seeds: Seeds,
    channel_hops: ChannelHops,
    evidence: Evidence,
) -> IntArray:
    """Enters what hops over other channels give; returns the number of the best one to each candidate."""
    place, count = np.searchsorted(candidates, channel_hops.candidate), len(candidates)
    best_channel_hop = _best(place, evidence.total, count)
    table["tie_weight"] = np.where(
        best_channel_hop >= 0, np.append(channel_hops.weight, 0.0)[best_channel_hop], 0.0
    )
    for name in ("pair_coverage", "mean", "total"):
        table[f"max_tie_{name}"] = _highest(place, evidence.values[name], count)
    table["ties"] = np.log1p(np.bincount(place, minlength=count))
    strengths = np.bincount(place, channel_hops.weight * evidence.values["seed"], count)
    table["tie_seeds"] = strengths.astype(np.float64)
    slot = _slots(seeds.rows, channel_hops.seed)
    table["tie_log_place"] = _log_place(place, slot, evidence.total, count)
    return best_channel_hop


def _enter_word_hops(
    table: dict[str, DoubleArray], candidates: IntArray, hops: WordHops, evidence: Evidence
) -> None:
    """Enters what the best hop over rare words to each candidate gives."""
    place = np.searchsorted(candidates, hops.candidate)
    kept = np.append(candidates, -1)[place] == hops.candidate
    best = _best(place[kept], evidence.total[kept], len(candidates))
    for name in WORD_HOP_FEATURES:
        values = np.append(evidence.values[name.removeprefix("word_")][kept], 0.0)
        table[name] = values[best]


def _own(
    snapshot: Snapshot, question: ScoredQuestion, rows: IntArray, chunk_table: ChunkTable
) -> dict[str, DoubleArray]:
    rank = np.full(len(question.bm25), UNRANKED + 1.0)
    rank[question.order] = np.arange(1, len(question.order) + 1)
    titles = chunk_table.in_titles(rows, question.asked)
    return {
        "bm25": question.bm25[rows].astype(np.float64) / max(float(question.bm25.max()), 1e-9),
        "dense": question.dense[rows].astype(np.float64),
        "hybrid": question.share[rows],
        "log_rank": np.log(rank[rows]),
        "coverage": question.term_presence(rows) @ question.weights,
        "title_coverage": titles @ question.weights,
        "title_asked": titles.sum(axis=1) / chunk_table.title_lengths(rows),
        "likeness": likeness(snapshot, question, rows),
    }


def _mean(snapshot: Snapshot, question: ScoredQuestion, seeds: IntArray, candidates: IntArray) -> DoubleArray:
    """(e,) the cosine of the question with the mean of both vectors of each pair of rows."""
    between = _cosines(snapshot.vectors.take(seeds), snapshot.vectors.take(candidates))
    dense = question.dense[candidates].astype(np.float64) + question.dense[seeds]
    return np.asarray(dense / np.sqrt(2 + 2 * np.clip(between, -0.99, 1)))


def _cosines(left: FloatArray, right: FloatArray) -> DoubleArray:
    """(e,) of two (e, d) arrays, row by row; 0 if a row is nothing but zeros."""
    product, one, other = (
        np.einsum("ij,ij->i", *pair).astype(np.float64)
        for pair in ((left, right), (left, left), (right, right))
    )
    return np.asarray(product / np.maximum(np.sqrt(one * other), 1e-9))


def _slots(seeds: IntArray, rows: IntArray) -> IntArray:
    """The place among the seeds of each row, which is one of them."""
    order = np.argsort(seeds)
    return np.asarray(order[np.searchsorted(seeds[order], rows)])


def _best(place: IntArray, total: DoubleArray, count: int) -> IntArray:
    """(count,) for each place the position of the highest total, the last among equals; -1 for none."""
    order = np.lexsort((total, place))
    last = order[np.append(place[order][1:] != place[order][:-1], True)] if len(order) else order
    best = np.full(count, -1, np.int64)
    best[place[last]] = last
    return best


def _highest(place: IntArray, values: DoubleArray, count: int) -> DoubleArray:
    """(count,) for each place the highest value, at least 0."""
    highest = np.zeros(count)
    np.maximum.at(highest, place, values)
    return highest


def _log_place(place: IntArray, slot: IntArray, total: DoubleArray, count: int) -> DoubleArray:
    """(count,) ln of the best place that each candidate has among what its seed leads to."""
    places = np.full(count, np.log(UNRANKED + 1))
    np.minimum.at(places, place, np.log(_places(slot, total)))
    return places


def _places(slot: IntArray, total: DoubleArray) -> DoubleArray:
    """(e,) the place of each hop among those of its seed, from 1, the highest total first."""
    order = np.lexsort((-total, slot))
    first = np.searchsorted(slot[order], slot[order])
    places = np.empty(len(slot))
    places[order] = np.arange(len(slot)) - first + 1
    return places


def _log_rank(values: DoubleArray) -> DoubleArray:
    """Ln of each value's place among all, the highest first; equal values share the better place."""
    ordered = np.sort(values)
    return np.asarray(np.log(len(values) - np.searchsorted(ordered, values, side="right") + 1.0))
