"""Queries that a language model writes, and what follows where they fail; the model is scripted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from foundation.language_model.scripted_server import Failure, Said, ScriptedServer, scripted_server

from sage_ld.agents.text_to_sparql import GraphQuestions
from sage_ld.agents.text_to_sparql.answers import Attempt, Way
from sage_ld.agents.text_to_sparql.model_queries import write_query
from sage_ld.foundation.errors import AbandonedError, BusyError
from sage_ld.foundation.language_model import LanguageModel
from sage_ld.graph import KnowledgeGraph

QUESTION = "Which vessel slipped into the water of Wren first?"
NOTHING = {"language": "sparql", "query": "SELECT * { <urn:a> <urn:b> ?c }"}
GOOD = {"language": "sparql", "query": 'SELECT ?s { ?s <http://example.org/d/name> "Little Auk" }'}


@contextmanager
def asked(ships: KnowledgeGraph, *script: object) -> Iterator[tuple[GraphQuestions, ScriptedServer]]:
    with scripted_server(*script) as server:
        opened = KnowledgeGraph(ships.directory, server.settings())
        with GraphQuestions(opened) as questions:
            yield questions, server
        opened.close()


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-test")


def test_a_query_of_the_model_is_run(ships: KnowledgeGraph) -> None:
    with asked(ships, GOOD) as (questions, server):
        answer = questions.ask(QUESTION)
    assert (answer.way, answer.is_sure, answer.attempts) == (Way.MODEL, True, ())
    assert [row[0].iri for row in answer.rows] == ["http://example.org/d/auk"]
    prompt = server.requests[0]["messages"][1]["content"]
    assert "<http://example.org/d/Ship>" in prompt
    assert "Tobias Wren" in prompt  # found in the field of names


def test_sql_of_the_model_is_run(ships: KnowledgeGraph) -> None:
    with asked(ships, {"language": "sql", "query": "SELECT max(depth) FROM ports"}) as (questions, _):
        answer = questions.ask(QUESTION, way="model")
    assert [[cell.value for cell in row] for row in answer.rows] == [[20.0]]
    assert [source.identifier for source in answer.sources] == ["ports.csv"]


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ({"language": "sparql", "query": "SELECT * {"}, "does not parse|error"),
        ({"language": "sparql", "query": "SELECT * { SERVICE <http://x/> { ?s ?p ?o } }"}, "SERVICE|server"),
        ({"language": "sparql", "query": "DROP ALL"}, "SELECT or an ASK"),
        ({"language": "sql", "query": "SELECT * FROM nowhere"}, "nowhere"),
        (NOTHING, "^$"),
    ],
)
def test_a_second_round_is_told_what_was_wrong(ships: KnowledgeGraph, first: object, told: str) -> None:
    with asked(ships, first, GOOD) as (questions, server):
        answer = questions.ask(QUESTION)
    assert answer.way is Way.MODEL
    [attempt] = answer.attempts
    assert re.search(told, attempt.error), attempt.error
    assert (attempt.error or "found nothing") in server.requests[1]["messages"][-1]["content"]


def test_after_three_rounds_the_fields_answer(ships: KnowledgeGraph) -> None:
    with asked(ships, NOTHING) as (questions, server):
        answer = questions.ask(QUESTION)
    assert len(server.requests) == len(answer.attempts) == 3
    assert (answer.way, answer.is_sure) == (Way.UNION, False)
    assert "http://example.org/d/tobias" in {row[0].iri for row in answer.rows}


def test_what_two_fields_find_is_the_answer(tmp_path: Path) -> None:
    """A label in one field and a note in another name the same resource, and the note others besides."""
    (tmp_path / "songs.ttl").write_text(
        "@prefix s: <http://example.org/s/> . "
        's:a a s:Song ; s:title "Night Bus" ; s:mood "gloomy" . '
        's:b a s:Song ; s:title "Salt Road" ; s:mood "gloomy" . '
        's:c a s:Song ; s:title "Golden Heron" ; s:mood "merry" .'
    )
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    made.ingest([tmp_path / "songs.ttl"])
    with asked(made, NOTHING) as (questions, _):
        answer = questions.ask("Is Night Bus gloomy?", way="model")
    made.close()
    assert (answer.way, answer.is_sure) == (Way.INTERSECTION, False)
    assert {row[0].iri for row in answer.rows} == {"http://example.org/s/a"}


def test_json_that_is_repaired_is_no_round(ships: KnowledgeGraph) -> None:
    with asked(ships, "no JSON", GOOD) as (questions, server):
        answer = questions.ask(QUESTION)
    assert (answer.way, answer.attempts, len(server.requests)) == (Way.MODEL, (), 2)


def test_a_query_that_takes_too_long_is_told(ships: KnowledgeGraph) -> None:
    product = " ".join(f"?a{n} ?b{n} ?c{n} ." for n in range(8))
    endless = {"language": "sparql", "query": f"SELECT (COUNT(*) AS ?n) {{ {product} }}"}
    with scripted_server(endless, "no JSON") as server:
        opened = KnowledgeGraph(ships.directory, server.settings(sparql_timeout=8.0, language_seconds=300.0))
        with GraphQuestions(opened) as questions:
            answer = questions.ask(QUESTION, way="model")
        opened.close()
    first = answer.attempts[0]
    assert "sparql_timeout" in first.error
    assert first.error in server.requests[1]["messages"][-1]["content"]


def test_a_caller_that_goes_away_ends_the_rounds(ships: KnowledgeGraph) -> None:
    def check() -> None:
        if server.requests:
            raise AbandonedError("nobody waits")

    with asked(ships, NOTHING) as (questions, server), pytest.raises(AbandonedError):
        questions.ask(QUESTION, way="model", check=check)
    assert len(server.requests) == 1


def test_where_no_field_finds_anything_search_answers(ships: KnowledgeGraph) -> None:
    with asked(ships, NOTHING) as (questions, _):
        answer = questions.ask("Xyzzy plugh?")
    assert (answer.way, answer.is_sure, len(answer.attempts)) == (Way.HYBRID, False, 3)
    assert answer.fallback is not None


@pytest.mark.parametrize("line", ["no JSON", Failure(400), Failure(500)])
def test_a_model_that_fails_ends_the_rounds(ships: KnowledgeGraph, line: object) -> None:
    with asked(ships, line) as (questions, _):
        answer = questions.ask(QUESTION)
    assert answer.way is Way.UNION
    [attempt] = answer.attempts
    assert attempt.query == ""
    assert attempt.error


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        ({"language_calls": 1}, "language_calls"),
        ({"language_tokens": 5_000}, "language_tokens"),
        ({"language_seconds": 3.0, "language_retries": 0}, "language_seconds|no answer in time"),
    ],
)
def test_a_spent_budget_ends_the_rounds(ships: KnowledgeGraph, budget: dict[str, float], told: str) -> None:
    script = [Said(json.dumps(NOTHING), tokens=5_000), Said("late", delay=10)]
    with scripted_server(*script) as server:
        opened = KnowledgeGraph(ships.directory, server.settings(**budget))
        with GraphQuestions(opened) as questions:
            answer = questions.ask(QUESTION)
        opened.close()
    assert [each.query for each in answer.attempts] == [NOTHING["query"], ""]
    assert re.search(told, answer.attempts[-1].error), answer.attempts[-1].error
    assert answer.way is Way.UNION


def test_where_the_grammar_is_sure_no_model_is_asked(ships: KnowledgeGraph) -> None:
    with asked(ships, GOOD) as (questions, server):
        answer = questions.ask("How many ships are there?")
    assert (answer.way, server.requests) == (Way.GRAMMAR, [])


def test_a_busy_service_is_no_fault_of_the_query(ships: KnowledgeGraph) -> None:
    def busy(*_: object) -> None:
        raise BusyError("no worker became free within 1 s (setting queue_timeout); try again")

    attempts: list[Attempt] = []
    with scripted_server(GOOD) as server, pytest.raises(BusyError):
        write_query(LanguageModel.of(server.settings()), QUESTION, (), busy, attempts)
    assert (len(server.requests), attempts) == (1, [])


def test_the_summary_of_the_schema_is_cut_to_what_the_question_names(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"part{number}.csv").write_text(f"part{number},weight\nx,{number}\ny,2\n")
    (tmp_path / "lighthouses.csv").write_text("lighthouse,keeper\nHask,Ruth Calloway\nSennet,Tobias Wren\n")
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    made.ingest(tmp_path)
    with asked(made, {"language": "sql", "query": "SELECT keeper FROM lighthouses"}) as (questions, server):
        questions.ask("Which keepers has the lighthouse of Hask?", way="model")
    made.close()
    prompt = server.requests[0]["messages"][1]["content"]
    shown = re.findall(r'^table "(.*?)"', prompt, re.M)
    assert (shown[0], len(shown)) == ("lighthouses", 12)
