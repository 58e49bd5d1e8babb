"""Answers that a language model writes from retrieved chunks, each citation checked against its chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from sage_ld.agents.answering.answer import Citation, CitedSentence
from sage_ld.agents.answering.citation_checks import numbers_stand, quoted_span
from sage_ld.agents.answering.model_prompt import ANSWER, PROMPT_CHARACTERS, SENTENCE, messages, prompted
from sage_ld.foundation.language_model import CallBudget, MalformedAnswerError, ModelTask
from sage_ld.foundation.language_model.json_answers import read_object
from sage_ld.foundation.model import ChunkView
from sage_ld.foundation.question import Answer
from sage_ld.graph.store.reading import StoredChunk

BUDGET: Final = CallBudget(calls=2, tokens=30_000, seconds=60.0)
"""Of one answer: the call, and another one for an answer that has to be repaired."""


@dataclass(slots=True)
class CheckedSentences:
    """The outcome of checking the sentences of a model."""

    kept: list[CitedSentence] = field(default_factory=list)
    dropped: int = 0
    """Sentences of whose citations none held, or with a number that stands in none of them."""


def written_sentences(
    task: ModelTask,
    retrieval: Answer,
    sources: Sequence[StoredChunk],
    sentences: int,
    written: CheckedSentences,
    *,
    streamed: bool,
) -> Iterator[CitedSentence]:
    """The sentences that hold, as they come where the answer is `streamed`; `written` counts them.

    `sources` are the chunks of the results, in their order. Raises what `ModelTask` raises.
    """
    shown = prompted(sources, PROMPT_CHARACTERS)
    asked = messages(retrieval.question, shown, sentences, lines=streamed)
    answers = _lines(task.stream(asked)) if streamed else task.ask_json(asked, ANSWER)["sentences"]
    views = {result.view.iri: result.view for result in retrieval.results}
    for each in answers:
        if len(written.kept) == sentences:
            return
        sentence = _checked(each, retrieval.question, shown, views)
        if sentence is None:
            written.dropped += 1
        else:
            written.kept.append(sentence)
            yield sentence


def _lines(pieces: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The sentences of an answer in JSON Lines, each once its line is whole; other lines are left out.

    An answer that is one object after all is read at its end. Raises MalformedAnswerError for one that is
    neither, nor says `{}`.
    """
    rest: list[str] = []
    lines: list[str] = []
    count = 0
    for piece in chain(pieces, ["\n"]):
        first, *others = piece.split("\n")
        rest.append(first)
        if not others:
            continue
        whole = ["".join(rest), *others[:-1]]
        rest = others[-1:]
        lines += whole
        for each in _read(whole):
            count += 1
            yield each
    text = "\n".join(lines).strip()
    if not count and text not in ("", "{}"):
        value, faults = read_object(text, ANSWER)
        if faults:
            raise MalformedAnswerError(f"the answer is not the JSON that was asked for ({faults[:200]})")
        yield from value["sentences"]


def _read(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        value, faults = read_object(line, SENTENCE)
        if not faults:
            yield value


def _checked(
    sentence: Mapping[str, Any],
    question: str,
    shown: Sequence[StoredChunk],
    views: Mapping[str, ChunkView],
) -> CitedSentence | None:
    """A sentence with those of its citations that hold; None without one."""
    cited: dict[Citation, StoredChunk] = {}
    for each in sentence["citations"]:
        if not 1 <= each["passage"] <= len(shown):
            continue
        source = shown[each["passage"] - 1]
        if (span := quoted_span(source, each["quote"])) is not None:
            begin, end = span
            text = source.chunk.text[begin - source.chunk.begin : end - source.chunk.begin]
            cited[Citation(views[source.iri], begin, end, text)] = source
    text = " ".join(sentence["text"].split())
    texts = [part for each in cited.values() for part in (each.chunk.text, each.chunk.heading)]
    if not text or not cited or not numbers_stand(text, [*texts, question]):
        return None
    return CitedSentence(text, tuple(cited))
