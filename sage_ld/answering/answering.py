"""Answering a question of a graph in sentences with citations."""

from __future__ import annotations

from typing import Final, Unpack

from sage_ld import arguments
from sage_ld.answering.answer import CitedAnswer
from sage_ld.answering.extraction import extracted_answer
from sage_ld.deadline import Check, unchecked
from sage_ld.errors import InputError, LimitError
from sage_ld.graph import Snapshot
from sage_ld.model import Answer
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.retriever import RetrievalOptions
from sage_ld.settings import Settings

SENTENCES: Final = 3
"""Sentences of an answer unless another number is given."""


def answer_question(
    retriever: Retriever,
    question: str,
    k: int = 5,
    neighbours: int = 5,
    *,
    sentences: int = SENTENCES,
    **options: Unpack[RetrievalOptions],
) -> CitedAnswer:
    """The answer to a question in at most so many `sentences`, from what `Retriever.retrieve` finds.

    The other arguments are those of `Retriever.retrieve`, and so are the errors; LimitError for more
    sentences than the setting max_answer_sentences.
    """
    settings = retriever.graph.settings
    most = _checked(sentences, settings)
    at = options.get("at")
    snapshot = options["at"] = retriever.graph.snapshot() if at is None else at
    retrieval = retriever.retrieve(question, k, neighbours, **options)
    return answer_from(snapshot, retrieval, settings, most, options.get("check", unchecked))


def answer_from(
    snapshot: Snapshot,
    retrieval: Answer,
    settings: Settings,
    sentences: int = SENTENCES,
    check: Check = unchecked,
) -> CitedAnswer:
    """The answer from what was retrieved from a revision; `check` ends the work by raising an error."""
    return extracted_answer(
        snapshot, retrieval, _checked(sentences, settings), settings.max_query_terms, check
    )


def _checked(sentences: int, settings: Settings) -> int:
    sentences = arguments.whole_number(sentences, "sentences")
    if sentences < 1:
        raise InputError(f"sentences is {sentences}; give at least 1")
    if sentences > (limit := settings.max_answer_sentences):
        raise LimitError.of("sentences", sentences, limit, "sentences of an answer", "max_answer_sentences")
    return sentences
