"""The difficulty of a question, by the part of the graph that it touches: features, points, a class.

`docs/structure.md` gives the formulas, and says how the cuts were fitted (`benchmarks/difficulty.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

RIVAL: Final = 0.7
LEXICAL_RIVAL: Final = 0.6
DENSE_RIVAL: Final = 0.8
SHARPNESS: Final = 10.0
"""By how much a chunk outweighs another whose score is 1 below it: e^10."""
DIMENSIONS: Final = ("multihop", "fragmentation", "subgraph_size", "branching", "dispersion")


class Difficulty(StrEnum):
    """The class of a question."""

    EASY = "EASY"
    MEDIUM = "MEDIUM"
    HARD = "HARD"


@dataclass(frozen=True, slots=True)
class SubgraphFeatures:
    """The features of the subgraph that a question touches."""

    query_node_count: int
    """Nodes that the question names; where it names none, those with which the flat ranking begins."""
    max_path_length: int
    """Edges on the longest of the shortest ways between two of them; 0 where no way joins any two."""
    mean_path_length: float
    """The mean of these."""
    component_count: int
    """Connected components."""
    mean_degree: float
    max_degree: int
    """Edges of the node that has most."""
    subgraph_node_count: int
    subgraph_edge_count: int
    doc_count: int
    """Documents of its chunks."""


@dataclass(frozen=True, slots=True)
class Separation:
    """The separation of the best chunks from the others by their flat scores."""

    rivals: int
    """Chunks whose fused score is at least `RIVAL` of the highest, which itself counts."""
    lexical_rivals: int
    """Likewise by BM25, at least `LEXICAL_RIVAL`."""
    dense_rivals: int
    """Likewise by the dense score, at least `DENSE_RIVAL`."""
    effective_documents: float
    """Over how many documents the fused scores of the first chunks spread."""


FEATURES: Final = tuple(each.name for kind in (SubgraphFeatures, Separation) for each in fields(kind))


def adjacency(pairs: IntArray, size: int) -> csr_matrix:
    """(size, size) the undirected edges between pairs of nodes (e, 2), each once, without loops.

    >>> adjacency(np.array([[0, 1], [1, 0], [2, 2]]), 3).toarray().tolist()
    [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    """
    from scipy.sparse import coo_matrix  # which no search needs

    ends = np.concatenate([pairs, pairs[:, ::-1]])
    ends = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    return coo_matrix((np.ones(len(ends), np.int64), (ends[:, 0], ends[:, 1])), shape=(size, size)).tocsr()


def subgraph_features(edges: csr_matrix, asked: IntArray, documents: IntArray) -> SubgraphFeatures:
    """The features of a subgraph of n nodes.

    `edges` (n, n) is its `adjacency`, `asked` are the nodes that the question names, `documents` is the
    document of each node that is a chunk. The work is that of a breadth-first search from each asked node.

    >>> chain = adjacency(np.array([[0, 1], [1, 2], [3, 4]]), 5)
    >>> found = subgraph_features(chain, np.array([0, 2, 3]), np.array([7, 7, 8]))
    >>> found.max_path_length, found.component_count, found.mean_degree, found.doc_count
    (2, 2, 1.2, 2)
    """
    from scipy.sparse.csgraph import connected_components, shortest_path

    degrees = np.diff(edges.indptr)
    lengths = shortest_path(edges, directed=False, unweighted=True, indices=asked)[:, asked]
    lengths = lengths[np.triu_indices(len(asked), 1)]
    lengths = lengths[np.isfinite(lengths)]
    return SubgraphFeatures(
        query_node_count=len(asked),
        max_path_length=int(lengths.max(initial=0)),
        mean_path_length=float(lengths.mean()) if len(lengths) else 0.0,
        component_count=int(connected_components(edges, directed=False)[0]),
        mean_degree=float(degrees.mean()) if len(degrees) else 0.0,
        max_degree=int(degrees.max(initial=0)),
        subgraph_node_count=edges.shape[0],
        subgraph_edge_count=int(edges.nnz // 2),
        doc_count=len(np.unique(documents)),
    )


def rivals(scores: FloatArray | DoubleArray, share: float) -> int:
    """The number of scores (n,) that reach a share of the highest; 0 where that is not above 0.

    >>> rivals(np.array([1.0, 0.8, 0.2]), 0.7)
    2
    """
    highest = scores.max(initial=0.0)
    return int((scores >= share * highest).sum()) if highest > 0 else 0


def effective_documents(scores: DoubleArray, documents: IntArray) -> float:
    """Over how many documents the scores (m,) of some chunks spread, each with its document (m,).

    A chunk weighs exp(`SHARPNESS` · score); with p the share of a document in all weights, it is
    exp(−Σ p ln p): 1 where one document has all of it, and m where each of m has as much.

    >>> round(effective_documents(np.array([0.5, 0.5, 0.5]), np.array([4, 7, 9])), 6)
    3.0
    """
    if not len(scores):
        return 0.0
    _, places = np.unique(documents, return_inverse=True)
    weights = np.bincount(places, np.exp(SHARPNESS * (scores - scores.max())))
    share = weights / weights.sum()
    return float(np.exp(-(share * np.log(share)).sum()))


class Dimension(NamedTuple):
    """One of the five numbers that make the total."""

    feature: str
    """One of `FEATURES`."""
    cuts: tuple[float, float]
    """The values from which it has one point and two; where the second is lower, up to which."""


@dataclass(frozen=True, slots=True)
class DifficultyModel:
    """The model that turns features into points, and points into a class."""

    dimensions: Mapping[str, Dimension]
    cuts: tuple[int, int]
    """The totals from which a question is MEDIUM, and HARD."""

    def points(self, features: Mapping[str, float]) -> dict[str, int]:
        """The points of each dimension, 0 to 2."""
        return {
            name: int(points(features[each.feature], each.cuts)) for name, each in self.dimensions.items()
        }

    def difficulty(self, total: int) -> Difficulty:
        """The class of a question with this total."""
        return tuple(Difficulty)[int(points(total, self.cuts))]

    def to_json(self) -> str:
        """The model as text that `from_json` reads."""
        dimensions = {name: each._asdict() for name, each in self.dimensions.items()}
        return json.dumps({"dimensions": dimensions, "cuts": self.cuts}, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> DifficultyModel:
        """The model that `to_json` wrote."""
        members = json.loads(text)
        dimensions = {
            name: Dimension(each["feature"], tuple(each["cuts"]))
            for name, each in members["dimensions"].items()
        }
        return cls(dimensions, tuple(members["cuts"]))


def points(values: ArrayLike, cuts: Sequence[float]) -> IntArray:
    """(q,) 0 to 2: how many of two cuts each of q values reaches, from below or, where they fall, from above.

    >>> points([1, 2, 3], (2, 3)).tolist(), points([1, 2, 3], (2, 1)).tolist()
    ([0, 1, 2], [2, 1, 0])
    """
    sign = 1 if cuts[0] <= cuts[1] else -1
    reached = sign * np.asarray(values)[..., np.newaxis] >= sign * np.asarray(cuts)
    return np.asarray(reached.sum(axis=-1))


@cache
def default_model() -> DifficultyModel:
    """The cuts that were fitted on the development sets (`benchmarks/difficulty.py`)."""
    return DifficultyModel.from_json(
        (files("sage_ld.retrieval.rankings.models") / "difficulty.json").read_text(encoding="utf-8")
    )
