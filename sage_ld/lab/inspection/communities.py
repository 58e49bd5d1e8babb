"""Communities: groups of nodes with more edges inside than to others, and the groups in these.

They are found by the Louvain method (Blondel et al. 2008), as scikit-network has it, a community at a time:
when it is opened. The same edges give the same communities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from scipy.sparse import csr_matrix

from sage_ld.foundation.model import DoubleArray, IntArray


@dataclass(frozen=True, slots=True)
class Community:
    """A group of nodes."""

    members: IntArray
    """The members, those with the heaviest edges first."""
    scattered: tuple[IntArray, ...] = ()
    """Where it is what was left over: the groups in it, which have nothing in common but their size."""


_NO_PARTS: Final[tuple[Community, ...]] = ()


def everything(adjacency: csr_matrix) -> Community:
    """All n nodes, whose edges are a symmetric matrix (n, n) of weights."""
    strength = np.asarray(adjacency.sum(axis=1)).ravel()
    return Community(np.argsort(-strength, kind="stable"))


def parts_of(adjacency: csr_matrix, community: Community, most: int) -> tuple[Community, ...]:
    """The communities in a community, at most `most`, the larger ones first.

    There are none where it has no more than `most` nodes. What is joined to nothing is divided evenly.

    >>> pairs = csr_matrix(np.kron(np.eye(3), np.ones((2, 2))))
    >>> [part.members.tolist() for part in parts_of(pairs, everything(pairs), 4)]
    [[0, 1], [2, 3], [4, 5]]
    """
    if len(community.members) <= most:
        return _NO_PARTS
    if community.scattered:
        return _even(community.scattered, most)
    groups = _groups(adjacency, community.members)
    if len(groups) == 1:
        return _even(groups, most)
    if len(groups) <= most:
        return tuple(map(Community, groups))
    left = groups[most - 1 :]
    return *map(Community, groups[: most - 1]), Community(np.concatenate(left), tuple(left))


def _even(groups: Sequence[IntArray], most: int) -> tuple[Community, ...]:
    """Some groups in order, as communities of about the same size: no more than are needed, or `most`."""
    members = np.concatenate(groups)
    count = min(most, -(-len(members) // most))
    sizes = np.cumsum([len(each) for each in groups])
    bounds = np.searchsorted(sizes, np.arange(1, count) * len(members) / count)
    bins = [groups[begin:end] for begin, end in pairwise(np.unique([0, *bounds, len(groups)]).tolist())]
    if len(bins) == 1:
        pieces = np.array_split(members, count)
        return tuple(Community(each, (each,)) for each in pieces)
    return tuple(
        Community(each[0]) if len(each) == 1 else Community(np.concatenate(each), tuple(each))
        for each in bins
    )


def _groups(adjacency: csr_matrix, members: IntArray) -> list[IntArray]:
    """The communities among some nodes, the larger ones first; each keeps the order of `members`."""
    inner = adjacency[members][:, members].tocsr()
    if not inner.nnz:
        return [members]
    labels = _labels(inner)
    order = np.argsort(labels, kind="stable")
    groups = np.split(members[order], np.cumsum(np.bincount(labels))[:-1])
    return sorted((each for each in groups if len(each)), key=lambda each: -len(each))


def _labels(adjacency: csr_matrix) -> IntArray:
    """(n,) the number of each node's community."""
    from sknetwork.clustering import Louvain  # it takes a second to import

    method = Louvain(modularity="newman", random_state=0, return_probs=False, return_aggregate=False)
    return np.asarray(method.fit_predict(adjacency), np.int64)


def symmetric(ends: IntArray, weights: DoubleArray, size: int) -> csr_matrix:
    """The symmetric matrix (size, size) of edges (e, 2) with their weights, added up where there are several.

    >>> symmetric(np.array([[0, 1], [1, 0]]), np.array([1.0, 0.5]), 2).toarray().tolist()
    [[0.0, 1.5], [1.5, 0.0]]
    """
    matrix = csr_matrix((weights, (ends[:, 0], ends[:, 1])), shape=(size, size))
    return (matrix + matrix.T).tocsr()
