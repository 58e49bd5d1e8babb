"""Learning to rank with LambdaMART (Burges 2010), regression trees by LightGBM.

More of what speaks for a candidate never lowers it: the trees are held to that for every feature that is not
in `UNCONSTRAINED_FEATURES`, which is also what keeps a model of few questions from learning their chances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sage_ld.foundation import extras
from sage_ld.foundation.errors import InputError
from sage_ld.lab.tuning.examples import Example
from sage_ld.retrieval.rankings.features import FEATURE_NAMES, UNCONSTRAINED_FEATURES
from sage_ld.retrieval.rankings.learned_model import LearnedModel, Trees

_FIXED = {
    "objective": "lambdarank",
    "feature_fraction": 0.6,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "lambdarank_truncation_level": 100,
    "max_bin": 63,
    "seed": 7,
    "deterministic": True,
    "force_col_wise": True,
    "num_threads": 1,  # several spin while other processes work, and take five times as long
    "verbosity": -1,
}


@dataclass(frozen=True, slots=True)
class Plan:
    """The size of a model and its features; the defaults fit two thousand questions: the shipped ranking."""

    rounds: int = 150
    """How many trees."""
    leaves: int = 15
    """The most leaves of a tree."""
    rate: float = 0.07
    """The share of a tree that is added."""
    least: int = 50
    """The fewest candidates in a leaf."""
    features: tuple[str, ...] = FEATURE_NAMES
    """The evidence that is looked at."""


def learn(
    examples: Sequence[Example],
    plan: Plan | None = None,
    weights: Sequence[float] | None = None,
    prior: LearnedModel | None = None,
) -> LearnedModel:
    """A ranking of the examples, each with the weight given; `prior` is what the trees are added to.

    Raises InputError if no example has anything relevant among its candidates, UnavailableError if
    LightGBM cannot be loaded.
    """
    plan = plan or Plan()
    weights = [1.0] * len(examples) if weights is None else weights
    chosen = [(each, w) for each, w in zip(examples, weights, strict=True) if each.gains.any()]
    if not chosen:
        raise InputError(
            f"none of {len(examples)} questions has a relevant document among its candidates: there is "
            "nothing to learn; see where they fail with sage-ld eval --explain"
        )
    booster = _train(chosen, plan, prior)
    grown = Trees.of_lightgbm(booster.dump_model(), plan.features).on(FEATURE_NAMES)
    return LearnedModel(grown) if prior is None else prior.corrected(grown)


def _train(chosen: Sequence[tuple[Example, float]], plan: Plan, prior: LearnedModel | None) -> Any:
    lightgbm = extras.load("lightgbm", extras.TUNING)
    columns = [FEATURE_NAMES.index(name) for name in plan.features]
    values = np.concatenate([each.values for each, _ in chosen])
    gains = np.concatenate([each.gains for each, _ in chosen])
    sizes = [len(each.gains) for each, _ in chosen]
    weight = np.repeat([w for _, w in chosen], sizes)
    levels = np.unique(np.append(gains, 0.0))
    data = lightgbm.Dataset(
        values[:, columns],
        np.searchsorted(levels, gains),
        group=sizes,
        weight=weight / weight.mean(),
        init_score=None
        if prior is None
        else np.concatenate([prior.logits(each.values) for each, _ in chosen]),
        params={"max_bin": _FIXED["max_bin"], "verbosity": -1},
    )
    return lightgbm.train(_parameters(plan, levels.tolist()), data, plan.rounds)


def _parameters(plan: Plan, gains: list[float]) -> dict[str, object]:
    return _FIXED | {
        "num_leaves": plan.leaves,
        "learning_rate": plan.rate,
        "min_data_in_leaf": plan.least,
        "label_gain": gains,
        "monotone_constraints": [0 if name in UNCONSTRAINED_FEATURES else 1 for name in plan.features],
    }
