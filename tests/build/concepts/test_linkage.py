"""Complete linkage over a sparse graph, against scipy over the matrix of all pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sage_ld.build.concepts.candidates import indexed_pairs, near_pairs
from sage_ld.build.concepts.grouping import complete_linkage
from sage_ld.graph.indexes.vectors import nearest

THRESHOLD = 0.5


def unit_vectors(count: int, seed: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).standard_normal((count, 5)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def as_graph(pairs: np.ndarray, values: np.ndarray) -> dict[tuple[int, int], float]:
    return {(int(a), int(b)): float(v) for (a, b), v in zip(pairs, values, strict=True)}


@pytest.mark.parametrize("seed", range(5))
def test_the_groups_are_those_of_scipy(seed: int) -> None:
    vectors = unit_vectors(120, seed)
    distances = 1 - (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    labels = fcluster(linkage(distances, "complete"), 1 - THRESHOLD, "distance")
    expected = {tuple(np.flatnonzero(labels == label)) for label in labels}
    groups = complete_linkage(as_graph(*near_pairs(vectors, THRESHOLD)), len(vectors))
    assert {tuple(group) for group in groups} == {each for each in expected if len(each) > 1}
    assert len(groups) > 10


def by_hand(similarities: dict[tuple[int, int], float], most: int) -> list[list[int]]:
    """Merges the nearest two clusters, of equally near ones those of the lowest items, while two may."""
    clusters = [[item] for item in sorted({item for pair in similarities for item in pair})]
    while True:
        near = []
        for one, other in combinations(clusters, 2):
            pairs = [(min(a, b), max(a, b)) for a in one for b in other]
            if len(one) + len(other) <= most and all(pair in similarities for pair in pairs):
                near.append((-min(similarities[pair] for pair in pairs), one, other))
        if not near:
            return [each for each in clusters if len(each) > 1]
        _, one, other = min(near)
        clusters = sorted([*(each for each in clusters if each not in (one, other)), sorted(one + other)])


@pytest.mark.parametrize("seed", range(20))
def test_of_equally_near_groups_those_of_the_lowest_items_merge_first(seed: int) -> None:
    random = np.random.default_rng(seed)
    pairs = [pair for pair in combinations(range(14), 2) if random.random() < 0.9]
    graph = {tuple(pair): float(random.integers(1, 4)) for pair in random.permutation(pairs).tolist()}
    assert complete_linkage(graph, 6) == by_hand(graph, 6)


@pytest.mark.parametrize("most", [2, 3, 200])
@pytest.mark.parametrize("decimals", [1, 6])  # with one, many pairs are equally near
def test_components_are_grouped_one_by_one_with_the_same_result(decimals: int, most: int) -> None:
    pairs, values = near_pairs(unit_vectors(200, 1), 0.9)
    graph = as_graph(pairs, np.round(values, decimals))
    ends = np.array(list(graph)).T
    count, of = connected_components(coo_array((np.ones(len(graph)), ends), shape=(200, 200)), directed=False)
    parts = [np.flatnonzero(of == each).tolist() for each in range(count)]
    apart = [
        group
        for part in parts
        for group in complete_linkage({pair: graph[pair] for pair in graph if pair[0] in part}, most)
    ]
    assert sorted(apart) == complete_linkage(graph, most)
    assert sum(len(part) > 1 for part in parts) > 5


def test_no_group_is_larger_than_allowed_and_the_nearest_stay_together() -> None:
    graph = {(0, 1): 0.9, (0, 2): 0.8, (1, 2): 0.8, (2, 3): 0.7, (0, 3): 0.7, (1, 3): 0.7}
    assert complete_linkage(graph, 4) == [[0, 1, 2, 3]]
    assert complete_linkage(graph, 2) == [[0, 1], [2, 3]]


def test_an_index_gives_the_same_pairs_where_it_finds_all_neighbours() -> None:
    vectors = unit_vectors(80, 2)
    exact = as_graph(*near_pairs(vectors, THRESHOLD))
    assert as_graph(*indexed_pairs(vectors, THRESHOLD, nearest, 79)).keys() == exact.keys()
    assert as_graph(*indexed_pairs(vectors, THRESHOLD, nearest, 3)).keys() < exact.keys()
