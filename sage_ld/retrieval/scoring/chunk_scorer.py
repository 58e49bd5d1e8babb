"""The scores of one ranking for any chunks, in the form in which ensembles of other systems take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.recipes import Ranking, Retrieval
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval.rankings.table import RANKINGS
from sage_ld.retrieval.retriever import Retriever


class ChunkScorer:
    """A scorer of the chunks of a graph for questions, under the name of a ranking.

    Only rankings that score every chunk can do it: `bfs`, `sections` and `summaries`. `parameters` replace
    those of the graph's recipe. Raises InputError for another ranking, and for a parameter that is out of its
    range.
    """

    def __init__(self, graph: KnowledgeGraph, name: str = "bfs", parameters: Retrieval | None = None) -> None:
        scoring = {str(ranking): method.scores for ranking, method in RANKINGS.items() if method.scores}
        if name not in scoring:
            raise InputError(
                f"name: {name[:40]!r} is not a ranking that scores every chunk; give {' or '.join(scoring)}"
            )
        given = graph.recipe.retrieval if parameters is None else parameters
        self.name = name
        self._retriever = Retriever(graph, replace(given, ranking=Ranking(name)))
        self._scores = scoring[name]

    def get_scores(self, question: str, chunks: Sequence[str]) -> dict[int, float]:
        """The score, in 0..1, of each of some chunks (IRIs) that has one above 0, by its place among them.

        Raises NotFoundError if the graph is empty.
        """
        snapshot = self._retriever.graph.snapshot()
        rows = snapshot.vectors.rows(chunks).tolist()
        scores = self._scores(self._retriever.inquiry(snapshot, question))
        return {place: float(scores[row]) for place, row in enumerate(rows) if row >= 0 and scores[row] > 0}
