"""The ranking `bfs`: what a question names, what the graph leads to from there, and the scores of both."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from graph.corpus import write_files
from scipy.sparse import csr_matrix

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Role
from sage_ld.foundation.recipes import Ranking
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.indexes.strings import text_number
from sage_ld.graph.store import reading
from sage_ld.lab.rankings.bfs import NodeScores, Spread, spread
from sage_ld.lab.rankings.channel_edges import edge_matrices
from sage_ld.retrieval import Mode, Retriever
from sage_ld.retrieval.answers.results import answer_jsonld
from sage_ld.retrieval.questions.question_nodes import ENTITY_NODES, KEYWORD_NODES, named_nodes
from sage_ld.retrieval.scoring.chunk_scorer import ChunkScorer
from sage_ld.retrieval.scoring.scores import relative

QUESTION = "Who directed Night Bus to Hask, which won the Golden Heron?"
EDGES = csr_matrix(
    np.array(
        [
            [0, 0.8, 0.4, 0, 0],
            [0, 0, 0.8, 0.2, 0],
            [0, 0, 0, 0.4, 0],
            [0, 0, 0, 0, 0.8],
            [0, 0, 0, 0, 0],
        ]
    )
)


def test_each_chunk_gains_at_its_nearest_hop_by_its_strongest_edge() -> None:
    """From 0: 1 and 2 at hop 1 (2 not again over 1), 3 at hop 2 by the edge from 2, 4 beyond."""
    found = spread(EDGES, np.array([0]), 2, 0.5)
    assert found.rows.tolist() == [0, 1, 2, 3]
    assert found.gains.tolist() == pytest.approx([1, 0.5 * 1, 0.5 * 0.5, 0.25 * 0.5])
    assert found.way(3) == [0, 2, 3]
    further = spread(EDGES, np.array([0]), 3, 0.5)
    assert dict(zip(further.rows.tolist(), further.gains.tolist(), strict=True))[4] == pytest.approx(0.125)


def test_what_is_not_allowed_is_neither_started_from_nor_gone_over() -> None:
    allowed = np.array([True, True, False, True, True])
    found = spread(EDGES, np.array([0, 2]), 2, 0.5, allowed)
    assert found.rows.tolist() == [0, 1, 3]
    assert found.gains.tolist() == pytest.approx([1, 0.5, 0.25 * 0.25])
    assert found.way(3) == [0, 1, 3]


def test_a_hop_looks_at_no_more_edges_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the second hop 1 has gained more than 2 has, and its two edges are all that may be looked at."""
    monkeypatch.setattr("sage_ld.lab.rankings.bfs.MOST_EDGES", 2)
    found = spread(EDGES, np.array([0]), 2, 0.5)
    assert found.way(3) == [0, 1, 3]


def test_the_way_to_a_chunk_begins_at_the_node_from_which_it_gains_most() -> None:
    weak = Spread(np.array([0, 2]), np.array([1.0, 0.2]), np.array([-1, 0]))
    strong = Spread(np.array([1, 2]), np.array([0.8, 0.4]), np.array([-1, 1]))
    assert NodeScores((weak, strong), np.zeros(3)).way(2) == [1, 2]
    assert NodeScores((strong, weak), np.zeros(3)).way(2) == [1, 2]


def test_what_a_chunk_gains_of_each_node_is_weighted_by_the_node(graph: KnowledgeGraph) -> None:
    given = replace(graph.recipe.retrieval, ranking=Ranking.BFS, nearest_entities=4)
    found = NodeScores.of(Retriever(graph, given).inquiry(graph.snapshot(), QUESTION))
    gains = np.zeros(len(found.scores))
    for each in found.spreads:
        gains[each.rows] += each.gains
    assert len({float(each.gains.max()) for each in found.spreads}) > 1
    assert relative(gains).tolist() == found.scores.tolist()


def names(graph: KnowledgeGraph, question: str) -> set[str]:
    """The labels of the entities that a question names."""
    snapshot = graph.snapshot()
    numbers = named_nodes(snapshot, question, "en", (ENTITY_NODES,)).numbers
    iris = {text_number(entity): entity for entity in reading.mentioned_entities(snapshot.store)}
    forms = reading.surface_forms(snapshot.store, [iris[number] for number in numbers.tolist()])
    found = {min(each) for each in forms.values()}
    assert len(found) == len(numbers)
    return found


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("who wrote night bus to hask?", {"Night Bus to Hask"}),
        ("the golden heron's winner", {"The Golden Heron"}),
        ("Ruth Calloway or Nils Garrow", {"Ruth Calloway", "Nils Garrow"}),
        ("Who won it in 1987, and why?", set()),
        ("Hask", {"Hask"}),
    ],
)
def test_a_question_names_the_longest_labels(graph: KnowledgeGraph, question: str, named: set[str]) -> None:
    assert names(graph, question) == named


