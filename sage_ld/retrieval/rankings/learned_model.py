"""A learned ranking model: regression trees that score candidates, by how much of them the graph joins."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import DoubleArray, FloatArray
from sage_ld.retrieval.rankings.features import FEATURE_NAMES

MOST_LEAVES: Final = 64
"""Of one tree: a bit each."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The inner nodes of t trees, one of each a row; a smaller tree ends with nodes that send all left."""

    feature: NDArray[np.int32]
    """(nodes, t)"""
    threshold: FloatArray
    """(nodes, t, 1)"""
    ruled_out: NDArray[np.unsignedinteger]
    """(nodes, t, 1) the leaves on the left of each node, the first leaf as the lowest bit."""
    value: DoubleArray
    """(t, leaves)"""


@dataclass(frozen=True)
class Trees:
    """A boosted ensemble: each node sends a row left where its feature is at most the threshold."""

    names: tuple[str, ...]
    """The features that it was learned on, in the order of the columns."""
    feature: NDArray[np.int32]
    threshold: FloatArray
    children: NDArray[np.int32]
    """(2 nodes,) right and left child of each; a leaf is its own."""
    value: DoubleArray
    roots: NDArray[np.int32]

    def predict(self, rows: FloatArray) -> DoubleArray:
        """(n,) the sums over all trees for `rows` (n, features).

        As QuickScorer does (Lucchese et al. 2015): every node that sends a row right rules out the leaves on
        its left, and the first leaf that is left over is the row's.
        """
        plan, columns = self._plan, np.ascontiguousarray(rows.T)
        gone = np.zeros((len(self.roots), len(rows)), plan.ruled_out.dtype)
        for feature, threshold, left in zip(plan.feature, plan.threshold, plan.ruled_out, strict=True):
            gone |= (columns[feature] > threshold) * left
        first = ~gone & (gone + gone.dtype.type(1))
        leaf = np.frexp(first.astype(np.float32))[1] - 1
        return np.asarray(np.take_along_axis(plan.value, leaf, axis=1).sum(axis=0))

    @cached_property
    def _plan(self) -> _Plan:
        """Raises ValueError for a tree of too many leaves, or in which a node leads back to one above it."""
        trees = [self._tree(root) for root in self.roots.tolist()]
        depth = max(len(nodes) for nodes, _ in trees)
        width = max(len(leaves) for _, leaves in trees)
        shape = (depth, len(trees), 1)
        kind = next(each for each in (np.uint16, np.uint32, np.uint64) if width <= np.iinfo(each).bits)
        feature, threshold = np.zeros(shape[:2], np.int32), np.full(shape, np.inf, np.float32)
        ruled_out, value = np.zeros(shape, kind), np.zeros((len(trees), width))
        for tree, (nodes, leaves) in enumerate(trees):
            value[tree, : len(leaves)] = self.value[leaves]
            for at, (node, left) in enumerate(nodes):
                feature[at, tree], threshold[at, tree] = self.feature[node], self.threshold[node]
                ruled_out[at, tree] = left
        return _Plan(feature, threshold, ruled_out, value)

    def _tree(self, root: int) -> tuple[list[tuple[int, int]], list[int]]:
        """A tree's inner nodes, each with the leaves on its left as bits, and its leaves from the left."""
        nodes: list[tuple[int, int]] = []
        leaves: list[int] = []

        def walk(node: int) -> int:
            right, left = self.children[2 * node : 2 * node + 2].tolist()
            if right == node:
                leaves.append(node)
                return 1 << (len(leaves) - 1)
            if len(nodes) + 1 >= MOST_LEAVES:
                raise ValueError(
                    f"a tree of more than {MOST_LEAVES} leaves, or a node that leads back to one above it"
                )
            at = len(nodes)
            nodes.append((node, 0))
            below = walk(left)
            nodes[at] = (node, below)
            return below | walk(right)

        walk(root)
        return nodes, leaves

    def on(self, names: Sequence[str]) -> Trees:
        """The ensemble for rows whose columns are `names`. Raises InputError if one is missing."""
        if missing := sorted(set(self.names) - set(names)):
            raise InputError(
                f"the ranking model asks for {', '.join(missing)}, which this version of sage-ld does not "
                "measure; learn it again with sage-ld tune"
            )
        columns = np.array([names.index(name) for name in self.names], np.int32)
        return replace(self, names=tuple(names), feature=columns[self.feature])

    def joined(self, other: Trees) -> Trees:
        """The ensemble whose predictions are the sums of those of both, which have the same columns."""
        if self.names != other.names:
            raise InputError(f"two models of {len(self.names)} and {len(other.names)} other features")
        count = len(self.feature)
        return Trees(
            self.names,
            np.concatenate([self.feature, other.feature]),
            np.concatenate([self.threshold, other.threshold]),
            np.concatenate([self.children, other.children + count]),
            np.concatenate([self.value, other.value]),
            np.concatenate([self.roots, other.roots + count]),
        )

    def to_table(self) -> dict[str, list[Any]]:
        """The ensemble as lists of numbers and names, which `from_table` reads."""
        return {
            "names": list(self.names),
            "feature": self.feature.tolist(),
            "threshold": [float(str(each)) if np.isfinite(each) else None for each in self.threshold],
            "children": self.children.tolist(),
            "value": [round(float(each), 9) for each in self.value],
            "roots": self.roots.tolist(),
        }

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Trees:
        """Raises ValueError, KeyError, TypeError, OverflowError or RecursionError if it is no ensemble."""
        threshold = [np.inf if each is None else each for each in table["threshold"]]
        return cls(
            tuple(map(str, table["names"])),
            np.array(table["feature"], np.int32),
            np.array(threshold, np.float32),
            np.array(table["children"], np.int32),
            np.array(table["value"], np.float64),
            np.array(table["roots"], np.int32),
        )._checked()

    def _checked(self) -> Trees:
        """The ensemble, if every number in it leads to a node or a column. Raises ValueError."""
        nodes = len(self.feature)
        if not len(self.threshold) == len(self.value) == len(self.children) / 2 == nodes:
            raise ValueError("lists of different lengths")
        if np.isnan(self.threshold).any() or not np.isfinite(self.value).all():
            raise ValueError("a value that is not a number")
        for numbers, end in ((self.feature, len(self.names)), (self.children, nodes), (self.roots, nodes)):
            if not len(numbers) or numbers.min() < 0 or numbers.max() >= end:
                raise ValueError(f"a number outside 0..{end - 1}")
        _ = self._plan
        return self

    @classmethod
    def of_lightgbm(cls, dump: Mapping[str, Any], names: tuple[str, ...]) -> Trees:
        """From `Booster.dump_model()`."""
        nodes: list[tuple[int, float, int, int, float]] = []
        roots = [_add(tree["tree_structure"], nodes) for tree in dump["tree_info"]]
        feature, threshold, left, right, value = (np.array(column) for column in zip(*nodes, strict=True))
        children = np.stack([right, left], axis=1).astype(np.int32).ravel()
        return cls(
            names,
            feature.astype(np.int32),
            threshold.astype(np.float32),
            children,
            value.astype(np.float64),
            np.array(roots, np.int32),
        )


