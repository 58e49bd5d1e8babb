"""The parameters of reasoning with code, with the values of SAGE-CODE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final

from sage_ld.foundation.errors import InputError

DEFAULT_BOOSTS: Final[Mapping[str, float]] = {
    "record": 0.4,
    "table": 0.4,
    "entity": 0.3,
    "document": 0.2,
    "section": 0.2,
}
"""The gain of a node's score by its kind: chunks of data most, then what joins or holds them."""
_MOST: Final = 1_000


@dataclass(frozen=True, slots=True)
class ReasoningParameters:
    """The limits of a reasoning. Raises InputError for a value out of its range.

    >>> ReasoningParameters(n_hops=0)
    Traceback (most recent call last):
    sage_ld.foundation.errors.InputError: n_hops: 0 is out of range; give 1 to 1,000
    """

    n_hops: int = 3
    """Steps at which the model chooses to compute, to walk on or to answer."""
    top_k: int = 15
    """Nodes, the best, that a step shows; if words find fewer, nodes of fitting types are added."""
    beam_width: int = 20
    """Nodes that are kept from one step to the next."""
    selection_batch_size: int = 20
    """Nodes that the model scores in one call."""
    max_candidates_to_score: int = 40
    """Nodes that it scores at a time, those of the most words in common."""
    max_code_retries: int = 3
    """How often it may repair a statement that failed."""
    max_llm_calls: int = 10
    """Calls for one question; one is kept for the answer."""
    max_seconds: float = 45.0
    """Time for one question."""
    max_tables: int = 8
    """Tables that prompts describe."""
    boosts: Mapping[str, float] = field(default_factory=lambda: DEFAULT_BOOSTS)
    """What the score by words, in 0..1, gains by a node's kind: `text`, `table`, `record`, `entity`, …"""

    def __post_init__(self) -> None:
        for each in fields(self):
            value, least = getattr(self, each.name), 0 if each.name == "max_code_retries" else 1
            if isinstance(value, int | float) and not least <= value <= _MOST:
                raise InputError(f"{each.name}: {value:,} is out of range; give {least} to {_MOST:,}")
