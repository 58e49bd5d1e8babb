"""The route of answers in sentences, described."""

from __future__ import annotations

from sage_ld.foundation.settings import Settings
from sage_ld.service import request_examples
from sage_ld.service.api import answers
from sage_ld.service.openapi.parts import (
    JSON,
    LD_JSON,
    TRIPLES,
    Described,
    answer_of,
    events_of,
    in_query,
    json_body,
    media,
    operation_of,
)


def answer_paths(settings: Settings) -> Described:
    """The route of answers, by GET and by POST."""
    parameters = answers.schema(settings)
    whole = {LD_JSON: media("CitedAnswer"), JSON: media("PlainCitedAnswer"), **TRIPLES}
    stream = events_of("sentence", "answer", "problem", example=request_examples.ANSWER_EVENTS)
    answered = answer_of("The answer: sentences, each with the quotations that it rests on.", whole)
    streamed = answer_of(
        "The answer; as server-sent events, each `sentence` as it comes, then the whole as `answer`. A late "
        "error is the event `problem`, a Problem, after which nothing comes.",
        {**whole, **stream},
    )
    return {
        "/v1/answer": {
            "get": operation_of(
                "retrieval", "answer", "Answer a question in sentences with citations", answered,
                "400", "404", "406", "413", "504", parameters=in_query(parameters), cached=True,
            ),
            "post": operation_of(
                "retrieval", "answerByPost", "Answer a question in sentences, also as they come", streamed,
                "400", "404", "406", "413", "415", "504",
                body=json_body(answers.post_schema(settings), request_examples.CITED_QUESTIONS),
            ),
        }
    }  # fmt: skip
