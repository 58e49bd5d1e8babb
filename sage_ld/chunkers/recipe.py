"""How documents are cut: the numbers of a recipe."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sage_ld.errors import InputError


class Strategy(StrEnum):
    """How prose is cut; tables and records are cut alike in both."""

    DEFAULT = "default"
    PAPER = "paper"


@dataclass(frozen=True, slots=True)
class Chunking:
    """The recipe of a chunker; the defaults are the best that we know.

    >>> Chunking("paper").percentile
    80.0
    """

    strategy: str = Strategy.DEFAULT
    rows: int = 10
    """Rows of a table in a chunk (SAGE paper)."""
    least_rows: int = 5
    """A table's last chunk of fewer rows joins the one before (SAGE paper)."""
    target_tokens: int = 190
    """Word pieces that a piece of a long text should have; a text that fits whole stays whole."""
    max_tokens: int = 254
    """The most word pieces of a chunk where the encoder knows no limit."""
    heading_tokens: int = 64
    """The most word pieces of a chunk's heading; a quarter of the encoder's limit where that is less."""
    percentile: float = 80.0
    """`paper`: a break is where the distance of two windows is above this percentile, in 0..100."""
    window: int = 1
    """`paper`: neighbouring sentences on each side in a window."""
    least_sentences: int = 3
    """`paper`: a piece of fewer sentences joins the neighbour that it is nearer to."""

    def __post_init__(self) -> None:
        if self.strategy not in tuple(Strategy):
            raise InputError(f"chunking strategy {self.strategy!r}; choose one of {', '.join(Strategy)}")
        least = min(self.rows, self.least_rows, self.target_tokens, self.heading_tokens, self.max_tokens - 15)
        if least < 1:
            raise InputError(f"chunking {self}: a number below 1, or max_tokens below 16; give a larger one")
