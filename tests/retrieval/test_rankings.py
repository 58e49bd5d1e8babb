"""The table of rankings: each row keeps what it promises."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.parameters import parameters
from sage_ld.foundation.recipes import Ranking, Retrieval
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.rankings.table import RANKINGS, client_rankings

QUESTION = "Who wrote the music of the film that won the Golden Heron in 1987?"


def test_every_ranking_has_a_row_and_every_parameter_names_rankings() -> None:
    assert set(RANKINGS) == set(Ranking)
    assert {name for each in parameters(Retrieval).values() for name in each.rankings} <= set(Ranking)


@pytest.mark.parametrize("ranking", Ranking)
def test_all_that_is_ranked_is_within_reach(graph: KnowledgeGraph, ranking: Ranking) -> None:
    retriever = Retriever(graph, replace(graph.recipe.retrieval, ranking=ranking, pool=3))
    snapshot, method = graph.snapshot(), RANKINGS[ranking]
    inquiry = retriever.inquiry(snapshot, QUESTION)
    seeds, reached = (set(rows.tolist()) for rows in method.reach(inquiry, 3))
    for each in method.rank(inquiry, 3, 6):
        if each.path:
            assert int(snapshot.vectors.rows([each.iri])[0]) in seeds | reached


@pytest.mark.parametrize("ranking", Ranking)
def test_a_short_answer_begins_a_long_one_but_where_shares_are_fixed(
    graph: KnowledgeGraph, ranking: Ranking
) -> None:
    retriever = Retriever(graph, replace(graph.recipe.retrieval, ranking=ranking))
    short, long = ([result.view.iri for result in retriever.retrieve(QUESTION, k).results] for k in (4, 10))
    assert (long[:4] == short) is not RANKINGS[ranking].fixed_shares


def test_an_unknown_ranking_for_clients_is_named() -> None:
    assert client_rankings(Settings()) == [Ranking.LEARNED, Ranking.SHARED]
    with pytest.raises(InputError, match="client_rankings: 'lerned' is not a ranking"):
        client_rankings(Settings(client_rankings="lerned,shared"))
    with pytest.raises(InputError, match="ensemble fuses bfs, sections too unless"):
        client_rankings(Settings(client_rankings="learned,shared,ensemble"))
    every = client_rankings(Settings(client_rankings="learned,bfs,sections,ensemble"))
    assert every == [Ranking.LEARNED, Ranking.SECTIONS, Ranking.BFS, Ranking.ENSEMBLE]
