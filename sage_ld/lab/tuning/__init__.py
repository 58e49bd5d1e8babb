"""Tuning: a ranking learned from a user's own judgements, and what it gains, cross-validated."""

from sage_ld.lab.tuning.cross_validation import FOLDS, folds, held_out
from sage_ld.lab.tuning.examples import Example, Examples, collect, evidence, flat_run, run_of
from sage_ld.lab.tuning.feedback import FeedbackDataset, feedback_dataset
from sage_ld.lab.tuning.learning import Plan, learn
from sage_ld.lab.tuning.tune import Tuning, parameters, tune, tuning_json

__all__ = [
    "FOLDS",
    "Example",
    "Examples",
    "FeedbackDataset",
    "Plan",
    "Tuning",
    "collect",
    "evidence",
    "feedback_dataset",
    "flat_run",
    "folds",
    "held_out",
    "learn",
    "parameters",
    "run_of",
    "tune",
    "tuning_json",
]
