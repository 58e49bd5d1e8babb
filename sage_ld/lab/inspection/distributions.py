"""Distributions of counts: degrees, sizes of components and of concepts, as functions of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from sage_ld.foundation.model import IntArray


class Bin(NamedTuple):
    """The number of counts between two numbers, both inclusive."""

    least: int
    most: int
    number: int


@dataclass(frozen=True, slots=True)
class CountDistribution:
    """The distribution of n whole numbers."""

    count: int
    mean: float
    median: float
    percentile_95: float
    highest: int
    bins: tuple[Bin, ...]
    """0, 1, 2 to 3, 4 to 7 and so on, without those that are empty."""


def distribution(values: IntArray) -> CountDistribution:
    """The distribution of some counts (n,), none below 0; all numbers are 0 where there are none.

    >>> distribution(np.array([0, 1, 2, 3, 9])).bins
    (Bin(least=0, most=0, number=1), Bin(least=1, most=1, number=1), Bin(least=2, most=3, number=2), \
Bin(least=8, most=15, number=1))
    """
    if not len(values):
        return CountDistribution(0, 0.0, 0.0, 0.0, 0, ())
    exponents = np.frexp(values)[1]  # 0 -> 0, 1 -> 1, 2 and 3 -> 2, 4 to 7 -> 3
    bins = tuple(
        Bin(2 ** (number - 1) if number else 0, 2**number - 1, count)
        for number, count in enumerate(np.bincount(exponents).tolist())
        if count
    )
    median, high = np.quantile(values, [0.5, 0.95])
    return CountDistribution(
        len(values), float(values.mean()), float(median), float(high), int(values.max()), bins
    )


def degrees(ends: IntArray, size: int) -> IntArray:
    """(size,) how many of the edges (e, 2) each of `size` nodes is an end of; a loop counts twice.

    >>> degrees(np.array([[0, 1], [0, 2]]), 4).tolist()
    [2, 1, 1, 0]
    """
    return np.bincount(ends.ravel(), minlength=size)


def component_sizes(ends: IntArray, size: int) -> IntArray:
    """The numbers of nodes of the connected components of `size` nodes and the edges (e, 2), largest first.

    >>> component_sizes(np.array([[0, 1], [1, 2]]), 5).tolist()
    [3, 1, 1]
    """
    matrix = coo_matrix((np.ones(len(ends), np.int8), (ends[:, 0], ends[:, 1])), shape=(size, size))
    labels = connected_components(matrix, directed=False)[1]
    return np.sort(np.bincount(labels))[::-1]
