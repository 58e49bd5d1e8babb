"""Why a chunk is, or is not, in an answer; and which of its words match."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sage_ld.foundation.channels import CHANNEL_NAMES
from sage_ld.foundation.deadline import deadline
from sage_ld.foundation.errors import NotFoundError, TimeLimitError
from sage_ld.foundation.model import ChunkView
from sage_ld.foundation.question import Filter
from sage_ld.foundation.recipes import Ranking
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.store.directory import Directory
from sage_ld.retrieval import Mode, Retriever
from sage_ld.retrieval.answers.explanation import ChunkExplanation, Verdict
from sage_ld.retrieval.answers.highlights import _WORD, _term, highlights
from sage_ld.retrieval.answers.reasons import reason
from sage_ld.retrieval.chunks.chunk_table import chunk_views

QUESTION = "Who wrote the music of the film that won the Golden Heron in 1987?"
CONDITIONS = {"kinds": ("table",), "documents": ("heron.md",), "where": ('schema:name "Nothing"',)}


def every(graph: KnowledgeGraph) -> list[str]:
    return list(graph.snapshot().vectors.iris)


RANKED = [(Mode.SAGE, each) for each in Ranking] + [
    (each, Ranking.LEARNED) for each in Mode if each is not Mode.SAGE
]
"""Each ranking, and the modes of flat search, which have one ranking of their own."""


@pytest.mark.parametrize(("mode", "ranking"), RANKED)
@pytest.mark.parametrize("offset", [0, 2])
def test_what_is_explained_is_what_is_answered(
    graph: KnowledgeGraph, mode: Mode, ranking: Ranking, offset: int
) -> None:
    """Every chunk is a result, or one of the reasons why not; places and scores are those of the answers."""
    given = replace(graph.recipe.retrieval, ranking=ranking, channels=("link", "structure"))
    retriever = Retriever(graph, given)
    answer = retriever.retrieve(QUESTION, 3, 1, mode=mode, offset=offset)
    results = {each.view.iri: each for each in answer.results}
    for iri in every(graph):
        found = retriever.explain(QUESTION, iri, 3, 1, mode=mode, offset=offset)
        standing = found.standing
        assert (standing.verdict is Verdict.RESULT) == (iri in results), reason(found)
        if result := results.get(iri):
            assert (standing.rank, standing.score, standing.role) == (result.rank, result.score, result.role)
            assert result.path == standing.path
            assert standing.parts == result.parts
        elif standing.rank is not None:
            [remedy] = standing.remedies
            assert remedy.rank == standing.rank
        for flat in standing.flat:
            ranked = retriever.retrieve(QUESTION, len(every(graph)), 0, mode=flat.ranking).results
            if flat.place is not None:
                assert ranked[flat.place - 1].view.iri == iri


def test_a_budget_that_is_enough_is_enough(graph: KnowledgeGraph) -> None:
    retriever = Retriever(graph)
    low = [each for each in map(lambda iri: retriever.explain(QUESTION, iri, 2, 1), every(graph))
           if each.standing.verdict is Verdict.RANKED_LOW]  # fmt: skip
    assert low
    for each in low:
        [remedy] = each.standing.remedies
        assert isinstance(remedy.enough, int)
        last = retriever.retrieve(QUESTION, remedy.enough, remedy.enough - 1).results[-1]
        assert last.view.iri == each.view.iri
        assert each.standing.score_missing is not None
        assert each.standing.score_missing >= 0
        end = retriever.retrieve(QUESTION, 2, 1).results[-1]
        assert each.standing.score_missing == pytest.approx(end.score - last.score)


def test_a_filter_names_the_conditions_that_fail(graph: KnowledgeGraph) -> None:
    retriever, only = Retriever(graph), Filter(**CONDITIONS)
    chunk = retriever.retrieve("Mira Tolland composer accordion", 1, 0).results[0].view
    found = retriever.explain(QUESTION, chunk.iri, only=only)
    assert found.standing.verdict is Verdict.FILTERED
    assert found.standing.excluded_by == (
        "documents: heron.md",
        "kinds: table",
        'where: schema:name "Nothing"',
    )
    assert "it does not meet documents: heron.md; kinds: table" in reason(found)
    kept = retriever.explain(QUESTION, chunk.iri, only=Filter(kinds=("text",)))
    assert kept.standing.verdict is not Verdict.FILTERED


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    """A chain of pages, more of them than are candidates by their text, and one that only a link reaches."""
    folder = tmp_path_factory.mktemp("many")
    pages = {
        f"tide-{number:03}.md": f"# Tide {number}\n\nThe tide of the harbour.\n" for number in range(230)
    }
    (folder / "pages").mkdir()
    pages["lamp.md"] = "# Lamp\n\nA lamp.\n"
    pages["best.md"] = "# Harbour\n\nThe tide of the harbour at the lighthouse: see [it](lamp.md).\n"
    for name, text in pages.items():
        (folder / "pages" / name).write_text(text)
    KnowledgeGraph.create(folder / "graph", encoder="jaccard").close()
    graph = KnowledgeGraph(Directory(folder / "graph"), Settings(max_results=220))
    graph.ingest([folder / "pages"])
    yield graph
    graph.close()


def lamp(graph: KnowledgeGraph, ranking: Ranking = Ranking.LEARNED, **options: object) -> ChunkExplanation:
    iri = Retriever(graph).retrieve("lamp", 1, 0, mode="bm25").results[0].view.iri
    retriever = Retriever(graph, replace(graph.recipe.retrieval, ranking=ranking))
    return retriever.explain("the tide of the harbour at the lighthouse", iri, 4, 2, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("ranking", [Ranking.LEARNED, Ranking.SHARED])
def test_a_chunk_without_an_edge_is_told_which_channel_would_lead_to_it(
    many: KnowledgeGraph, ranking: Ranking
) -> None:
    missed = lamp(many, ranking, channels=["entity"]).standing
    assert missed.verdict is Verdict.NOT_A_CANDIDATE
    assert not missed.is_reached
    assert not missed.is_start
    by_channel = [each for each in missed.remedies if each.name == "channels"]
    assert [each.enough for each in by_channel if "link" in each.enough] == [["entity", "link"]]  # type: ignore[operator]
    reached = lamp(many, ranking, channels=["entity", "link"]).standing
    assert reached.is_reached
    assert reached.rank == next(each.rank for each in by_channel if each.enough == ["entity", "link"])
    assert reached.path[-1].channel == "link"


def test_what_nobody_may_ask_for_is_beyond_the_limit(many: KnowledgeGraph) -> None:
    found = lamp(many, mode="bm25")
    assert found.standing.verdict is Verdict.BEYOND_LIMIT
    assert "220, the setting max_results" in reason(found)
    assert [each.name for each in found.standing.remedies] == ["max_results"]


def test_a_chunk_of_no_graph_is_not_found(graph: KnowledgeGraph) -> None:
    iri = every(graph)[0]
    retriever = Retriever(graph)
    assert retriever.explain(QUESTION, iri.rpartition("/")[2]).view.iri == iri
    for other in ("0" * 24, "http://other.example/chunk/1", "", "a" * 5_000, graph.iris.base):
        with pytest.raises(NotFoundError, match="no chunk"):
            retriever.explain(QUESTION, other)


def test_words_that_match_are_marked_by_their_stems(graph: KnowledgeGraph) -> None:
    question = "Which directors' films did the wríter direct?"
    answer = Retriever(graph).retrieve(question, 6, 3, channels=CHANNEL_NAMES)
    views = [each.view for each in answer.results]
    found = highlights(graph.snapshot(), question, views)
    spans = [(view, span) for view in views for span in found[view.iri].text]
    assert any(view.text[span.begin : span.end] == "directed" for view, span in spans)
    for iri, each in found.items():
        assert {span.term for span in each.question} == each.terms, iri
        assert not {"the", "did", "which"} & each.terms
    only_function_words = highlights(graph.snapshot(), "the of", views)
    assert any(each.text for each in only_function_words.values())


def test_the_question_is_analysed_once_for_all_chunks(graph: KnowledgeGraph) -> None:
    question = " ".join(f"word{number}" for number in range(2_000))
    snapshot = graph.snapshot()
    views = list(chunk_views(snapshot.store, every(graph)).values())

    def analysed(number: int) -> int:
        """The words that are analysed for the first chunks, without those of the chunks themselves."""
        before = _term.cache_info()
        highlights(snapshot, question, views[:number])
        after = _term.cache_info()
        own = sum(map(len, chain.from_iterable(map(_words, views[:number]))))
        return after.hits + after.misses - before.hits - before.misses - own

    assert len(views) > 5
    assert analysed(len(views)) == analysed(1) == 2_000


def test_what_matches_is_looked_for_in_bounded_time(graph: KnowledgeGraph) -> None:
    views = list(chunk_views(graph.snapshot().store, every(graph)[:1]).values())
    with pytest.raises(TimeLimitError):
        highlights(graph.snapshot(), QUESTION, views, check=deadline(-1, "retrieve_timeout"))


def _words(view: ChunkView) -> Iterator[list[str]]:
    for text in (view.name, view.text):
        yield _WORD.findall(text)


def test_words_match_in_the_language_of_the_chunk(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nlanguage: de\n---\nDie alten Häuser am Fluss und ihre Brücken.\n")
    (tmp_path / "b.md").write_text("The old houses at the river, and its bridges, are of stone.\n")
    (tmp_path / "c.md").write_text("More old houses of the town, which nobody lives in any more.\n")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path])
    answer = Retriever(graph).retrieve("das Haus an der Brücke", 3, 0, question_language="de")
    views = [each.view for each in answer.results]
    found = highlights(graph.snapshot(), answer.question, views, "de")
    german = next(view for view in views if "Fluss" in view.text)
    marks = [german.text[span.begin : span.end] for span in found[german.iri].text]
    assert marks == ["Häuser", "Brücken"]
    assert [span.term for span in found[german.iri].question] == ["de:haus", "de:bruck"]
    graph.close()


def test_a_near_duplicate_is_told_from_what_is_ranked_low(many: KnowledgeGraph) -> None:
    """All pages of the tide have one text, of which the first stays."""
    given = replace(many.recipe.retrieval, deduplicate=True)
    tides = Retriever(many).retrieve("the tide of the harbour", 2, 0, mode="bm25", only=tide).results
    found = Retriever(many, given).explain(
        "the tide of the harbour", tides[1].view.iri, 2, 0, mode="bm25", only=tide
    )
    assert found.standing.verdict is Verdict.DUPLICATE
    assert [(each.name, each.rank) for each in found.standing.remedies] == [("deduplicate", 2)]


def tide(snapshot: Snapshot) -> NDArray[np.bool_]:
    """The pages of the tide alone."""
    texts = chunk_views(snapshot.store, snapshot.vectors.iris)
    return np.array([texts[iri].text == "The tide of the harbour." for iri in snapshot.vectors.iris])