def _add(tree: Mapping[str, Any], nodes: list[tuple[int, float, int, int, float]]) -> int:
    number = len(nodes)
    if "leaf_value" in tree:
        nodes.append((0, np.inf, number, number, float(tree["leaf_value"])))
        return number
    nodes.append((0, 0.0, 0, 0, 0.0))
    left, right = _add(tree["left_child"], nodes), _add(tree["right_child"], nodes)
    nodes[number] = (int(tree["split_feature"]), float(tree["threshold"]), left, right, 0.0)
    return number


LIKENESS_WEIGHT: Final = 0.3
"""The weight of `likeness` beside the fused text score, where the graph joins nothing."""
JOINED: Final = (0.05, 0.1)
"""Shares of candidates that hops lead to: up to the first the trees count for nothing, from the second on
they alone count. The evidence that they were learned from is then there."""
FEW: Final = 50
"""Fewer candidates count as so many: of a handful, one that is joined says little."""
_LEAST: Final = 1e-3  # away from 0 and 1, whose logarithms are infinite
_HYBRID, _LIKENESS, _LINKS, _TIES = map(FEATURE_NAMES.index, ("hybrid", "likeness", "links", "ties"))


@dataclass(frozen=True)
class LearnedModel:
    """Trees for candidates that the graph joins, and the corrections that a user's judgements add to them."""

    trees: Trees
    corrections: Trees | None = None

    def logits(self, values: FloatArray) -> DoubleArray:
        """(c,) the scores of all candidates of a question, of which `values` (c, features) is the evidence.

        Without any hop, and without a candidate that is like the first ones, they have the order of the
        fused text scores.
        """
        text = (1 - LIKENESS_WEIGHT) * values[:, _HYBRID] + LIKENESS_WEIGHT * values[:, _LIKENESS]
        score = _LEAST + (1 - 2 * _LEAST) * np.clip(text.astype(np.float64), 0, 1)
        if (trust := _trust(values)) == 1:
            logits = self.trees.predict(values)
        elif trust > 0:
            logits = _logit(trust * logistic(self.trees.predict(values)) + (1 - trust) * score)
        else:
            logits = _logit(score)
        return logits if self.corrections is None else logits + self.corrections.predict(values)

    def corrected(self, trees: Trees) -> LearnedModel:
        """The model with further corrections."""
        known = self.corrections
        return replace(self, corrections=trees if known is None else known.joined(trees))

    def to_json(self) -> str:
        """The model as text that `from_json` reads."""
        parts = {"trees": self.trees, "corrections": self.corrections}
        tables = {name: None if part is None else part.to_table() for name, part in parts.items()}
        return json.dumps(tables, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> LearnedModel:
        """Raises InputError for a text that is not a model, or needs a feature that does not exist."""
        try:
            tables: dict[str, Any] = json.loads(text)
            if "names" in tables:
                raise InputError(
                    "the ranking model was learned by an older version of sage-ld; learn it again with "
                    "sage-ld tune"
                )
            trees, known = tables["trees"], tables["corrections"]
            model = Trees.from_table(trees)
            corrections = None if known is None else Trees.from_table(known)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise InputError(
                f"the ranking model is damaged ({error}); learn it again with sage-ld tune"
            ) from None
        return cls(model.on(FEATURE_NAMES), None if corrections is None else corrections.on(FEATURE_NAMES))


def logistic(logits: DoubleArray) -> DoubleArray:
    """(c,) the scores in 0..1."""
    return np.asarray(1 / (1 + np.exp(-logits)))


def _trust(values: FloatArray) -> float:
    """The weight of the trees, by the share of candidates that links or ties lead to."""
    joined = np.count_nonzero((values[:, _LINKS] > 0) | (values[:, _TIES] > 0))
    least, enough = JOINED
    return float(np.clip((joined / max(len(values), FEW) - least) / (enough - least), 0, 1))


def _logit(share: DoubleArray) -> DoubleArray:
    return np.asarray(np.log(share / (1 - share)))
