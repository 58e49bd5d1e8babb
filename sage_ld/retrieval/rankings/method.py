"""The type of a row in the table of rankings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sage_ld.foundation.model import DoubleArray
from sage_ld.retrieval.inquiry import Inquiry
from sage_ld.retrieval.rankings.ranked import Order, Ranked, Reach


@dataclass(frozen=True, slots=True)
class RankingMethod:
    """One ranking: what it does, and what of it others have to know."""

    order: Callable[[Inquiry, int, int], Order]
    """The list for a question, `k` seeds and `neighbours` neighbours."""
    reach: Callable[[Inquiry, int], Reach]
    """What that list is chosen from, with `k` seeds."""
    fixed_shares: bool = False
    """Whether seeds and neighbours have places of their own, so that a short answer begins no longer one."""
    learned: bool = False
    """Whether it goes by the recipe's `model`, which `sage-ld tune` learns."""
    scores: Callable[[Inquiry], DoubleArray] | None = None
    """(n,) the score of every chunk by which it ranks, in 0..1; None where it scores candidates alone."""

    def rank(self, inquiry: Inquiry, k: int, neighbours: int) -> list[Ranked]:
        """The list with its paths."""
        found = self.order(inquiry, k, neighbours)
        return found.with_paths(found.chunks)
