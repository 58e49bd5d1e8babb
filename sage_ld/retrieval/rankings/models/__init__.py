"""Learned rankings: those that travel in the package (`benchmarks/learning.py`), and those of recipes."""

from __future__ import annotations

from functools import cache
from importlib import resources

from sage_ld.foundation.errors import InputError
from sage_ld.retrieval.rankings.learned_model import LearnedModel

SHIPPED = ("default",)


@cache
def load_model(model: str = "default") -> LearnedModel:
    """The ranking of this name, or the one that the text holds, its features as `FEATURE_NAMES` has them.

    Raises InputError if it is neither, or needs a feature that does not exist.

    >>> load_model().corrections is None
    True
    """
    if model not in SHIPPED and not model.startswith("{"):
        raise InputError(
            f"ranking model {model[:40]!r} is neither {', '.join(SHIPPED)} nor what sage-ld tune wrote; "
            'leave `model` out, or write model = "default"'
        )
    if model in SHIPPED:
        model = resources.files(__name__).joinpath(f"{model}.json").read_text(encoding="utf-8")
    return LearnedModel.from_json(model)
