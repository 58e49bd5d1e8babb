"""Answering a question of a graph in sentences with citations, extracted or written by a language model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Unpack

from sage_ld.agents.answering.answer import AnswerMethod, CitedAnswer, CitedSentence
from sage_ld.agents.answering.extraction import extracted_answer
from sage_ld.agents.answering.model_answer import BUDGET, CheckedSentences, written_sentences
from sage_ld.foundation import arguments
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import InputError, LimitError, UnavailableError
from sage_ld.foundation.language_model import LanguageModel
from sage_ld.foundation.question import Answer
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.store import reading
from sage_ld.graph.store.reading import StoredChunk
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.retriever import RetrievalOptions

SENTENCES: Final = 3
"""Sentences of an answer unless another number is given."""


def answer_question(
    retriever: Retriever,
    question: str,
    k: int = 10,
    from_graph: int | None = None,
    *,
    sentences: int = SENTENCES,
    method: AnswerMethod | str | None = None,
    **options: Unpack[RetrievalOptions],
) -> CitedAnswer:
    """The answer to a question in at most `sentences` sentences, from what `Retriever.retrieve` finds.

    `method` is extraction or model; unless given, a model writes the answer where the settings name one.
    The other arguments are those of `Retriever.retrieve`, and so are the errors; LimitError for more
    sentences than the setting max_answer_sentences. A model that fails raises nothing: the answer is
    extracted then, and its note says why.
    """
    graph = retriever.graph
    _checked(sentences, graph.settings)
    at = options.get("at")
    snapshot = options["at"] = graph.snapshot() if at is None else at
    retrieval = retriever.retrieve(question, k, from_graph, **options)
    check = options.get("check", unchecked)
    return answer_from(retriever, snapshot, retrieval, sentences, method, check)


def answer_from(
    retriever: Retriever,
    snapshot: Snapshot,
    retrieval: Answer,
    sentences: int = SENTENCES,
    method: AnswerMethod | str | None = None,
    check: Check = unchecked,
) -> CitedAnswer:
    """The answer from what a retriever found in a revision; `check` ends the work by raising an error."""
    parts = list(_parts(retriever, snapshot, retrieval, sentences, method, check, streamed=False))
    assert isinstance(parts[-1], CitedAnswer)
    return parts[-1]


def answer_stream(
    retriever: Retriever,
    snapshot: Snapshot,
    retrieval: Answer,
    sentences: int = SENTENCES,
    method: AnswerMethod | str | None = None,
    check: Check = unchecked,
) -> Iterator[CitedSentence | CitedAnswer]:
    """Each sentence of an answer as soon as it is there, and at the end the whole."""
    return _parts(retriever, snapshot, retrieval, sentences, method, check, streamed=True)


def _parts(
    retriever: Retriever,
    snapshot: Snapshot,
    retrieval: Answer,
    sentences: int,
    method: AnswerMethod | str | None,
    check: Check,
    *,
    streamed: bool,
) -> Iterator[CitedSentence | CitedAnswer]:
    graph = retriever.graph
    most, settings = _checked(sentences, graph.settings), graph.settings
    note = ""
    if _method(method, settings) is AnswerMethod.MODEL and retrieval.results:
        written = CheckedSentences()
        try:
            model = graph.language_model("an answer in words of its own")
            with model.task("answer", BUDGET, check) as task:
                sources = _sources(snapshot, retrieval)
                yield from written_sentences(task, retrieval, sources, most, written, streamed=streamed)
        except (UnavailableError, InputError) as error:
            note = str(error)
        if written.kept or not (note or written.dropped):
            kept, note_of_answer = tuple(written.kept), _note(written, note)
            yield CitedAnswer(kept, retrieval, AnswerMethod.MODEL, note_of_answer, settings.language_model)
            return
        note = f"these sentences are extracted: {note or 'no citation of the language model holds'}"
    extracted = extracted_answer(retriever, snapshot, retrieval, most, check)
    yield from extracted.sentences
    notes = filter(None, (note, extracted.note))
    yield CitedAnswer(extracted.sentences, retrieval, note="; ".join(notes))


def _note(written: CheckedSentences, error: str) -> str:
    """A note on the parts that are missing in a model's answer."""
    cut = [f"the answer ends early: {error}"] if error else []
    if written.dropped:
        cut.append(f"left out, since no citation holds: {written.dropped} of the model's sentences")
    return "; ".join(cut)


def _sources(snapshot: Snapshot, retrieval: Answer) -> Sequence[StoredChunk]:
    """The chunks of the results, in their order."""
    iris = [result.view.iri for result in retrieval.results]
    stored = {each.iri: each for each in reading.chunks(snapshot.store, iris, links=False)}
    return [stored[iri] for iri in iris if iri in stored]


def _method(given: AnswerMethod | str | None, settings: Settings) -> AnswerMethod:
    if given is None:
        return AnswerMethod.MODEL if LanguageModel.is_set(settings) else AnswerMethod.EXTRACTION
    if given not in list(AnswerMethod):
        raise InputError(f"method: {str(given)[:40]!r} is not a method; give {' or '.join(AnswerMethod)}")
    return AnswerMethod(given)


def _checked(sentences: int, settings: Settings) -> int:
    sentences = arguments.whole_number(sentences, "sentences")
    if sentences < 1:
        raise InputError(f"sentences is {sentences}; give at least 1")
    if sentences > (limit := settings.max_answer_sentences):
        raise LimitError.of("sentences", sentences, limit, "sentences of an answer", "max_answer_sentences")
    return sentences
