"""Answers from a small graph: budgets, roles, paths, limits, and what every mode shares."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from graph.corpus import FILES, built, write
from numpy.typing import NDArray
from retrieval.edgeless import EDGELESS

from sage_ld.build.languages.analysis import terms
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.channels import CHANNEL_NAMES, Hubs
from sage_ld.foundation.errors import InputError, LimitError, NotFoundError
from sage_ld.foundation.model import DoubleArray, IntArray, PathStep, Role
from sage_ld.foundation.recipes import Fusion, Ranking
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.indexes.positions import hashed
from sage_ld.graph.store import reading
from sage_ld.graph.store.terms import node
from sage_ld.retrieval import Mode, Retriever
from sage_ld.retrieval.answers.results import answer_jsonld
from sage_ld.retrieval.channels.expansion import expand, placed
from sage_ld.retrieval.channels.link_hops import LinkHops, follow
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.retrieval.rankings.features import FEATURE_NAMES
from sage_ld.retrieval.rankings.learned import candidates
from sage_ld.retrieval.rankings.table import RANKINGS

QUESTION = "Who wrote the music of the film that won the Golden Heron in 1987?"


@pytest.mark.parametrize("mode", Mode)
def test_every_mode_keeps_the_budget(graph: KnowledgeGraph, mode: Mode) -> None:
    answer = Retriever(graph).retrieve(QUESTION, 5, 3, mode=mode)
    assert [result.rank for result in answer.results] == [1, 2, 3, 4, 5]
    assert len({result.view.iri for result in answer.results}) == 5
    if mode is not Mode.SAGE:
        assert {result.role for result in answer.results} == {Role.SEED}


def test_a_result_is_the_slice_of_its_document_that_its_offsets_say(graph: KnowledgeGraph) -> None:
    for result in Retriever(graph).retrieve(QUESTION, 5, 3, mode=Mode.HYBRID).results:
        view = result.view
        assert view.begin is not None
        assert view.end is not None
        assert view.end - view.begin == len(view.text)
        assert graph.documents[view.identifier].text[view.begin : view.end].split() == view.text.split()


@pytest.mark.parametrize("ranking", sorted(set(RANKINGS) - EDGELESS))
def test_a_neighbour_says_how_it_was_reached(graph: KnowledgeGraph, ranking: Ranking) -> None:
    given = replace(graph.recipe.retrieval, ranking=ranking, channels=CHANNEL_NAMES)
    answer = Retriever(graph, given).retrieve(QUESTION, 6, 4)
    found = [result for result in answer.results if result.role is Role.NEIGHBOUR]
    assert found
    known = set(reading.chunk_iris(graph.snapshot().store))
    for result in found:
        (step,) = result.path
        assert step.chunk == result.view.iri
        assert step.seed in known - {step.chunk}
        assert 0 <= step.weight <= 1
        assert result.parts["graph"] >= 0
    assert all(not result.path for result in answer.results if result.role is Role.SEED)


@pytest.mark.parametrize("ranking", RANKINGS)
def test_seeds_are_those_of_the_answer_at_the_scores_of_their_texts(
    graph: KnowledgeGraph, ranking: Ranking
) -> None:
    retriever = Retriever(graph, replace(graph.recipe.retrieval, ranking=ranking))
    seeds = retriever.seeds(QUESTION, 7, 4)
    assert seeds == retriever.retrieve(QUESTION, 3, 0, mode="hybrid").results
    if ranking is Ranking.SHARED:
        answer = retriever.retrieve(QUESTION, 7, 4)
        assert [each.view for each in answer.results[:3]] == [each.view for each in seeds]
    assert retriever.seeds(QUESTION, 3, 0) == retriever.seeds(QUESTION, 7, 4, offset=7) == ()
    assert retriever.seeds(QUESTION, 7, 4, mode="bm25") == ()
    with pytest.raises(LimitError, match="max_results"):
        retriever.seeds(QUESTION, 1003, 1_000)


def test_the_old_name_of_a_budget_is_taken_with_a_warning(graph: KnowledgeGraph) -> None:
    retriever = Retriever(graph)
    with pytest.warns(DeprecationWarning, match="neighbours is the name of an earlier release"):
        assert retriever.retrieve(QUESTION, 2, neighbours=1) == retriever.retrieve(QUESTION, 3, 1)


def test_one_result_may_be_one_that_the_graph_leads_to(graph: KnowledgeGraph) -> None:
    retriever = Retriever(graph)
    assert retriever.retrieve(QUESTION, 1).results[0].view == retriever.retrieve(QUESTION).results[0].view


def test_a_search_by_words_encodes_nothing(graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Retriever, "_vectors", None)
    found = Retriever(graph).retrieve(QUESTION, 3, mode="bm25").results
    assert [sorted(each.parts) for each in found] == [["bm25"]] * 3


def test_no_neighbours_is_the_flat_ranking(graph: KnowledgeGraph) -> None:
    sage = Retriever(graph).retrieve(QUESTION, 4, 0)
    flat = Retriever(graph).retrieve(QUESTION, 4, 0, mode="hybrid")
    assert [each.view.iri for each in sage.results] == [each.view.iri for each in flat.results]


def test_the_same_question_has_the_same_answer(graph: KnowledgeGraph) -> None:
    assert Retriever(graph).retrieve(QUESTION) == Retriever(graph).retrieve(QUESTION)


def test_fusion_by_ranks(graph: KnowledgeGraph) -> None:
    given = replace(graph.recipe.retrieval, fusion=Fusion.RRF)
    scores = [each.score for each in Retriever(graph, given).retrieve(QUESTION, mode="hybrid").results]
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[0] <= 1


def test_more_is_asked_for_than_there_is(graph: KnowledgeGraph) -> None:
    chunks = len(graph.snapshot().vectors)
    assert len(Retriever(graph).retrieve(QUESTION, 1000, 500, mode="hybrid").results) == chunks


@pytest.mark.parametrize(
    ("question", "given", "error", "message"),
    [
        ("", {}, InputError, "the question is empty"),
        ("x" * 10_001, {}, LimitError, "max_question_length"),
        ("x", {"k": 0}, InputError, "k is 0"),
        ("x", {"from_graph": -1}, InputError, "from_graph is -1"),
        ("x", {"k": 1_001}, LimitError, "max_results"),
        ("x", {"mode": "magic"}, InputError, "sage, hybrid, dense, bm25"),
        (
            "x",
            {"channels": ["telepathy"]},
            InputError,
            ", ".join(CHANNEL_NAMES),
        ),
    ],
)
def test_a_bad_question_is_refused(
    graph: KnowledgeGraph, question: str, given: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Retriever(graph).retrieve(question, **given)  # type: ignore[arg-type]


def test_an_empty_graph_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="is an empty graph"):
        Retriever(KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")).retrieve("anything")


def rows(graph: KnowledgeGraph, document: str) -> IntArray:
    snapshot = graph.snapshot()
    return snapshot.vectors.rows(reading.chunks_of(snapshot.store, graph.iris.document(document)))


def document(graph: KnowledgeGraph, chunk: str) -> str:
    chunk_table = ChunkTable.of(graph.snapshot())
    return chunk_table.iris[chunk_table.documents[chunk_table.rows[chunk]]]


def every_hop(graph: KnowledgeGraph, seeds: IntArray, hub: int = 100, most: int = 1000) -> LinkHops:
    snapshot = graph.snapshot()

    def hop_priority(rows: IntArray, candidates: IntArray) -> DoubleArray:
        return (candidates - rows).astype(np.float64)

    return follow(snapshot, ChunkTable.of(snapshot), seeds, hub, hop_priority, most)


def test_links_are_followed_both_ways_unless_they_lead_to_a_hub(graph: KnowledgeGraph) -> None:
    snapshot, bus, heron = graph.snapshot(), rows(graph, "films/night-bus.md"), rows(graph, "heron.md")
    chunk_table = ChunkTable.of(snapshot)
    both = every_hop(graph, bus)
    assert set(both.candidate[~both.forward].tolist()) & set(heron.tolist())
    assert set(both.candidate[both.forward].tolist())
    number = chunk_table.numbers[graph.iris.document("films/night-bus.md")]
    target = node(chunk_table.iris[number])
    leading = len({q.subject for q in snapshot.store.quads_for_pattern(None, node(v.LINKS_TO), target)})
    for hub in (leading - 1, leading, 0, leading + 1):  # whatever has been asked before
        assert every_hop(graph, bus, hub=hub).forward.all() == (leading > hub)


def test_only_the_links_that_promise_most_are_followed(graph: KnowledgeGraph) -> None:
    rows = np.arange(len(graph.snapshot().vectors.iris))
    every, one = every_hop(graph, rows), every_hop(graph, rows, most=1)
    assert 0 < len(one.seed) < len(every.seed)
    assert (one.candidate - one.seed).max() == (every.candidate - every.seed).max()


def test_both_queries_of_links_find_the_same_hops(graph: KnowledgeGraph) -> None:
    snapshot, iris = graph.snapshot(), graph.snapshot().vectors.iris
    hops = every_hop(graph, np.arange(len(iris)))
    found = set(hops.steps(snapshot, ChunkTable.of(snapshot), range(len(hops.seed))).values())
    assert found == set(expand(snapshot.store, iris, ["link"], iris, Hubs(50, 50)))
    assert {step.kind for step in found} == {"links to", "linked from"}


@pytest.mark.parametrize(("ranking", "index"), [(Ranking.LEARNED, "links"), (Ranking.SHARED, None)])
def test_a_path_says_where_an_index_was_read_in_place_of_the_query(
    graph: KnowledgeGraph, ranking: Ranking, index: str | None
) -> None:
    retriever = Retriever(graph, replace(graph.recipe.retrieval, ranking=ranking))
    answer = answer_jsonld(retriever.retrieve(QUESTION, 32, 30, channels=["link", "entity"]))
    steps = [step for result in answer["itemListElement"] for step in result["path"]]
    read = {(step["channel"][0], step.get("readFrom")) for step in steps}
    assert ("link", index) in read <= {("link", index), ("entity", None)}


def test_a_link_in_a_cell_is_read_with_its_row(graph: KnowledgeGraph) -> None:
    snapshot, bus, heron = graph.snapshot(), rows(graph, "films/night-bus.md"), rows(graph, "heron.md")
    hops = every_hop(graph, heron)
    hops = hops.where(hops.forward & np.isin(hops.candidate, bus))
    steps = list(hops.steps(snapshot, ChunkTable.of(snapshot), range(len(hops.seed))).values())
    assert {step.row for step in placed(snapshot.store, steps).values()} == {1}
    words = ["1987", "garrow", "heron", "1986", "film", "night", "bus", "hask"]
    asked = hashed(term for word in words for term in terms(word))
    unit, window, heading = hops.surroundings(snapshot)
    inside, around = (snapshot.positions.term_presence(spans, asked)[0].tolist() for spans in (unit, window))
    assert inside == [True, True, False, False, True, True, True, True]
    assert around == [False, False, False, False, True, True, True, True]
    assert snapshot.positions.term_presence(heading, asked)[0].tolist() == [False, False, True, *[False] * 5]


def test_a_candidate_tells_what_ties_it_to_a_seed(graph: KnowledgeGraph) -> None:
    """A text of its own that names an entity which the seed names too, and nothing else."""
    snapshot, chunk_table = graph.snapshot(), ChunkTable.of(graph.snapshot())
    given = replace(graph.recipe.retrieval, channels=("entity",), pool=4, tie_pool=2)
    retriever = Retriever(graph, given)
    question = retriever.inquiry(snapshot, QUESTION).question()
    found = candidates(snapshot, chunk_table, question, given.channels, given)
    iris, channel_hops = snapshot.vectors.iris, found.channel_hops
    seeds = [iris[row] for row in question.order[:2].tolist()]
    expected = expand(snapshot.store, seeds, ["entity"], iris, given.hubs)
    steps = channel_hops.steps
    assert set(steps) == set(expected) != set()
    for place, row in enumerate(found.features.candidates.tolist()):
        values = dict(zip(FEATURE_NAMES, found.features.values[place].tolist(), strict=True))
        mine = np.flatnonzero(channel_hops.candidate == row).tolist()
        assert values["ties"] == pytest.approx(np.log1p(len(mine)))
        if not mine:
            assert values["tie_weight"] == values["max_tie_total"] == 0
            assert not found.paths(snapshot, chunk_table, [place])
            continue
        best = found.paths(snapshot, chunk_table, [place])[place][-1]
        assert best in {steps[number] for number in mine}
        assert values["tie_weight"] == pytest.approx(best.weight)
        both = question.term_presence(channel_hops.seed[mine]) | question.term_presence(np.array([row]))
        assert values["max_tie_pair_coverage"] == pytest.approx((both @ question.weights).max())


def test_the_parts_of_a_score_are_those_of_the_best_edges(graph: KnowledgeGraph) -> None:
    results = Retriever(graph).retrieve(QUESTION, 8, 6).results
    assert {result.role for result in results} == {Role.SEED, Role.NEIGHBOUR}
    for result in results:
        assert 0 <= result.parts["coverage"] <= 1.000001
        if result.role is Role.NEIGHBOUR:
            assert result.parts["coverage"] <= result.parts["pair_coverage"] + 1e-6
            assert result.parts["graph"] > 0
            assert -1 <= result.parts["pair_dense"] <= 1


STRANGE = """
    PREFIX sage: <https://w3id.org/sage-ld#>
    PREFIX schema: <https://schema.org/>
    INSERT { GRAPH <urn:own> {
        <urn:x> schema:mentions ?entity ; sage:linksTo ?document ; sage:next ?chunk ; sage:similarTo ?chunk .
        ?chunk sage:linksTo <urn:x> ; sage:next <urn:x> ; sage:similarTo <urn:x> .
        <urn:edge> sage:source ?chunk ; sage:target <urn:x> ; sage:weight 0.5 ; sage:confidence 0.5 .
        <urn:back> sage:source <urn:x> ; sage:target ?chunk , ?document .
        <urn:back> sage:weight 0.5 ; sage:confidence 1 .
        <urn:edge> a sage:SimilarityEdge . <urn:back> a sage:SimilarityEdge .
    } } WHERE { GRAPH ?g { ?chunk a sage:Chunk ; schema:mentions ?entity ; schema:isPartOf ?document } }"""


@pytest.mark.parametrize("ranking", RANKINGS)
def test_what_an_update_says_of_other_things_leads_nowhere(tmp_path: Path, ranking: Ranking) -> None:
    graph = built(tmp_path / "graph", write(tmp_path / "corpus"))
    given = replace(graph.recipe.retrieval, ranking=ranking, channels=CHANNEL_NAMES)
    before = Retriever(graph, given).retrieve(QUESTION, 8, 6)
    with graph.writer() as writer:
        writer.change().update(STRANGE)
        writer.publish()
    after = Retriever(graph, given).retrieve(QUESTION, 8, 6)
    assert after.revision > before.revision
    known = set(reading.chunk_iris(graph.snapshot().store))
    assert {step.chunk for each in after.results for step in each.path} <= known
    assert len(after.results) == len(before.results)


@pytest.mark.parametrize("ranking", [Ranking.LEARNED, Ranking.SHARED])
def test_a_second_hop_reaches_further_and_says_the_whole_path(
    graph: KnowledgeGraph, ranking: Ranking
) -> None:
    """From the prize's table to the film, from the film to its composer."""
    question = "Golden Heron winners Year Film Director 1987 Night Bus to Hask Nils Garrow 1988 Lamplighter"

    def reached(hops: int) -> dict[str, tuple[PathStep, ...]]:
        given = replace(graph.recipe.retrieval, ranking=ranking, hops=hops, pool=1)
        answer = Retriever(graph, given).retrieve(question, 21, 20)
        return {each.view.identifier: each.path for each in answer.results if each.path}

    one, two = reached(1), reached(2)
    assert "people/mira-tolland.md" not in one
    first, second = two["people/mira-tolland.md"]
    assert (first,) == one["films/night-bus.md"] == two["films/night-bus.md"]
    assert first.chunk == second.seed
    assert graph.iris.document("heron.md") == document(graph, first.seed)


