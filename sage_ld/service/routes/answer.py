"""`/v1/answer`: answers in sentences with citations, whole or sentence by sentence.

What each route takes and gives is in `/openapi.json`, checked by it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from flask import Blueprint, Response, request

from sage_ld.answering.answer import CitedAnswer
from sage_ld.answering.answering import SENTENCES, answer_from
from sage_ld.answering.forms import cited_answer_jsonld, events, plain_cited_answer
from sage_ld.api import answers
from sage_ld.exports.jsonld_context import by_address
from sage_ld.exports.results import triples
from sage_ld.graph import Snapshot
from sage_ld.service.context import service
from sage_ld.service.http import request_values, responses
from sage_ld.service.http.negotiation import Choice, Offer, choose
from sage_ld.service.requests import ask, current_check, held

_FORMS: Final = (
    responses.JSON_LD,
    responses.JSON,
    Offer("turtle", "text/turtle"),
    Offer("ntriples", "application/n-triples"),
)
_EVENTS: Final = Offer("events", "text/event-stream")

blueprint = Blueprint("answering", __name__, url_prefix="/v1")


@blueprint.get("/answer")
def answer() -> Response:
    """The answer to the question `q`; the same revision gives the same answer, so it has an ETag."""
    choice = choose(request.headers.get("Accept"), _FORMS)
    parameters = request_values.query(answers.schema(service().settings))
    asked_for = parameters | {"context": _context_address(parameters)}
    with held() as snapshot:
        rebuilt, digest = sorted(snapshot.rebuilt), responses.digest(asked_for)
        etag = responses.tag(service(), snapshot, f"answer-{choice.offer.name}", digest, *rebuilt)

        def make() -> Response:
            return _formed(_answer(snapshot, parameters), parameters, choice)

        given = responses.conditional(etag, make)
    if service().keeper.is_keeping:  # equal answers differ by the IRI of their retrieval
        given.set_etag(etag, weak=True)
    return given


@blueprint.post("/answer")
def answer_by_post() -> Response:
    """The answer to a question whose parameters are a JSON object; also as server-sent events."""
    choice = choose(request.headers.get("Accept"), (*_FORMS, _EVENTS))
    parameters = request_values.body(answers.schema(service().settings))
    with held() as snapshot:
        found = _answer(snapshot, parameters)
    given = _stream(found) if choice.offer is _EVENTS else _formed(found, parameters, choice)
    given.vary.add("Accept")
    return given


def _answer(snapshot: Snapshot, parameters: dict[str, Any]) -> CitedAnswer:
    found = ask(snapshot, answers.retrieval_of(parameters))
    most = parameters.get("sentences", min(SENTENCES, service().settings.max_answer_sentences))
    return answer_from(snapshot, found, service().settings, most, current_check())


def _formed(found: CitedAnswer, parameters: dict[str, Any], choice: Choice) -> Response:
    if choice.offer is responses.JSON:
        return responses.json_text(plain_cited_answer(found), choice)
    document = cited_answer_jsonld(found)
    if choice.offer is responses.JSON_LD:
        address = _context_address(parameters)
        return responses.json_text(by_address(document, address) if address else document, choice)
    return responses.rdf(triples(document), Choice(choice.offer, "1.1"))


def _context_address(parameters: dict[str, Any]) -> str | None:
    """Where clients find the JSON-LD context; None where the request wants the context inside the answer."""
    return None if parameters.get("context") == "value" else f"{request.url_root}context.jsonld"


def _stream(found: CitedAnswer) -> Response:
    answer = Response(_events(found), content_type="text/event-stream; charset=utf-8")
    answer.cache_control.no_store = True
    answer.headers["X-Accel-Buffering"] = "no"  # nginx would keep the first events until the end
    return answer


def _events(found: CitedAnswer) -> Iterator[str]:
    for event in events(found):
        yield f"event: {event.name}\ndata: {json.dumps(event.data, ensure_ascii=False)}\n\n"
