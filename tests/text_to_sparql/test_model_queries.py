"""Queries that a language model writes, and what follows where they fail; the model is scripted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from language_model.scripted_server import Failure, ScriptedServer, scripted_server

from sage_ld.graph import KnowledgeGraph
from sage_ld.text_to_sparql import GraphQuestions
from sage_ld.text_to_sparql.answers import Way

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


def test_where_no_field_finds_anything_search_answers(ships: KnowledgeGraph) -> None:
    with asked(ships, NOTHING) as (questions, _):
        answer = questions.ask("Xyzzy plugh?")
    assert (answer.way, answer.is_sure, len(answer.attempts)) == (Way.HYBRID, False, 3)
    assert answer.fallback is not None


@pytest.mark.parametrize("line", ["no JSON", Failure(400)])
def test_a_model_that_fails_ends_the_rounds(ships: KnowledgeGraph, line: object) -> None:
    with asked(ships, line) as (questions, _):
        answer = questions.ask(QUESTION)
    assert answer.way is Way.UNION
    [attempt] = answer.attempts
    assert attempt.query == ""
    assert attempt.error


def test_a_spent_budget_ends_the_rounds(ships: KnowledgeGraph) -> None:
    with scripted_server(NOTHING) as server:
        opened = KnowledgeGraph(ships.directory, server.settings(language_calls=1))
        with GraphQuestions(opened) as questions:
            answer = questions.ask(QUESTION)
        opened.close()
    assert len(server.requests) == 1
    assert "language_calls" in answer.attempts[-1].error or "budget" in answer.attempts[-1].error


def test_where_the_grammar_is_sure_no_model_is_asked(ships: KnowledgeGraph) -> None:
    with asked(ships, GOOD) as (questions, server):
        answer = questions.ask("How many ships are there?")
    assert (answer.way, server.requests) == (Way.GRAMMAR, [])
