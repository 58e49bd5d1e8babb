"""The client of a language model against a server of our own that speaks the protocol."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from foundation.language_model.scripted_server import Failure, Said, ScriptedServer, scripted_server

from sage_ld.foundation.errors import AbandonedError, InputError, LimitError, SageError, UnavailableError
from sage_ld.foundation.language_model import (
    BudgetError,
    CallBudget,
    LanguageModel,
    MalformedAnswerError,
    ModelTask,
)
from sage_ld.foundation.language_model.json_answers import read_object
from sage_ld.foundation.settings import Settings

KEY = "sk-secret-of-the-test"
QUESTION = [{"role": "user", "content": "Who sang it?"}]
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@contextmanager
def asking(
    server: ScriptedServer, calls: int = 5, tokens: int = 5_000, seconds: float = 60, **settings: Any
) -> Iterator[ModelTask]:
    model = LanguageModel.of(server.settings(**settings))
    with model.task("test task", CallBudget(calls, tokens, seconds)) as task:
        yield task


def test_a_question_is_answered_and_counted() -> None:
    with scripted_server("Astrid") as server, asking(server) as task:
        assert task.ask(QUESTION) == "Astrid"
    [sent] = server.requests
    assert (sent["model"], sent["messages"], sent["temperature"]) == ("m", QUESTION, 0)
    assert server.keys == [f"Bearer {KEY}"]
    assert (task.used.calls, task.used.tokens, task.used.cached) == (1, 10, 0)
    [exchange] = task.exchanges
    assert (exchange.answer, exchange.tokens, exchange.cached) == ("Astrid", 10, False)


def test_tokens_are_estimated_where_the_server_does_not_say() -> None:
    with scripted_server(Said("Astrid Berg", tokens=None)) as server, asking(server) as task:
        task.ask(QUESTION)
    assert task.used.tokens == 4 + 3


@pytest.mark.parametrize(
    "said", ['{"name": "Astrid"}', '```json\n{"name": "Astrid"}\n```', 'Here: {"name": "Astrid"}.']
)
def test_json_is_checked_by_its_schema(said: str) -> None:
    with scripted_server(said) as server, asking(server) as task:
        assert task.ask_json(QUESTION, SCHEMA) == {"name": "Astrid"}
    assert server.requests[0]["response_format"]["json_schema"] == {"name": "test-task", "schema": SCHEMA}


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("Astrid", "there is no JSON object in it"),
        ('{"name": 5}', '/name: 5 is not of type "string"'),
        ("{}", '/: "name" is a required property'),
        (Said('{"name": "Ast', finish="length"), "it was cut off before its end"),
        ('{"name": NaN}', "there is no JSON object in it"),
    ],
)
def test_a_faulty_answer_is_sent_back_once(said: Any, fault: str) -> None:
    with scripted_server(said, {"name": "Astrid"}) as server, asking(server) as task:
        assert task.ask_json(QUESTION, SCHEMA) == {"name": "Astrid"}
    assert fault in server.requests[1]["messages"][-1]["content"]
    assert len(server.requests) == task.used.calls == 2


def test_a_second_faulty_answer_is_an_error() -> None:
    raised = pytest.raises(MalformedAnswerError, match="no JSON object")
    with scripted_server("no", "no again") as server, asking(server) as task, raised:
        task.ask_json(QUESTION, SCHEMA)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("refused", "gone", "instead"),
    [
        ("temperature", "temperature", None),
        ("max_completion_tokens", "max_completion_tokens", "max_tokens"),
        ("response_format", "response_format", None),
    ],
)
def test_a_parameter_that_the_server_refuses_is_left_out_from_then_on(
    refused: str, gone: str, instead: str | None
) -> None:
    failure = Failure(400, {"message": "unsupported parameter", "param": refused})
    with scripted_server(failure, {"name": "Astrid"}) as server:
        model = LanguageModel(server.settings())
        for _ in range(2):
            with model.task("t", CallBudget(2, 5_000, 60)) as task:
                assert task.ask_json(QUESTION, SCHEMA) == {"name": "Astrid"}
    assert [gone in sent for sent in server.requests] == [True, False, False]
    if instead:
        assert server.requests[1][instead] == server.requests[0][gone]
    said_in_words = "JSON Schema" in server.requests[1]["messages"][-1]["content"]
    assert said_in_words == (refused == "response_format")


@pytest.mark.parametrize("failures", [[429], [500, 503], [0, 408]])
def test_a_passing_failure_is_tried_again(failures: list[int]) -> None:
    script = [*map(Failure, failures), "Astrid"]
    with scripted_server(*script) as server, asking(server, calls=1) as task:
        assert task.ask(QUESTION) == "Astrid"
    assert len(server.requests) == len(failures) + 1


def test_the_wait_that_the_server_asks_for_is_kept() -> None:
    waiting = Failure(429, headers={"Retry-After-Ms": "900"})
    begin = time.monotonic()
    with scripted_server(waiting, "Astrid") as server, asking(server) as task:
        task.ask(QUESTION)
    assert time.monotonic() - begin > 0.9


def test_no_wait_is_longer_than_the_time_of_the_task() -> None:
    waiting = Failure(429, headers={"Retry-After": "600"})
    raised = pytest.raises(UnavailableError, match="HTTP 429")
    with scripted_server(waiting) as server, asking(server) as task, raised:
        task.ask(QUESTION)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("failure", "kind", "message"),
    [
        (Failure(401, {"message": f"wrong key {KEY}"}), UnavailableError, "check OPENAI_API_KEY"),
        (Failure(404), UnavailableError, "check the model's name"),
        (Failure(500), UnavailableError, "HTTP 500 after up to 2 tries"),
        (Failure(400), InputError, "refused the texts"),
        (Failure(0), UnavailableError, "no connection after 2 tries"),
    ],
)
def test_a_lasting_failure_is_an_error_without_the_key(
    failure: Failure, kind: type[SageError], message: str
) -> None:
    raised = pytest.raises(kind, match=message)
    with scripted_server(failure) as server, asking(server, language_retries=1) as task, raised as caught:
        task.ask(QUESTION)
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_slow_answer_is_given_up() -> None:
    patience = {"language_timeout": 0.2, "language_retries": 0}
    raised = pytest.raises(UnavailableError, match="no answer in time")
    with scripted_server(Said("late", delay=5)) as server, asking(server, **patience) as task, raised:
        task.ask(QUESTION)


@pytest.mark.parametrize(
    ("budget", "named"),
    [
        ({"calls": 1}, "1 calls .*language_calls"),
        ({"tokens": 13}, "13 tokens .*language_tokens"),
        ({"language_calls": 1}, "1 calls"),
    ],
)
def test_a_spent_budget_is_named(budget: dict[str, Any], named: str) -> None:
    with scripted_server("Astrid") as server, asking(server, **budget) as task:
        task.ask(QUESTION)
        with pytest.raises(BudgetError, match=named):
            task.ask(QUESTION)
    assert len(server.requests) == 1


def test_the_time_of_a_task_ends_it() -> None:
    with scripted_server(Said("Astrid", delay=0.3)) as server, asking(server, seconds=0.25) as task:
        with pytest.raises(SageError):
            task.ask(QUESTION)
        with pytest.raises(BudgetError, match="language_seconds"):
            task.ask(QUESTION)


def test_a_prompt_that_is_too_long_is_not_sent() -> None:
    raised = pytest.raises(LimitError, match="language_prompt_characters")
    with scripted_server("Astrid") as server, asking(server, language_prompt_characters=5) as task, raised:
        task.ask(QUESTION)
    assert server.requests == []


def test_answers_are_kept_on_disk(tmp_path: Any) -> None:
    cache = {"cache_dir": str(tmp_path), "language_cache_bytes": 1 << 20}
    with scripted_server("Astrid", {"name": "Berg"}) as server:
        for cached in (False, True):
            with asking(server, **cache) as task:
                assert task.ask(QUESTION) == "Astrid"
                assert task.ask_json(QUESTION, SCHEMA) == {"name": "Berg"}
                assert "".join(task.stream(QUESTION)) == "Astrid"
            assert task.used.calls == (0 if cached else 2)
            assert task.used.cached == (3 if cached else 1)
    assert len(server.requests) == 2


def test_what_was_cut_off_is_not_kept(tmp_path: Any) -> None:
    cache = {"cache_dir": str(tmp_path), "language_cache_bytes": 1 << 20}
    with scripted_server(Said("Ast", finish="length")) as server, asking(server, **cache) as task:
        assert [task.ask(QUESTION), task.ask(QUESTION)] == ["Ast", "Ast"]
    assert len(server.requests) == 2


def test_an_answer_streams() -> None:
    with scripted_server(Said("Astrid sang it", tokens=7)) as server, asking(server) as task:
        assert list(task.stream(QUESTION)) == ["Astrid", " sang", " it"]
    assert task.used.tokens == 7
    assert task.exchanges[0].answer == "Astrid sang it"


def test_a_stream_goes_on_without_the_count_of_tokens_where_the_server_refuses_it() -> None:
    failure = Failure(400, {"message": "Extra inputs are not permitted", "param": "stream_options"})
    with scripted_server(failure, "Astrid sang") as server, asking(server, calls=1) as task:
        assert list(task.stream(QUESTION)) == ["Astrid", " sang"]
    assert ["stream_options" in sent for sent in server.requests] == [True, False]
    assert task.used.tokens > 0


def test_a_stream_is_tried_again_before_it_begins() -> None:
    with scripted_server(Failure(429), "Astrid sang") as server, asking(server, calls=1) as task:
        assert list(task.stream(QUESTION)) == ["Astrid", " sang"]
    assert len(server.requests) == 2


def test_a_stream_that_breaks_off_is_an_error() -> None:
    raised = pytest.raises(UnavailableError, match="breaks off")
    with scripted_server(Said("Astrid sang it", broken=True)) as server, asking(server) as task, raised:
        list(task.stream(QUESTION))


def test_a_stream_ends_where_nobody_waits_for_it() -> None:
    gone = threading.Event()

    def check() -> None:
        if gone.is_set():
            raise AbandonedError("gone")

    with scripted_server(Said("word " * 200, pause=0.02)) as server:
        model = LanguageModel.of(server.settings())
        with model.task("t", CallBudget(1, 5_000, 60), check) as task:
            pieces = task.stream(QUESTION)
            next(pieces)
            gone.set()
            with pytest.raises(AbandonedError):
                list(pieces)


def test_without_a_model_one_line_says_how_to_set_one() -> None:
    with pytest.raises(UnavailableError, match=r"reason needs a language model.*SAGE_LD_LANGUAGE_MODEL"):
        LanguageModel.of(Settings(), "reason")


def test_openai_is_not_asked_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    model = LanguageModel.of(Settings(language_model="m", language_cache_bytes=0))
    raised = pytest.raises(InputError, match="set OPENAI_API_KEY, or SAGE_LD_LANGUAGE_BASE_URL")
    with model.task("t", CallBudget(1, 5_000, 60)) as task, raised:
        task.ask(QUESTION)


def test_numbers_that_no_program_can_take_are_faults() -> None:
    schema = {"properties": {"n": {"type": "number"}}}
    for number in ("9" * 400, "-" + "9" * 5_000, "1e999", "NaN"):
        assert read_object(f'{{"n": {number}}}', schema)[1] == "there is no JSON object in it"
    value, faults = read_object('{"n": 1e300}', schema)
    assert (float(value["n"]), faults) == (1e300, "")
    assert type(read_object('{"n": 2.0}', schema)[0]["n"]) is int


@pytest.mark.parametrize("depth", [300, 900, 100_000])
def test_an_answer_that_is_nested_too_deep_has_faults(depth: int) -> None:
    schema = {"properties": {"a": {"type": "string"}}, "additionalProperties": False}
    assert read_object('{"a":' * depth + "1" + "}" * depth, schema)[1]
