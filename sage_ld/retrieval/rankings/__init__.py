"""The table of rankings: how seeds and neighbours become one list, one module each.

`docs/architecture.md` says how to add one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from sage_ld.errors import InputError
from sage_ld.recipes import Ranking, Retrieval
from sage_ld.retrieval.rankings import (
    bfs,
    ensemble,
    fixed_share,
    learned,
    random_walk,
    sagedb,
    sections,
    summaries,
)
from sage_ld.retrieval.rankings.method import RankingMethod
from sage_ld.settings import Settings

_SEEDED: Final = ("vector_seeds", "expansion_depth", "centrality", "centrality_damping")
_EXPANDED: Final = ("expanded_seeds", "connectivity_weight", "centrality_weight", "relationship_weight")
_FUSED: Final = ("vector_weight", "graph_weight")
_SECTIONS: Final = ("coverage_share", "heading_share", "inheritance_decay")
_SINGLE: Final[Mapping[Ranking, RankingMethod]] = {
    Ranking.LEARNED: RankingMethod(learned.order, learned.reach, learned=True),
    Ranking.SHARED: RankingMethod(fixed_share.order, fixed_share.reach, fixed_shares=True),
    Ranking.PAGERANK: RankingMethod(
        random_walk.order,
        random_walk.reach,
        parameters=("damping", "restart_power", "walk_share", "global_share"),
    ),
    Ranking.SAGEDB: RankingMethod(sagedb.order, sagedb.reach, parameters=(*_SEEDED, *_EXPANDED, *_FUSED)),
    Ranking.SAGEDB_GRAPH: RankingMethod(
        sagedb.order_by_graph, sagedb.reach, parameters=(*_SEEDED, *_EXPANDED)
    ),
    Ranking.SAGEDB_LEGACY: RankingMethod(
        sagedb.order_legacy, sagedb.reach_seeds, parameters=(*_SEEDED, *_FUSED, "legacy_connectivity")
    ),
    Ranking.SAGEDB_VECTOR: RankingMethod(sagedb.order_by_vector, sagedb.reach_seeds),
    Ranking.SECTIONS: RankingMethod(
        sections.order, sections.reach, parameters=_SECTIONS, scores=sections.scores
    ),
    Ranking.SUMMARIES: RankingMethod(
        summaries.order, summaries.reach, parameters=("summary_weight",), scores=summaries.scores
    ),
    Ranking.BFS: RankingMethod(
        bfs.order, bfs.reach, parameters=("neighbour_weight", "nearest_entities"), scores=bfs.scores
    ),
}
RANKINGS: Final[Mapping[Ranking, RankingMethod]] = {
    **_SINGLE,
    Ranking.ENSEMBLE: RankingMethod(
        partial(ensemble.order, _SINGLE),
        partial(ensemble.reach, _SINGLE),
        parameters=("members", "member_fusion", "rrf_constant"),
    ),
}


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
