"""Questions that the grammar compiles, and those of which it says that it is not sure."""

from __future__ import annotations

import itertools
import json
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sage_ld.agents.text_to_sparql import GraphQuestions
from sage_ld.agents.text_to_sparql.answers import Language, Way
from sage_ld.cli.main import app
from sage_ld.foundation.errors import InputError, LimitError, TimeLimitError, UnavailableError
from sage_ld.graph import KnowledgeGraph

D = "http://example.org/d/"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which ships were built by Halvorsen Marine?", {D + "plover", D + "heron"}),
        ("Who built the Golden Heron?", {D + "halvorsen"}),
        ("How many ships are there?", {3}),
        ("Which ships were launched after 1920?", {D + "heron", D + "auk"}),
        ("Ships launched between 1910 and 1925", {D + "plover", D + "heron"}),
        ("What is the longest ship?", {D + "heron"}),
        ("What is the length of the Grey Plover?", {61}),
        ("Which ships have no length?", {D + "auk"}),
        ("Was the Little Auk built by Moss Docks?", {True}),
        ("Which yard built the most ships?", None),
        ("What is the average length of ships?", {74.5}),
        ("Who is the owner of the yard that built the Little Auk?", {D + "tobias"}),
        ("Which ports are in Wales?", {"Amble", "Bryn"}),
        ("What is the deepest port?", {"Corse"}),
        ("Which ports have a depth over 10?", {"Bryn", "Corse"}),
    ],
)
def test_a_question_is_answered_by_the_graph(
    asking: GraphQuestions, question: str, expected: set[object] | None
) -> None:
    """Where it is sure, the rows are right; those of None it may leave open."""
    answer = asking.ask(question, way="grammar")
    if expected is None:
        assert not answer.is_sure
    else:
        assert answer.is_sure, (answer.query, answer.confidence, answer.unused)
        assert {row[0].value for row in answer.rows} == expected


@pytest.mark.parametrize(
    "question",
    [
        "Which ships sank in Brest?",
        "Which ships were not built by Moss Docks?",
        "What is love?",
    ],
)
def test_what_the_graph_does_not_say_is_left_to_search(asking: GraphQuestions, question: str) -> None:
    answer = asking.ask(question, way="grammar")
    assert (answer.is_sure, answer.way, answer.rows) == (False, Way.HYBRID, ())
    assert answer.fallback is not None


def test_rows_that_are_not_sure_are_shown_beside_what_a_search_finds(asking: GraphQuestions) -> None:
    answer = asking.ask("Who is the president of Wales?", way="grammar")
    assert (answer.is_sure, answer.way, len(answer.rows)) == (False, Way.GRAMMAR, 2)
    assert [each.words for each in answer.missing] == ["president"]
    assert answer.fallback is not None


def test_an_answer_says_where_it_comes_from(asking: GraphQuestions) -> None:
    rdf = asking.ask("Who built the Golden Heron?", way="grammar")
    assert rdf.language is Language.SPARQL
    assert [source.identifier for source in rdf.sources] == ["ships.ttl"]
    table = asking.ask("What is the deepest port?", way="grammar")
    assert table.language is Language.SQL
    assert [source.identifier for source in table.sources] == ["ports.csv"]
    assert all(source.chunks for source in table.sources)


def test_more_rows_than_asked_for_are_said_to_be_left_out(asking: GraphQuestions) -> None:
    answer = asking.ask("Which ships were launched after 1900?", 2, way="grammar")
    assert (len(answer.rows), answer.is_complete) == (2, False)


def test_what_cannot_be_asked_is_refused(asking: GraphQuestions) -> None:
    with pytest.raises(LimitError, match="max_question_length"):
        asking.ask("ship " * 5_000)
    with pytest.raises(LimitError, match="max_question_rows"):
        asking.ask("How many ships are there?", 10**9)
    with pytest.raises(InputError, match="auto, grammar, model"):
        asking.ask("How many ships are there?", way="guess")
    with pytest.raises(UnavailableError, match="SAGE_LD_LANGUAGE_MODEL"):
        asking.ask("How many ships are there?", way="model")


def test_the_command_prints_rows_and_query(ships: KnowledgeGraph) -> None:
    folder = str(ships.directory.path)
    said = CliRunner().invoke(app, ["ask-graph", folder, "What is the longest ship?", "--way", "grammar"])
    assert said.exit_code == 0, said.output
    assert "Golden Heron" in said.output
    assert "ORDER BY DESC" in said.output
    said = CliRunner().invoke(app, ["ask-graph", folder, "How many ships are there?", "--format", "json"])
    assert json.loads(said.output)["rows"] == [[3]]


def test_a_text_too_long_for_a_question_is_left_to_search(asking: GraphQuestions) -> None:
    """The work on the readings of a question grows faster than its words."""
    name = "the Golden Heron of Halvorsen Marine and "
    answer = asking.ask("Which ships are " + name * 230, way="grammar")
    assert (answer.is_sure, answer.query, answer.way) == (False, None, Way.HYBRID)
    assert answer.fallback is not None


def test_the_work_on_the_readings_of_a_question_can_be_ended(asking: GraphQuestions) -> None:
    looks = itertools.count()

    def check() -> None:
        if next(looks) == 3:  # the RDF, a reading of it, the table, a reading of that
            raise TimeLimitError("it takes too long")

    question = (
        "Which ships by Halvorsen Marine have a longer length than the Golden Heron and the Grey Plover?"
    )
    with pytest.raises(TimeLimitError):
        asking.interpretations(question, asking.graph.snapshot(), check)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which wharf is the longest?", {"urn:w:b", "urn:w:c"}),
        ("Which wharf is the shortest?", {"urn:w:a"}),
        ("Which wharf has the most cranes?", {"urn:w:a", "urn:w:c"}),
    ],
)
def test_all_that_share_the_first_place_are_given(tmp_path: Path, question: str, expected: set[str]) -> None:
    wharves = """@prefix : <urn:w:> .
      :a a :Wharf ; :name "Amber" ; :length 40 ; :crane :one , :two .
      :b a :Wharf ; :name "Birch" ; :length 90 ; :crane :three .
      :c a :Wharf ; :name "Cedar" ; :length 90 ; :crane :four , :five .
      :one a :Crane ; :name "C1" . :two a :Crane ; :name "C2" . :three a :Crane ; :name "C3" .
      :four a :Crane ; :name "C4" . :five a :Crane ; :name "C5" ."""
    (tmp_path / "wharves.ttl").write_text(wharves, "utf-8")
    with closing(KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")) as graph:
        graph.ingest([tmp_path / "wharves.ttl"])
        with GraphQuestions(graph) as questions:
            answer = questions.ask(question)
    assert {row[0].iri for row in answer.rows} == expected
