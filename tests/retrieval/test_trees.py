"""Regression trees: scored as LightGBM scores them, kept as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from sage_ld.foundation.errors import InputError
from sage_ld.retrieval.rankings.learned_model import Trees

if TYPE_CHECKING:
    import lightgbm


@pytest.fixture(scope="module")
def booster() -> lightgbm.Booster:
    import lightgbm

    random = np.random.default_rng(0)
    rows = random.random((500, 5)).astype(np.float32)
    grades = (rows[:, 0] * rows[:, 1] > 0.3).astype(int)
    data = lightgbm.Dataset(rows, grades, group=[50] * 10)
    given = {"objective": "lambdarank", "num_leaves": 7, "verbosity": -1, "num_threads": 1, "seed": 1}
    return lightgbm.train(given, data, 20)


def test_trees_score_as_lightgbm_does(booster: lightgbm.Booster) -> None:
    rows = np.random.default_rng(1).random((200, 5)).astype(np.float32)
    trees = Trees.of_lightgbm(booster.dump_model(), tuple("abcde"))
    assert trees.predict(rows) == pytest.approx(booster.predict(rows), abs=1e-6)
    assert Trees.from_table(trees.to_table()).predict(rows) == pytest.approx(trees.predict(rows), abs=1e-6)


@pytest.mark.parametrize("leaves", [3, 16, 17, 33, 64])
def test_trees_of_any_size_score_as_lightgbm_does(leaves: int) -> None:
    import lightgbm

    random = np.random.default_rng(leaves)
    rows = random.random((4000, 5)).astype(np.float32)
    data = lightgbm.Dataset(rows, np.sin(9 * rows[:, 0]) * rows[:, 1] + rows[:, 2])
    given = {"num_leaves": leaves, "min_data_in_leaf": 5, "verbosity": -1, "num_threads": 1, "seed": 1}
    booster = lightgbm.train(given, data, 5)
    trees = Trees.of_lightgbm(booster.dump_model(), tuple("abcde"))
    assert (trees.children[::2] == np.arange(len(trees.feature))).sum() == 5 * leaves
    assert trees.predict(rows) == pytest.approx(booster.predict(rows), abs=1e-6)


def test_a_tree_of_too_many_leaves_is_refused() -> None:
    """A chain: each node has a leaf on its left and the next node on its right."""
    children = [each for node in range(0, 128, 2) for each in (node + 2, node + 1, node + 1, node + 1)]
    table = {
        "names": ["a"], "feature": [0] * 129, "threshold": [0.5] * 129, "children": [*children, 128, 128],
        "value": [0.0] * 129, "roots": [0],
    }  # fmt: skip
    with pytest.raises(ValueError, match="more than 64 leaves"):
        Trees.from_table(table)


def test_columns_may_stand_in_another_order(booster: lightgbm.Booster) -> None:
    rows = np.random.default_rng(1).random((200, 5)).astype(np.float32)
    trees = Trees.of_lightgbm(booster.dump_model(), tuple("abcde"))
    moved = trees.on(tuple("xecdba"))
    wider = np.column_stack([np.zeros(200, np.float32), rows[:, [4, 2, 3, 1, 0]]])
    assert moved.predict(wider) == pytest.approx(trees.predict(rows))
    with pytest.raises(InputError, match="asks for c, d, e, which this version"):
        trees.on(("a", "b"))


def test_joined_trees_add_up(booster: lightgbm.Booster) -> None:
    rows = np.random.default_rng(1).random((200, 5)).astype(np.float32)
    trees = Trees.of_lightgbm(booster.dump_model(), tuple("abcde"))
    assert trees.joined(trees).predict(rows) == pytest.approx(2 * trees.predict(rows))
    with pytest.raises(InputError, match="other features"):
        trees.joined(trees.on(tuple("edcba")))


DAMAGED = (
    ({"feature": [9, 0, 0]}, r"outside 0\.\.0"),
    ({"children": [2, 7, 1, 1, 2, 2]}, r"outside 0\.\.2"),
    ({"roots": []}, "outside"),
    ({"value": [0.0]}, "different lengths"),
    ({"children": [2, 1, 0, 0, 2, 2]}, "leads back"),
    ({"value": [0.0, None, 1.0]}, "not a number"),
    ({"value": [0.0, float("inf"), 1.0]}, "not a number"),
    ({"threshold": [float("nan"), None, None]}, "not a number"),
)


@pytest.mark.parametrize(("change", "message"), DAMAGED)
def test_a_model_that_leads_nowhere_is_named(change: dict[str, object], message: str) -> None:
    whole = {
        "names": ["a"],
        "feature": [0, 0, 0],
        "threshold": [0.5, None, None],
        "children": [2, 1, 1, 1, 2, 2],
        "value": [0.0, -1.0, 1.0],
        "roots": [0],
    }
    rows = np.array([[0.2], [0.9]], np.float32)
    assert Trees.from_table(whole).predict(rows).tolist() == [-1, 1]
    with pytest.raises(ValueError, match=message):
        Trees.from_table(whole | change)
