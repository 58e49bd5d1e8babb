"""`/v1/answer`: answers in sentences with citations, whole or sentence by sentence.

The requests and answers of each route are in `/openapi.json`, checked by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Final

from flask import Response, request

from sage_ld.agents.answering.answer import AnswerMethod, CitedAnswer, CitedSentence
from sage_ld.agents.answering.answering import SENTENCES, answer_from, answer_stream
from sage_ld.agents.answering.forms import cited_answer_jsonld, events, plain_cited_answer
from sage_ld.agents.http import answer_schemas, examples
from sage_ld.foundation.deadline import Check, deadline
from sage_ld.foundation.question import Answer
from sage_ld.graph import Snapshot
from sage_ld.graph.exports.jsonld_context import by_address
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.results import triples
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.context import require_change, service
from sage_ld.service.http import responses
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.negotiation import Choice, Offer
from sage_ld.service.http.server_events import EVENTS, event, event_stream, problem_event
from sage_ld.service.openapi.parts import JSON, LD_JSON, TRIPLES, events_of
from sage_ld.service.requests import ask, asked, asking_model, current_check, held
from sage_ld.service.route import Content, RouteReply, Surface

_FORMS: Final = (
    responses.JSON_LD,
    responses.JSON,
    Offer("turtle", "text/turtle"),
    Offer("ntriples", "application/n-triples"),
)

_WHOLE: Final[Content] = {LD_JSON: "CitedAnswer", JSON: "PlainCitedAnswer", **TRIPLES}

surface = Surface("answering", tag="retrieval", errors=("504",))


@surface.get(
    "/v1/answer",
    "answer",
    "Answer a question in sentences with citations",
    query=answer_schemas.schema,
    offers=_FORMS,
    reply=RouteReply("The answer: sentences, each with the quotations that it rests on.", _WHOLE),
    cached=True,
)
def answer(parameters: dict[str, Any], choice: Choice) -> Response:
    """The answer to the question `q`; the same revision gives the same answer, so it has an ETag."""
    asked_for = parameters | {"context": _context_address(parameters)}
    with held() as snapshot:
        rebuilt, digest = sorted(snapshot.rebuilt), responses.digest(asked_for)
        etag = responses.tag(service(), snapshot, f"answer-{choice.offer.name}", digest, *rebuilt)

        def make() -> Response:
            found = ask(snapshot, answer_schemas.retrieval_of(parameters))
            return _formed(answer_from(*_asked(snapshot, found, parameters)), parameters, choice)

        given = responses.conditional(etag, make)
    if service().keeper.is_keeping:  # equal answers differ by the IRI of their retrieval
        given.set_etag(etag, weak=True)
    return given


@surface.post(
    "/v1/answer",
    "answerByPost",
    "Answer a question in sentences, also as they come",
    body=answer_schemas.post_schema,
    examples=examples.CITED_QUESTIONS,
    offers=(*_FORMS, EVENTS),
    reply=RouteReply(
        "The answer; as server-sent events, each `sentence` as it comes, then the whole as `answer`. A late "
        "error is the event `problem`, a Problem, after which nothing comes.",
        {**_WHOLE, **events_of("sentence", "answer", "problem", example=examples.ANSWER_EVENTS)},
    ),
)
def answer_by_post(parameters: dict[str, Any], choice: Choice) -> Response:
    """The answer to a question whose parameters are a JSON object; also as server-sent events."""
    with ExitStack() as stack:
        if parameters.get("method") == AnswerMethod.MODEL:
            require_change(AccessRole.READ)
            stack.enter_context(asking_model(service(), request.environ))
        snapshot = stack.enter_context(held())
        found = ask(snapshot, answer_schemas.retrieval_of(parameters))
        made = _asked(snapshot, found, parameters)
        if choice.offer is EVENTS:
            given = event_stream(_events(answer_stream(*made)))
            given.call_on_close(stack.pop_all().close)
        else:
            given = _formed(answer_from(*made), parameters, choice)
    given.vary.add("Accept")
    return given


def _asked(
    snapshot: Snapshot, found: Answer, parameters: dict[str, Any]
) -> tuple[Retriever, Snapshot, Answer, int, str, Check]:
    """The arguments of `answer_from`. A model may take `language_seconds` before it is given up."""
    settings, method = service().settings, parameters.get("method", AnswerMethod.EXTRACTION)
    most = parameters.get("sentences", min(SENTENCES, settings.max_answer_sentences))
    check = current_check()
    if method == AnswerMethod.MODEL:
        most_seconds = settings.language_seconds + settings.retrieve_timeout
        check = deadline(most_seconds, "retrieve_timeout", request.environ.get(CLIENT_GONE))
    retriever = asked(answer_schemas.retrieval_of(parameters)).retriever
    return retriever, snapshot, found, most, method, check


def _formed(found: CitedAnswer, parameters: dict[str, Any], choice: Choice) -> Response:
    if choice.offer is responses.JSON:
        return responses.json_text(plain_cited_answer(found), choice)
    document = cited_answer_jsonld(found)
    if choice.offer is responses.JSON_LD:
        address = _context_address(parameters)
        return responses.json_text(by_address(document, address) if address else document, choice)
    return responses.rdf(triples(document), Choice(choice.offer, "1.1"))


def _context_address(parameters: dict[str, Any]) -> str | None:
    """The address of the JSON-LD context for clients; None if the request wants it inside the answer."""
    return None if parameters.get("context") == "value" else f"{request.url_root}context.jsonld"


def _events(parts: Iterator[CitedSentence | CitedAnswer]) -> Iterator[str]:
    try:
        for each in events(parts):
            yield event(*each)
    except Exception as error:  # the status has been sent: only an event can say it
        yield problem_event(error)
