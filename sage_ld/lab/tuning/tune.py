"""A ranking for one's own questions: the shipped one, corrected by trees that are learned from judgements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.recipes import Retrieval, load_recipe
from sage_ld.lab.evaluation import Evaluation, Interval, as_json, compare
from sage_ld.lab.evaluation.bootstrap import LEAST_QUESTIONS, paired_bootstrap
from sage_ld.lab.tuning.cross_validation import FOLDS, folds, held_out
from sage_ld.lab.tuning.examples import Example, Examples, flat_run, run_of
from sage_ld.lab.tuning.learning import Plan, learn
from sage_ld.retrieval.rankings.learned_model import LearnedModel
from sage_ld.retrieval.rankings.models import load_model
from sage_ld.retrieval.rankings.table import ranking_method

DEFAULT = "default"
TUNED = "tuned"
FLAT = "flat"
HEADLINE = "ndcg@10"
"""The measure that says whether there is a gain: it sees grades and ranks, and is what the trees learn."""
ENOUGH = 50
"""Questions from which the trees may be as many and as large as the judgements bear."""
BUDGETS = (2, 5, 10, 20)


@dataclass(frozen=True, slots=True)
class Tuning:
    """A learned ranking, and its gain on questions from which it was not learned."""

    evaluation: Evaluation
    """The shipped ranking, the flat one, and the learned one, cross-validated."""
    learnable: int
    """Questions with something relevant among their candidates."""
    folds: int
    """`FOLDS`, or fewer where questions share so many documents that they make fewer groups."""
    plan: Plan
    model: LearnedModel
    """Learned from all questions."""

    @property
    def gain(self) -> Interval:
        """The gain over the shipped ranking on questions that were held out."""
        return self.evaluation.differences[TUNED][HEADLINE]

    @property
    def gain_over_flat(self) -> Interval:
        """The gain over the flat ranking, which follows no edges, on the same questions."""
        flat, tuned = (self.evaluation.modes[name].values[HEADLINE][:, None] for name in (FLAT, TUNED))
        return paired_bootstrap(flat, tuned)[0]

    @property
    def comparison(self) -> str:
        """One sentence: how the tuned ranking stands beside flat search."""
        return f"Against flat search: {_figures(self.gain_over_flat)}."

    @property
    def verdict(self) -> str:
        """One sentence: whether there is a gain over the shipped ranking."""
        gain = self.gain
        figures = _figures(gain)
        advice = "Keep the default recipe, or judge more questions."
        if not gain.significant:
            return f"No gain that is more than chance: {figures}. {advice}"
        if gain.high < 0:
            return f"The tuned ranking loses: {figures}. {advice}"
        return f"The tuned ranking gains: {figures}."


def _figures(gain: Interval) -> str:
    return (
        f"{HEADLINE} {100 * gain.difference:+.1f} points on questions held out, "
        f"95% interval [{100 * gain.low:+.1f}, {100 * gain.high:+.1f}]"
    )


def _interval_json(gain: Interval) -> dict[str, Any]:
    return {
        "measure": HEADLINE,
        "difference": round(gain.difference, 6),
        "low": round(gain.low, 6),
        "high": round(gain.high, 6),
        "significant": gain.significant,
    }


def parameters(own: Retrieval) -> Retrieval:
    """The parameters of the tuned search: the graph's, or the default ones if its ranking is not learned."""
    learned = own if ranking_method(own.ranking).learned else load_recipe("default").retrieval
    return replace(learned, model="default")


def plan_for(questions: int) -> Plan:
    """The plan of learning from a number of questions: `docs/tuning.md` has the trials behind it."""
    few = questions < ENOUGH
    return Plan(rounds=30 if few else 100, leaves=4 if few else 15, rate=0.05, least=20)


def tune(examples: Examples, advance: Callable[[], None] | None = None) -> Tuning:
    """Learns, and says by cross-validation what it gained. `advance` is called after each model.

    Raises InputError if fewer than `LEAST_QUESTIONS` questions can be learned from.
    """
    learnable = examples.learnable()
    if learnable < LEAST_QUESTIONS:
        raise InputError(
            f"{examples.dataset.name}: {learnable} of {len(examples.items)} questions have a relevant "
            f"document among their candidates, at least {LEAST_QUESTIONS} are needed; judge more questions, "
            "or see where these fail with sage-ld eval --explain"
        )
    prior, plan = load_model(), plan_for(learnable)

    def fit(seen: Sequence[Example]) -> LearnedModel:
        return learn(seen, plan, prior=prior)

    split = list(folds(examples.items, FOLDS))
    runs = {
        DEFAULT: run_of(examples.items, prior),
        FLAT: flat_run(examples.items),
        TUNED: held_out(examples.items, fit, split, advance),
    }
    evaluation = compare(examples.dataset, runs, BUDGETS, DEFAULT, examples.unknown)
    model = fit(examples.items)
    if advance is not None:
        advance()
    return Tuning(evaluation, learnable, len(split), plan, model)


def tuning_json(tuning: Tuning) -> dict[str, Any]:
    """One object: that of an evaluation, with how it was learned, both gains, and `verdict`."""
    return as_json(tuning.evaluation) | {
        "folds": tuning.folds,
        "learnable": tuning.learnable,
        "trees": {"rounds": tuning.plan.rounds, "leaves": tuning.plan.leaves, "rate": tuning.plan.rate},
        "gain": _interval_json(tuning.gain),
        "gainOverFlat": _interval_json(tuning.gain_over_flat),
        "verdict": tuning.verdict,
    }
