"""The forms of an answer with citations: JSON-LD, flat JSON, and the events of a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

from sage_ld.agents.answering.answer import Citation, CitedAnswer, CitedSentence
from sage_ld.graph.exports import jsonld_context
from sage_ld.retrieval.answers.results import answer_context, chunk_node, retrieval_node

_TERMS: Final = frozenset(
    {
        *("Answer", "Quotation", "Sentence", "hasPart", "citation", "isInGraph", "answerMethod", "comment"),
        *("beginIndex", "endIndex", "position", "ModelCall", "task", "languageModel"),
    }
)


class Event(NamedTuple):
    """An event of a streamed answer."""

    name: str
    """`sentence`, and at the end `answer`."""
    data: dict[str, object]


def cited_answer_jsonld(answer: CitedAnswer) -> dict[str, object]:
    """The JSON-LD document of an answer: a `schema:Answer` whose sentences cite quotations of chunks."""
    retrieval = retrieval_node(answer.retrieval)
    return {
        "@context": answer_context(retrieval) | _own_context(),
        **_head(answer),
        "hasPart": [
            sentence_node(sentence, position) for position, sentence in enumerate(answer.sentences, 1)
        ],
        "wasGeneratedBy": [retrieval, _model_call(answer.model)] if answer.model else retrieval,
    }


def sentence_node(sentence: CitedSentence, position: int) -> dict[str, object]:
    """One sentence, the `position`th from 1, with its quotations."""
    return {
        "type": ["Sentence"],
        "position": position,
        "text": sentence.text,
        "citation": [_quotation(each) for each in sentence.citations],
    }


def plain_cited_answer(answer: CitedAnswer) -> dict[str, object]:
    """An answer as flat JSON."""
    return {
        "question": answer.retrieval.question,
        "answer": answer.text,
        "inGraph": answer.in_graph,
        "method": str(answer.method),
        "note": answer.note,
        **({"model": answer.model} if answer.model else {}),
        "revision": answer.retrieval.revision,
        "sentences": [_plain_sentence(each) for each in answer.sentences],
        **({"retrieval": answer.retrieval.identifier} if answer.retrieval.identifier else {}),
    }


def events(parts: Iterable[CitedSentence | CitedAnswer]) -> Iterator[Event]:
    """The events of an answer that comes in parts, the whole last, as `answer_stream` returns them."""
    for position, part in enumerate(parts, 1):
        if isinstance(part, CitedAnswer):
            yield Event("answer", cited_answer_jsonld(part))
        else:
            yield Event("sentence", sentence_node(part, position))


def _model_call(name: str) -> dict[str, object]:
    return {"type": ["ModelCall"], "task": "answer", "languageModel": name}


def _head(answer: CitedAnswer) -> dict[str, object]:
    return {
        "type": ["Answer"],
        "text": answer.text,
        "isInGraph": answer.in_graph,
        "answerMethod": str(answer.method),
        **({"comment": answer.note} if answer.note else {}),
    }


def _quotation(citation: Citation) -> dict[str, object]:
    return {
        "type": ["Quotation"],
        "text": citation.quote,
        "beginIndex": citation.begin,
        "endIndex": citation.end,
        "isPartOf": [chunk_node(citation.chunk)],
    }


def _plain_sentence(sentence: CitedSentence) -> dict[str, object]:
    return {
        "text": sentence.text,
        "cells": [{"column": column, "value": value} for column, value in sentence.cells],
        "citations": [_plain_citation(each) for each in sentence.citations],
    }


def _plain_citation(citation: Citation) -> dict[str, object]:
    view = citation.chunk
    return {
        "chunk": view.iri,
        "document": view.identifier,
        "title": view.title,
        "place": view.place,
        "begin": citation.begin,
        "end": citation.end,
        "quote": citation.quote,
    }


@cache
def _own_context() -> dict[str, object]:
    return jsonld_context.inline(_TERMS)
