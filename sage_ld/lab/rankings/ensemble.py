"""The ranking `ensemble`: other rankings of the same question, fused by their ranks or their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from sage_ld.foundation.arrays import top_k
from sage_ld.foundation.model import DoubleArray, IntArray, PathStep
from sage_ld.foundation.recipes import Fusion, Ranking
from sage_ld.retrieval.rankings.method import Inquiry, Order, Paths, RankingMethod, Reach
from sage_ld.retrieval.scoring.scores import relative

DEPTH: Final = 100
"""Results of each member that are fused, at least, so that pages of an answer fit together."""


def order(
    methods: Mapping[Ranking, RankingMethod], inquiry: Inquiry, seed_count: int, neighbours: int
) -> Order:
    """The `seed_count + neighbours` first of the members' rankings, fused.

    The path of a result is that of the member that ranks it highest, the first of equal ones; it has the
    parts of all of them.
    """
    given, count = inquiry.parameters, seed_count + neighbours
    members = [methods[Ranking(name)] for name in given.members]
    orders = [_ordered(each, inquiry, seed_count, max(count, DEPTH)) for each in members]
    lists = [each.chunks for each in orders]
    iris = sorted({each.iri for found in lists for each in found})
    columns = {iri: column for column, iri in enumerate(iris)}
    places = np.full((len(lists), len(iris)), -1)
    scores = np.zeros(places.shape)
    for member, found in enumerate(lists):
        at = [columns[each.iri] for each in found]
        places[member, at] = np.arange(len(found))
        scores[member, at] = relative(np.array([each.score for each in found]))
    weights = np.array([given.members[name] for name in given.members])
    fused = FUSIONS[given.member_fusion](places, scores, weights, given.rrf_constant)
    best = np.where(places < 0, np.iinfo(places.dtype).max, places).argmin(axis=0)
    results, tellers = [], {}
    for column in top_k(fused, iris, count).tolist():
        told = [lists[member][place] for member, place in enumerate(places[:, column]) if place >= 0]
        teller = int(best[column])
        shown = lists[teller][places[teller, column]]
        tellers[shown.iri] = teller
        merged = {name: value for each in (*told, shown) for name, value in each.parts.items()}
        results.append(replace(shown, score=float(fused[column]), parts=merged))
    return Order(results, partial(_paths, orders, tellers))


def reach(methods: Mapping[Ranking, RankingMethod], inquiry: Inquiry, seed_count: int) -> Reach:
    """The chunks that any member starts from or reaches."""
    reaches = [methods[Ranking(name)].reach(inquiry, seed_count) for name in inquiry.parameters.members]
    seeds, reached = (np.unique(np.concatenate(each)) for each in zip(*reaches, strict=True))
    return Reach(seeds, reached)


def by_ranks(places: IntArray, _scores: DoubleArray, weights: DoubleArray, constant: int) -> DoubleArray:
    """(c,) reciprocal rank fusion (Cormack, Clarke and Büttcher 2009) of the rankings of several members.

    `places` (members, c) has the place of each chunk in each list, from 0; -1 where it is not there. The
    score is the sum of weight / (constant + rank), scaled so that a chunk that is first in all has 1.

    >>> by_ranks(np.array([[0, 1], [0, -1]]), np.zeros((2, 2)), np.array([1.0, 3.0]), 1).round(3).tolist()
    [1.0, 0.167]
    """
    shares = np.where(places >= 0, 1 / (constant + places + 1.0), 0.0)
    return np.asarray((constant + 1) * (weights @ shares) / weights.sum())


def by_scores(_places: IntArray, scores: DoubleArray, weights: DoubleArray, _constant: int) -> DoubleArray:
    """(c,) the weighted mean of the members' scores (members, c), each over the highest of its list.

    >>> by_scores(np.zeros((2, 2)), np.array([[1.0, 0.0], [0.5, 1.0]]), np.array([3.0, 1.0]), 60).tolist()
    [0.875, 0.25]
    """
    return np.asarray(weights @ scores / weights.sum())


FUSIONS: Final = {Fusion.RRF: by_ranks, Fusion.CONVEX: by_scores}


def _ordered(method: RankingMethod, inquiry: Inquiry, seed_count: int, depth: int) -> Order:
    seeds = depth // 2 if method.fixed_shares else seed_count
    return method.order(inquiry, seeds, depth - seeds)


def _paths(orders: Sequence[Order], tellers: Mapping[str, int], iris: Sequence[str]) -> Paths:
    """The paths of some chunks, each by the member that ranks it highest."""
    paths: dict[str, tuple[PathStep, ...]] = {}
    for member, each in enumerate(orders):
        if told := [iri for iri in iris if tellers[iri] == member]:
            paths.update(each.paths(told))
    return paths
