"""Answers of a model's server that never end, are huge, lead elsewhere, or are no text."""

from __future__ import annotations

import contextlib
import itertools
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from foundation.language_model.scripted_server import Failure, Said, scripted_server
from waiting import PATIENCE

from sage_ld.foundation.errors import AbandonedError, UnavailableError
from sage_ld.foundation.language_model import CallBudget, LanguageModel, MalformedAnswerError, ModelTask
from sage_ld.foundation.language_model.json_answers import read_object
from sage_ld.foundation.settings import Settings

QUESTION = [{"role": "user", "content": "Who sang it?"}]
SCHEMA = {"type": "object", "properties": {"name": {"enum": ["Astrid"]}}, "required": ["name"]}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
Send = Callable[[bytes], None]
_MOST = 64 * 2**20  # bytes that a server sends in a test where nobody stops it


@contextmanager
def sending(answer: Callable[[Send, threading.Event], None]) -> Iterator[str]:
    """A server that answers each request by a function, which gets `send` and an event for the end."""
    over = threading.Event()

    def serve(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.recv(1 << 16)
            answer(connection.sendall, over)

    def accept(listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=accept, args=(listening,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        finally:
            over.set()
            listening.shutdown(socket.SHUT_RDWR)


@contextmanager
def asking(url: str, seconds: float = PATIENCE) -> Iterator[ModelTask]:
    settings = Settings(
        language_model="m",
        language_base_url=url,
        language_cache_bytes=0,
        language_retries=0,
        language_timeout=seconds,
    )
    with LanguageModel.of(settings).task("test", CallBudget(5, 5_000, 2 * seconds)) as task:
        yield task


def drip(block: bytes) -> Callable[[Send, threading.Event], None]:
    """Sends a block now and then until somebody hangs up."""

    def answer(send: Send, over: threading.Event) -> None:
        send(HEAD + b"\r\n")
        while not over.wait(0.05):
            send(block)

    return answer


def flood(send: Send, over: threading.Event) -> None:
    send(HEAD + b"\r\ndata: ")
    block = b"x" * 2**16
    for _ in itertools.takewhile(lambda sent: sent < _MOST and not over.is_set(), itertools.count(0, 2**16)):
        send(block)


@pytest.mark.parametrize("ask", [ModelTask.ask, lambda task, said: list(task.stream(said))])
@pytest.mark.parametrize("block", [b" ", b": still here\n\n"])
def test_an_answer_that_never_ends_is_given_up(
    ask: Callable[[ModelTask, list[dict[str, str]]], object], block: bytes
) -> None:
    with (
        sending(drip(block)) as url,
        asking(url, 0.5) as task,
        pytest.raises(UnavailableError, match="in time"),
    ):
        ask(task, QUESTION)


@pytest.mark.parametrize("ask", [ModelTask.ask, lambda task, said: list(task.stream(said))])
def test_a_huge_answer_is_not_kept_in_memory(
    ask: Callable[[ModelTask, list[dict[str, str]]], object],
) -> None:
    with sending(flood) as url, asking(url) as task, pytest.raises(UnavailableError, match="too long"):
        ask(task, QUESTION)


def test_a_compressed_answer_which_nobody_asked_for_is_refused() -> None:
    def answer(send: Send, over: threading.Event) -> None:
        send(HEAD + b"Content-Encoding: gzip\r\n\r\n")

    with sending(answer) as url, asking(url) as task, pytest.raises(UnavailableError, match="compressed"):
        task.ask(QUESTION)


def test_prompts_follow_no_redirection_to_another_server() -> None:
    with scripted_server("Astrid") as other:

        def answer(send: Send, over: threading.Event) -> None:
            address = f"{other.url}/chat/completions".encode()
            send(b"HTTP/1.1 307 There\r\nContent-Length: 0\r\nLocation: " + address + b"\r\n\r\n")

        with sending(answer) as url, asking(url) as task, pytest.raises(UnavailableError, match="HTTP 307"):
            task.ask(QUESTION)
        assert other.requests == []


def test_halves_of_characters_in_an_answer_and_a_question_are_replaced(tmp_path: Path) -> None:
    with scripted_server("Astrid\ud800", "Berg") as server:
        settings = server.settings(language_cache_bytes=1 << 20, cache_dir=str(tmp_path))
        with LanguageModel.of(settings).task("test", CallBudget(5, 5_000, 60)) as task:
            assert task.ask(QUESTION) == "Astrid?"
            assert task.ask([{"role": "user", "content": "Who\udfff?"}]) == "Berg"
    assert server.requests[1]["messages"][0]["content"] == "Who??"


@pytest.mark.parametrize("said", ['{"name": "\\ud800"}', '{"\\ud800": 1}', '{"name": 1e999}'])
def test_json_that_nobody_can_write_again_is_a_fault(said: str) -> None:
    with scripted_server(said) as server:
        with (
            LanguageModel.of(server.settings()).task("test", CallBudget(5, 5_000, 60)) as task,
            pytest.raises(MalformedAnswerError),
        ):
            task.ask_json(QUESTION, SCHEMA)
        assert len(server.requests) == 2


def test_a_fence_with_endless_lines_is_read_in_one_go() -> None:
    assert read_object("```" + "\n" * 200_000, SCHEMA) == ({}, "there is no JSON object in it")


def test_who_hangs_up_ends_the_wait_between_two_tries() -> None:
    looks = itertools.count()

    def check() -> None:
        if next(looks) > 3:
            raise AbandonedError("the client has gone")

    with scripted_server(Failure(429, headers={"Retry-After": "3000"}), Said("Astrid")) as server:
        model = LanguageModel.of(server.settings(language_seconds=4_000.0))
        with (
            model.task("test", CallBudget(5, 5_000, 4_000.0), check) as task,
            pytest.raises(AbandonedError),
        ):
            task.ask(QUESTION)
        assert len(server.requests) == 1


@pytest.mark.parametrize("value", ["NULL", "12", "'Astrid'"])
def test_a_value_of_the_cache_that_is_no_bytes_is_asked_for_again(tmp_path: Path, value: str) -> None:
    with scripted_server("Berg") as server:
        model = LanguageModel.of(server.settings(language_cache_bytes=1 << 20, cache_dir=str(tmp_path)))
        for _ in range(2):
            with model.task("test", CallBudget(5, 5_000, 60)) as task:
                assert task.ask(QUESTION) == "Berg"
            with closing(sqlite3.connect(tmp_path / "answers.sqlite")) as database, database:
                database.execute(f"UPDATE answers SET answer = {value}")
        assert len(server.requests) == 2
