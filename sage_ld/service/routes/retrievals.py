"""`/v1/retrievals` and `/v1/analytics`: kept retrievals, feedback on them, and what they show together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from flask import Response, request

from sage_ld.foundation.errors import InputError
from sage_ld.graph.provenance import KeptRetrieval, RetrievalLog
from sage_ld.graph.provenance.judgements import not_kept
from sage_ld.retrieval.answers.kept_retrievals import (
    activity,
    context,
    document,
    judgement_node,
    plain_document,
    plain_judgement,
    plain_retrieval,
)
from sage_ld.retrieval.answers.results import triples
from sage_ld.service import request_examples
from sage_ld.service.access.tokens import AccessRole, client_of, readers_of_retrievals
from sage_ld.service.api import kept_retrievals
from sage_ld.service.context import service
from sage_ld.service.http import cursors, responses
from sage_ld.service.http.negotiation import Choice, Offer
from sage_ld.service.openapi.parts import JSON, LD_JSON, TRIPLES, in_path, linked
from sage_ld.service.representations.labels import Names
from sage_ld.service.requests import current_check, held
from sage_ld.service.route import RouteReply, Surface

OFFERS: Final = (
    *responses.JSONS,
    Offer("turtle", "text/turtle"),
    Offer("ntriples", "application/n-triples"),
)

_NUMBER: Final = re.compile("[0-9]{1,18}", re.ASCII)

_RETRIEVAL: Final = in_path(
    "identifier",
    "The part of the retrieval's IRI after `retrieval/`.",
    {"type": "string", "pattern": "^[0-9a-f]{24}$", "maxLength": 24},
)

surface = Surface("retrievals", tag="provenance", role=readers_of_retrievals)


@surface.get(
    "/v1/retrievals",
    "retrievals",
    "The kept retrievals, the last one first, without their results",
    query=kept_retrievals.page_schema,
    fills=True,
    offers=responses.JSONS,
    reply=linked("The retrievals.", "KeptRetrievals"),
)
def listed(asked: dict[str, Any], choice: Choice) -> Response:
    """The kept retrievals, the last one first, without their results."""
    log = _written()
    found = log.newest(asked["limit"], _number(asked["cursor"]) if "cursor" in asked else None)
    if choice.offer is responses.JSON:
        page = {"retrievals": list(map(plain_retrieval, found)), "limit": asked["limit"]}
    else:
        page = _linked_page(found)
    page["numberOfItems"] = log.count()
    if len(found) == asked["limit"]:
        page["nextCursor"] = cursors.written(str(found[-1].number))
    answer = responses.private(responses.json_text(page, choice))
    responses.link_next(answer, page.get("nextCursor"))
    return answer


@surface.get(
    "/v1/retrievals/{identifier}",
    "keptRetrieval",
    "One kept retrieval, with its results and the feedback on them",
    offers=OFFERS,
    parameters=[_RETRIEVAL],
    reply=RouteReply("The retrieval.", {LD_JSON: "KeptRetrieval", JSON: "PlainKeptRetrieval", **TRIPLES}),
)
def one(choice: Choice, identifier: str) -> Response:
    """One kept retrieval, with its results and the feedback on them."""
    kept = _written().get(identifier)
    said = plain_document(kept) if choice.offer is responses.JSON else document(kept)
    if choice.offer in responses.JSONS:
        return responses.private(responses.json_text(said, choice))
    return responses.private(responses.rdf(triples(said), Choice(choice.offer, "1.1")))


@surface.delete(
    "/v1/retrievals/{identifier}",
    "deleteRetrieval",
    "Delete one kept retrieval, with the feedback on it",
    role=AccessRole.ADMIN,
    query=None,
    parameters=[_RETRIEVAL],
    reply=RouteReply("It is deleted."),
)
def remove(identifier: str) -> Response:
    """Deletes one kept retrieval with the feedback on it."""
    if not _written().remove(identifier):
        raise not_kept(identifier)
    return Response(status=204)


@surface.delete(
    "/v1/retrievals",
    "clearRetrievals",
    "Delete all kept retrievals, with the feedback on them",
    role=AccessRole.ADMIN,
    reply=RouteReply("How many were deleted.", {JSON: "Removed"}),
    status="200",
)
def clear() -> Response:
    """Deletes all kept retrievals with the feedback on them."""
    removed = {"removed": _written().clear()}
    return responses.private(responses.json_text(removed, Choice(responses.JSONS[1], None)))


@surface.post(
    "/v1/retrievals/{identifier}/feedback",
    "feedback",
    "Say whether a result of a retrieval helped, or change what was said",
    role=AccessRole.READ,
    body=kept_retrievals.feedback_schema,
    examples=request_examples.FEEDBACK,
    offers=responses.JSONS,
    parameters=[_RETRIEVAL],
    reply=linked("The judgement.", "Feedback"),
)
def feedback(said: dict[str, Any], choice: Choice, identifier: str) -> Response:
    """Keeps whether a result of a retrieval helped; the client may change what it said."""
    log, (address, token) = _written(), client_of(request.environ)
    judged = log.judge(identifier, **said, client=token or address)
    iri = f"{log.base}retrieval/{identifier}"
    if choice.offer is responses.JSON:
        return responses.private(responses.json_text(plain_judgement(iri, judged), choice))
    node = {"@context": context(), **judgement_node(iri, judged)}
    return responses.private(responses.json_text(node, choice))


@surface.get(
    "/v1/analytics",
    "analytics",
    "Popular chunks, frequent and poor questions, and the time of answers",
    query=kept_retrievals.analytics_schema,
    fills=True,
    offers=responses.JSONS[1:],
    reply=RouteReply("The figures.", {JSON: "Analytics"}),
    errors=("504",),
)
def analytics(asked: dict[str, Any], choice: Choice) -> Response:
    """The analytics of kept retrievals: popular chunks, questions by frequency, poor ones, latency."""
    found = _written().analyse(asked["days"], asked["limit"], asked["poor_below"], current_check())
    with held() as snapshot:
        names = Names(snapshot.store, snapshot.configuration.base_iri)
        called = {each.chunk: names.own_label(each.chunk) for each in found.popular_chunks}
    said = kept_retrievals.analytics_json(found, {iri: name for iri, name in called.items() if name})
    return responses.private(responses.json_text(said, choice))


def _linked_page(found: Sequence[KeptRetrieval]) -> dict[str, Any]:
    nodes = [activity(each) for each in found]
    return {
        "@context": context(*nodes),
        "type": ["ItemList"],
        "itemListElement": nodes,
    }


def _number(cursor: str) -> int:
    """The number of the retrieval behind which a page begins. Raises InputError."""
    number = cursors.read(cursor)
    if not _NUMBER.fullmatch(number):
        raise InputError(
            f"cursor {cursor[:40]!r} does not belong to this list; use the cursor of the page before"
        )
    return int(number)


def _written() -> RetrievalLog:
    """The log, once it has what this process has been asked before."""
    service().keeper.flush()
    return service().graph.retrievals
