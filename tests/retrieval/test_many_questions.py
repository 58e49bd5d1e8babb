"""Several questions in one call, and questions from coroutines."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from waiting import PATIENCE

from sage_ld.build.encoders.minilm import MiniLM
from sage_ld.foundation.errors import AbandonedError, InputError, LimitError
from sage_ld.foundation.model import FloatArray
from sage_ld.foundation.question import Filter, Question, QuestionOptions
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.retriever import RetrievalOptions

QUESTIONS = ["Who won the Golden Heron?", "Who wrote the music?", "Who won the Golden Heron?"]


def test_many_answers_are_those_of_each_question_alone(graph: KnowledgeGraph) -> None:
    only = Filter(kinds=("text",))
    answers = Retriever(graph).retrieve_many(QUESTIONS, 5, 3, only=only, offset=1)
    assert answers == tuple(Retriever(graph).retrieve(each, 5, 3, only=only, offset=1) for each in QUESTIONS)
    assert Retriever(graph).retrieve_many([]) == ()


def test_the_questions_are_encoded_in_one_call(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[list[str]] = []
    encode = graph.encoder.encode_queries

    def counted(texts: Sequence[str]) -> FloatArray:
        calls.append(list(texts))
        return encode(texts)

    monkeypatch.setattr(graph.encoder, "encode_queries", counted)
    Retriever(graph).retrieve_many(QUESTIONS)
    assert calls == [QUESTIONS[:2]]


def test_a_question_that_cannot_be_asked_is_named_before_any_is_answered(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Retriever, "retrieve", None)
    with pytest.raises(InputError, match=r"questions/1: the question is empty"):
        Retriever(graph).retrieve_many(["Who?", " "])
    with pytest.raises(LimitError, match=r"questions/2: question: 10,001 characters"):
        Retriever(graph).retrieve_many(["a", "b", "c" * 10_001])
    wrong: Any = "Who?"
    with pytest.raises(InputError, match="give a list of strings"):
        Retriever(graph).retrieve_many(wrong)


def test_options_are_the_named_arguments_of_retrieve() -> None:
    by_name = [each.name for each in fields(Question)][3:]
    assert list(QuestionOptions.__annotations__) == [*by_name, "neighbours"]
    assert RetrievalOptions.__annotations__.keys() - QuestionOptions.__annotations__.keys() == {"at", "check"}


def test_coroutines_get_the_same_answers(graph: KnowledgeGraph) -> None:
    async def both() -> tuple[Any, Any]:
        retriever = Retriever(graph)
        return await asyncio.gather(
            retriever.aretrieve(QUESTIONS[0], 2, mode="bm25"), retriever.aretrieve_many(QUESTIONS, 2)
        )

    one, many = asyncio.run(both())
    assert one == Retriever(graph).retrieve(QUESTIONS[0], 2, mode="bm25")
    assert many == Retriever(graph).retrieve_many(QUESTIONS, 2)


def test_work_for_a_cancelled_task_ends(graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, ended = threading.Event(), threading.Event()
    cancelled = threading.Event()

    def slow(_self: Retriever, _question: str, *_: Any, check: Any, **__: Any) -> None:
        asked.set()
        cancelled.wait(PATIENCE)
        with pytest.raises(AbandonedError, match="cancelled"):
            check()
        ended.set()

    monkeypatch.setattr(Retriever, "retrieve", slow)

    async def begin_and_cancel() -> None:
        task = asyncio.create_task(Retriever(graph).aretrieve("Who?"))
        await asyncio.to_thread(asked.wait, PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        cancelled.set()

    asyncio.run(begin_and_cancel())
    assert ended.wait(PATIENCE)


@pytest.mark.encoder
def test_questions_encoded_together_have_the_vectors_of_each_alone() -> None:
    texts = ["Who won?", "What did the winner of the Golden Heron write?", "", "river " * 300]
    encoder = MiniLM("fp32")
    assert np.array_equal(encoder.encode_queries(texts), [encoder.encode_query(text) for text in texts])
    assert encoder.encode_queries([]).shape == (0, 384)