def test_every_document_has_its_identifier(graph: KnowledgeGraph) -> None:
    assert sorted(Retriever(graph).identifiers(graph.snapshot())) == sorted(FILES)


@pytest.mark.parametrize("ranking", RANKINGS)
def test_pages_follow_one_another(graph: KnowledgeGraph, ranking: Ranking) -> None:
    retriever = Retriever(graph, replace(graph.recipe.retrieval, ranking=ranking, channels=CHANNEL_NAMES))
    whole = [(each.rank, each.view.iri) for each in retriever.retrieve(QUESTION, 8, 6).results]
    pages = [
        *retriever.retrieve(QUESTION, 4, 2).results,
        *retriever.retrieve(QUESTION, 4, 2, offset=4).results,
    ]
    assert [(each.rank, each.view.iri) for each in pages] == whole


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("ranking", RANKINGS)
def test_a_restriction_holds_for_seeds_and_neighbours(
    graph: KnowledgeGraph, ranking: Ranking, mode: Mode
) -> None:
    retriever = Retriever(graph, replace(graph.recipe.retrieval, ranking=ranking, channels=CHANNEL_NAMES))
    free = retriever.retrieve(QUESTION, 6, 4, mode=mode)
    banned = {free.results[0].view.iri, free.results[-1].view.iri}

    def only(snapshot: Snapshot) -> NDArray[np.bool_]:
        return np.array([iri not in banned for iri in snapshot.vectors.iris])

    found = retriever.retrieve(QUESTION, 6, 4, mode=mode, only=only)
    assert found.results
    for result in found.results:
        assert result.view.iri not in banned
        assert not banned & {step.seed for step in result.path}


def test_a_restriction_that_nothing_meets_finds_nothing(graph: KnowledgeGraph) -> None:
    def only(snapshot: Snapshot) -> NDArray[np.bool_]:
        return np.zeros(len(snapshot.vectors.iris), np.bool_)

    assert Retriever(graph).retrieve(QUESTION, only=only).results == ()


@pytest.mark.parametrize("ranking", RANKINGS)
def test_many_hops_in_a_graph_without_edges_find_the_text(tmp_path: Path, ranking: Ranking) -> None:
    (tmp_path / "one.md").write_text("# Alone\n\nNobody links to this page.\n")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "one.md"])
    given = replace(graph.recipe.retrieval, ranking=ranking, hops=3, channels=CHANNEL_NAMES)
    (result,) = Retriever(graph, given).retrieve("Who links to the page?", 6, 5).results
    assert (result.view.identifier, result.role, result.path) == ("one.md", Role.SEED, ())
