"""The table of rankings: how seeds and neighbours become one list, one module each.

`docs/architecture.md` says how to add one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sage_ld.foundation.errors import InputError, UnavailableError
from sage_ld.foundation.lazy_imports import optional_module
from sage_ld.foundation.recipes import Ranking, Retrieval
from sage_ld.foundation.settings import Settings
from sage_ld.retrieval.rankings import fixed_share, learned
from sage_ld.retrieval.rankings.method import RankingMethod

_OWN: Final[Mapping[Ranking, RankingMethod]] = {
    Ranking.LEARNED: RankingMethod(learned.order, learned.reach, learned=True),
    Ranking.SHARED: RankingMethod(fixed_share.order, fixed_share.reach, fixed_shares=True),
}


def _rankings() -> Mapping[Ranking, RankingMethod]:
    lab = optional_module("sage_ld.lab.rankings.table")
    return _OWN if lab is None else {**_OWN, **lab.rankings(_OWN)}


RANKINGS: Final = _rankings()
"""Ranking -> how it ranks: the default and the paper's, and those of the laboratory where it is installed."""


def ranking_method(ranking: Ranking) -> RankingMethod:
    """The method of a ranking. Raises UnavailableError for one of the laboratory where that was left out."""
    if ranking not in RANKINGS:
        raise UnavailableError(
            f"ranking {ranking} is part of sage_ld.lab, which this installation lacks; install it, or choose "
            f"from {', '.join(RANKINGS)}"
        )
    return RANKINGS[ranking]


def client_rankings(settings: Settings) -> list[Ranking]:
    """The rankings that the setting `client_rankings` names, in the table's order.

    Raises InputError for a name of none, and for `ensemble` without those that it fuses by default.

    >>> [str(each) for each in client_rankings(Settings(client_rankings="shared, learned"))]
    ['learned', 'shared']
    """
    names = [name for each in settings.client_rankings.split(",") if (name := each.strip())]
    for name in names:
        if name not in RANKINGS:
            known = ", ".join(RANKINGS)
            raise InputError(f"setting client_rankings: {name[:40]!r} is not a ranking; choose from {known}")
    fused = [name for name in Retrieval().members if name not in names]
    if Ranking.ENSEMBLE in names and fused:
        raise InputError(
            f"setting client_rankings: ensemble fuses {', '.join(fused)} too unless a request names its "
            "members; name these as well"
        )
    return [ranking for ranking in RANKINGS if ranking in names]
