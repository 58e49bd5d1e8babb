"""Progress of long work: what the work calls between its steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with the name of a step, how much of it is done, and how much there is."""


def silent(step: str, done: int, total: int) -> None:
    """Takes progress and does nothing."""
