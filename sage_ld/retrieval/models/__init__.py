"""Learned rankings that travel in the package; `benchmarks/learning.py` makes them."""

from __future__ import annotations

from functools import cache
from importlib import resources

from sage_ld.retrieval.trees import Trees


@cache
def load_model(name: str = "default") -> Trees:
    """The ranking `name`. Raises InputError where its file is damaged."""
    return Trees.from_json(resources.files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8"))
