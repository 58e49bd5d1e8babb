"""The table of rankings: how seeds and neighbours become one list, one module each.

`docs/architecture.md` says how to add one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from sage_ld.errors import InputError
from sage_ld.recipes import Ranking
from sage_ld.retrieval.inquiry import Inquiry
from sage_ld.retrieval.rankings import fixed_share, learned, random_walk, sagedb
from sage_ld.retrieval.rankings.ranked import Ranked, Reach
from sage_ld.settings import Settings


@dataclass(frozen=True, slots=True)
class RankingMethod:
    """One ranking: what it does, and what of it others have to know."""

    rank: Callable[[Inquiry, int, int], list[Ranked]]
    """The list for a question, `k` seeds and so many neighbours."""
    reach: Callable[[Inquiry, int], Reach]
    """What that list is chosen from, with `k` seeds."""
    fixed_shares: bool = False
    """Whether seeds and neighbours have places of their own, so that a short answer begins no longer one."""
    learned: bool = False
    """Whether it goes by the recipe's `model`, which `sage-ld tune` learns."""
    parameters: tuple[str, ...] = ()
    """The numbers of `recipes.Retrieval` that an answer tells only of this ranking."""


_SEEDED: Final = ("vector_seeds", "expansion_depth", "centrality", "centrality_damping")
_EXPANDED: Final = ("expanded_seeds", "connectivity_weight", "centrality_weight", "relationship_weight")
_FUSED: Final = ("vector_weight", "graph_weight")
RANKINGS: Final[Mapping[Ranking, RankingMethod]] = {
    Ranking.LEARNED: RankingMethod(learned.rank, learned.reach, learned=True),
    Ranking.SHARED: RankingMethod(fixed_share.rank, fixed_share.reach, fixed_shares=True),
    Ranking.PAGERANK: RankingMethod(
        random_walk.rank,
        random_walk.reach,
        parameters=("damping", "restart_power", "walk_share", "global_share"),
    ),
    Ranking.SAGEDB: RankingMethod(sagedb.rank, sagedb.reach, parameters=(*_SEEDED, *_EXPANDED, *_FUSED)),
    Ranking.SAGEDB_GRAPH: RankingMethod(
        sagedb.rank_by_graph, sagedb.reach, parameters=(*_SEEDED, *_EXPANDED)
    ),
    Ranking.SAGEDB_LEGACY: RankingMethod(
        sagedb.rank_legacy, sagedb.reach_seeds, parameters=(*_SEEDED, *_FUSED, "legacy_connectivity")
    ),
    Ranking.SAGEDB_VECTOR: RankingMethod(sagedb.rank_by_vector, sagedb.reach_seeds),
}


def client_rankings(settings: Settings) -> list[Ranking]:
    """The rankings that the setting `client_rankings` names, in the table's order.

    Raises InputError for a name of none.

    >>> [str(each) for each in client_rankings(Settings(client_rankings="shared, learned"))]
    ['learned', 'shared']
    """
    names = [name for each in settings.client_rankings.split(",") if (name := each.strip())]
    for name in names:
        if name not in RANKINGS:
            known = ", ".join(RANKINGS)
            raise InputError(f"setting client_rankings: {name[:40]!r} is not a ranking; choose from {known}")
    return [ranking for ranking in RANKINGS if ranking in names]
