"""The routes of questions, answers and kept retrievals, described."""

from __future__ import annotations

from sage_ld.foundation.settings import Settings
from sage_ld.service import request_examples
from sage_ld.service.api import (
    kept_retrievals,
    question_analysis,
    retrieval,
)
from sage_ld.service.openapi.parts import (
    JSON,
    LD_JSON,
    SECURED,
    TRIPLES,
    Described,
    answer_content,
    answer_of,
    events_of,
    in_query,
    json_body,
    json_response,
    media,
    operation_of,
)


def retrieval_paths(settings: Settings) -> Described:
    """The routes of questions and answers."""
    parameters, streamed = retrieval.schema(settings), retrieval.stream_schema(settings)
    posted = retrieval.post_schema(settings)
    answered = answer_of(
        "The answer: results by rank, each with its chunk and the path to it.",
        answer_content(["Answer"], ["PlainAnswer"]),
    )
    all_answered = answer_of(
        "The answer, or the answers to several questions in their order.",
        answer_content(["Answer", "Answers"], ["PlainAnswer", "PlainAnswers"]),
    )
    events = answer_of(
        "Events `seed`, each a Result at the score of its text, before the graph is asked; `neighbour`, and "
        "`seed` again for what else the answer has, each a Result; then one Summary, `summary`, which has "
        "the ranking and the JSON-LD context of them all. With the form `json` they are flat: each result is "
        "one of a PlainAnswer, the summary a PlainAnswer whose results have rank, role, score, chunk and "
        "parts. A late error is the event `problem`, a Problem, after which nothing comes.",
        events_of("seed", "neighbour", "summary", "problem", example=request_examples.EVENTS),
    )
    return {
        "/v1/retrieve": {
            "get": operation_of(
                "retrieval", "retrieve", "Ask a question", answered,
                "400", "404", "406", "413", "504", parameters=in_query(parameters), cached=True,
            ),
            "post": operation_of(
                "retrieval", "retrieveByPost", "Ask a question, or several, with parameters as JSON",
                all_answered, "400", "404", "406", "413", "415", "504",
                body=json_body(posted, request_examples.QUESTIONS | request_examples.BATCHES),
            ),
        },
        "/v1/retrieve/stream": {
            "post": operation_of(
                "retrieval", "retrieveStream", "Ask a question, and take results as they come", events,
                "400", "404", "406", "413", "415", "504",
                body=json_body(streamed, request_examples.QUESTIONS),
            )
        },
        "/v1/explain": {
            "get": operation_of(
                "retrieval", "explain", "Say why a chunk is, or is not, in the answer to a question",
                answer_of("The reason.", {JSON: media("Explanation")}),
                "400", "404", "406", "413", "504",
                parameters=in_query(retrieval.explain_schema(settings)), cached=True,
            )
        },
        "/v1/outline": {
            "get": operation_of(
                "retrieval", "outline", "Show the sections of a document with their scores for a question",
                answer_of("The document and its sections.", {JSON: media("Outline")}),
                "400", "404", "406", "413", "504",
                parameters=in_query(retrieval.outline_schema(settings)), cached=True,
            )
        },
        "/v1/analyse": {
            "get": operation_of(
                "retrieval", "analyse", "Say how hard a question is, by the graph around what it names",
                answer_of("The difficulty, and what it follows from.", {JSON: media("QuestionAnalysis")}),
                "400", "404", "406", "413", "504",
                parameters=in_query(question_analysis.schema(settings)), cached=True,
            )
        },
    }  # fmt: skip


def kept_paths(settings: Settings) -> Described:
    """The routes of kept retrievals, which need a token."""
    identifier = {
        "name": "identifier",
        "in": "path",
        "required": True,
        "description": "The part of the retrieval's IRI after `retrieval/`.",
        "schema": {"type": "string", "pattern": "^[0-9a-f]{24}$", "maxLength": 24},
    }
    one = {LD_JSON: media("KeptRetrieval"), JSON: media("PlainKeptRetrieval"), **TRIPLES}
    pages = in_query(kept_retrievals.page_schema(settings))
    figures = in_query(kept_retrievals.analytics_schema(settings))
    said = json_body(kept_retrievals.feedback_schema(settings), request_examples.FEEDBACK)
    rows: tuple[tuple[str, str, Described], ...] = (
        ("/v1/retrievals", "get", operation_of(
            "provenance", "retrievals", "The kept retrievals, the last one first, without their results",
            json_response("The retrievals.", "KeptRetrievals"), "400", "406", "413", parameters=pages,
        )),
        ("/v1/retrievals", "delete", operation_of(
            "provenance", "clearRetrievals", "Delete all kept retrievals, with the feedback on them",
            answer_of("How many were deleted.", {JSON: media("Removed")}), "400",
        )),
        ("/v1/retrievals/{identifier}", "get", operation_of(
            "provenance", "keptRetrieval", "One kept retrieval, with its results and the feedback on them",
            answer_of("The retrieval.", one), "400", "406", parameters=[identifier],
        )),
        ("/v1/retrievals/{identifier}", "delete", operation_of(
            "provenance", "deleteRetrieval", "Delete one kept retrieval, with the feedback on it",
            answer_of("It is deleted.", {}), "400", parameters=[identifier], status="204",
        )),
        ("/v1/retrievals/{identifier}/feedback", "post", operation_of(
            "provenance", "feedback", "Say whether a result of a retrieval helped, or change what was said",
            json_response("The judgement.", "Feedback"), "400", "406", "413", "415",
            parameters=[identifier], body=said,
        )),
        ("/v1/analytics", "get", operation_of(
            "provenance", "analytics", "Popular chunks, frequent and poor questions, and the time of answers",
            answer_of("The figures.", {JSON: media("Analytics")}), "400", "406", "413", "504",
            parameters=figures,
        )),
    )  # fmt: skip
    return secured(rows)


def secured(rows: tuple[tuple[str, str, Described], ...]) -> Described:
    """Operations by path and method, each of which needs a token."""
    described: Described = {}
    for path, method, operation in rows:
        described.setdefault(path, {})[method] = {**operation, "security": SECURED}
    return described
