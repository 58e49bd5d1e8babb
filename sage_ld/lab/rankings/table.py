"""The rankings of the laboratory, which `retrieval.rankings.table` adds where they are installed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from sage_ld.foundation.recipes import Ranking
from sage_ld.lab.rankings import bfs, ensemble, random_walk, sagedb, sections, summaries
from sage_ld.retrieval.rankings.method import RankingMethod

_SEEDED: Final = ("vector_seeds", "expansion_depth", "centrality", "centrality_damping")
_EXPANDED: Final = ("expanded_seeds", "connectivity_weight", "centrality_weight", "relationship_weight")
_FUSED: Final = ("vector_weight", "graph_weight")
_SECTIONS: Final = ("coverage_share", "heading_share", "inheritance_decay")


def rankings(others: Mapping[Ranking, RankingMethod]) -> Mapping[Ranking, RankingMethod]:
    """The rankings of the laboratory; an ensemble fuses those and `others`."""
    own: dict[Ranking, RankingMethod] = {
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
    single = {**others, **own}
    ensembles = RankingMethod(
        partial(ensemble.order, single),
        partial(ensemble.reach, single),
        parameters=("members", "member_fusion", "rrf_constant"),
    )
    return {**own, Ranking.ENSEMBLE: ensembles}
