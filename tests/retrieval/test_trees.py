"""The learned ranking: scored as LightGBM scores it, kept as text, made for the features that there are."""

from __future__ import annotations

import lightgbm
import numpy as np
import pytest

from sage_ld.errors import InputError
from sage_ld.retrieval.features import FREE, NAMES
from sage_ld.retrieval.models import load_model
from sage_ld.retrieval.trees import Trees


@pytest.fixture(scope="module")
def booster() -> lightgbm.Booster:
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
    assert Trees.from_json(trees.to_json()).predict(rows) == pytest.approx(trees.predict(rows), abs=1e-6)


def test_the_shipped_model_is_for_the_features_that_there_are() -> None:
    model = load_model()
    assert model.names == NAMES
    assert model.feature.max() < len(NAMES)


@pytest.mark.parametrize("name", sorted(set(NAMES) - FREE))
def test_more_of_what_speaks_for_a_candidate_never_lowers_it(name: str) -> None:
    rows = np.random.default_rng(2).random((100, len(NAMES))).astype(np.float32)
    more = rows.copy()
    more[:, NAMES.index(name)] += 0.2
    assert (load_model().predict(more) >= load_model().predict(rows) - 1e-6).all()


@pytest.mark.parametrize("text", ["", "{}", '{"names": 1}'])
def test_a_damaged_model_is_named(text: str) -> None:
    with pytest.raises(InputError, match="the ranking model is damaged"):
        Trees.from_json(text)