def test_a_question_names_keywords_by_their_stems(graph: KnowledgeGraph) -> None:
    def found(question: str) -> int:
        return len(named_nodes(graph.snapshot(), question, "en", (KEYWORD_NODES,)).numbers)

    assert found("Which composers are there?") == found("a composer") == 1
    assert found("Which trombones are there?") == 0


def test_a_resource_that_took_an_entitys_place_is_named_by_its_label(tmp_path: Path) -> None:
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    files = {
        "wren.ttl": f'<http://example.org/wren> {label} "Tobias Wren" .\n',
        "ferry.md": "# Ferry\n\nThe score of the ferry is by Tobias Wren, who hummed it.\n",
    }
    made.ingest([write_files(tmp_path / "corpus", files)])
    named = named_nodes(made.snapshot(), "What did Tobias Wren hum?", "en", (ENTITY_NODES,))
    assert named.numbers.tolist() == [text_number("http://example.org/wren")]
    assert len(named.chunks(0))


@pytest.mark.parametrize("hops", [1, 2])
def test_scores_are_those_of_the_formula(graph: KnowledgeGraph, hops: int) -> None:
    """Computed again by sets and dictionaries, from the store and the edges of the channels."""
    given = replace(graph.recipe.retrieval, ranking=Ranking.BFS, hops=hops, neighbour_weight=0.4)
    snapshot = graph.snapshot()
    evidence = edge_matrices(snapshot, given.channels, given).evidence.tocoo()
    iris, mentions = snapshot.vectors.iris, reading.mentions(snapshot.store)
    named = {graph.iris.entity(label) for label in ("night bus to hask", "golden heron")}
    gained: Counter[str] = Counter()
    for entity in named:
        front = met = {chunk for chunk, entities in mentions.items() if entity in entities}
        gained.update(dict.fromkeys(front, 1.0))
        for hop in range(1, hops + 1):
            edges = zip(evidence.row.tolist(), evidence.col.tolist(), evidence.data.tolist(), strict=True)
            strongest: dict[str, float] = {}
            for source, target, weight in edges:
                if iris[source] in front and iris[target] not in met:
                    strongest[iris[target]] = max(strongest.get(iris[target], 0.0), weight)
            gained.update({chunk: 0.4**hop * weight / evidence.max() for chunk, weight in strongest.items()})
            front, met = set(strongest), met | set(strongest)
    highest = max(gained.values())
    results = Retriever(graph, given).retrieve(QUESTION, 25, 20).results
    assert len(gained) > 2
    for each in results:
        assert each.score == pytest.approx(gained[each.view.iri] / highest)
        assert len(each.path) <= hops
    assert {each.role for each in results} == {Role.SEED, Role.NEIGHBOUR}
    assert [each.score for each in results] == sorted((each.score for each in results), reverse=True)


def test_a_question_that_names_nothing_is_answered_by_the_flat_ranking(graph: KnowledgeGraph) -> None:
    given = replace(graph.recipe.retrieval, ranking=Ranking.BFS)
    found = Retriever(graph, given).retrieve("a prize for music", 6, 3).results
    flat = Retriever(graph).retrieve("a prize for music", 6, 3, mode=Mode.HYBRID).results
    assert [each.view.iri for each in found] == [each.view.iri for each in flat]
    assert {each.score for each in found} == {0.0}


@pytest.mark.parametrize("name", ["bfs", "sections", "summaries"])
def test_another_systems_ensemble_gets_the_scores_of_its_chunks(graph: KnowledgeGraph, name: str) -> None:
    scorer = ChunkScorer(graph, name)
    given = replace(graph.recipe.retrieval, ranking=Ranking(name))
    results = Retriever(graph, given).retrieve(QUESTION, 50, 40).results
    chunks = [each.view.iri for each in results]
    assert scorer.name == name
    assert scorer.get_scores(QUESTION, [*chunks, "http://example.org/none"]) == {
        place: pytest.approx(each.score) for place, each in enumerate(results) if each.score
    }
    with pytest.raises(
        InputError, match="'learned' is not a ranking that scores every chunk; give sections or"
    ):
        ChunkScorer(graph, "learned")


def test_an_answer_says_what_the_ranking_goes_by(graph: KnowledgeGraph) -> None:
    given = replace(graph.recipe.retrieval, ranking=Ranking.BFS)
    said = answer_jsonld(Retriever(graph, given).retrieve(QUESTION))["wasGeneratedBy"]
    assert said["neighbourWeight"] == 0.5
    assert not {"coverageShare", "ensembleMembers", "rrfConstant"} & said.keys()


def test_of_many_names_those_of_the_fewest_chunks_are_started_from(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = replace(graph.recipe.retrieval, ranking=Ranking.BFS, hops=1, neighbour_weight=0.0)

    def named() -> int:
        return sum(each.score > 0 for each in Retriever(graph, given).retrieve(QUESTION, 25, 20).results)

    every = named()
    monkeypatch.setattr("sage_ld.retrieval.questions.question_nodes.MOST_ENTRIES", 1)
    assert 0 < named() < every
