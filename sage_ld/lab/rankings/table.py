"""The rankings of the laboratory, which `retrieval.rankings.table` adds where they are installed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from sage_ld.foundation.recipes import Ranking
from sage_ld.lab.rankings import bfs, ensemble, pagerank, sagedb, sections, summaries
from sage_ld.retrieval.rankings.method import RankingMethod


def rankings(others: Mapping[Ranking, RankingMethod]) -> Mapping[Ranking, RankingMethod]:
    """The rankings of the laboratory; an ensemble fuses those and `others`."""
    own: dict[Ranking, RankingMethod] = {
        Ranking.PAGERANK: RankingMethod(pagerank.order, pagerank.reach),
        Ranking.SAGEDB: RankingMethod(sagedb.order, sagedb.reach),
        Ranking.SAGEDB_GRAPH: RankingMethod(sagedb.order_by_graph, sagedb.reach),
        Ranking.SAGEDB_LEGACY: RankingMethod(sagedb.order_legacy, sagedb.reach_seeds),
        Ranking.SAGEDB_VECTOR: RankingMethod(sagedb.order_by_vector, sagedb.reach_seeds),
        Ranking.SECTIONS: RankingMethod(sections.order, sections.reach, scores=sections.scores),
        Ranking.SUMMARIES: RankingMethod(summaries.order, summaries.reach, scores=summaries.scores),
        Ranking.BFS: RankingMethod(bfs.order, bfs.reach, scores=bfs.scores),
    }
    single = {**others, **own}
    ensembles = RankingMethod(partial(ensemble.order, single), partial(ensemble.reach, single))
    return {**own, Ranking.ENSEMBLE: ensembles}
