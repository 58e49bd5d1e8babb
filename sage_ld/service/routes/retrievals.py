"""`/v1/retrievals` and `/v1/analytics`: kept retrievals, feedback on them, and what they show together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from flask import Blueprint, Response, request

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
from sage_ld.service.access.clients import client_of
from sage_ld.service.access.tokens import AccessRole, readers_of_retrievals
from sage_ld.service.api import kept_retrievals, schemas
from sage_ld.service.context import require, require_change, service
from sage_ld.service.http import cursors, request_values, responses
from sage_ld.service.http.negotiation import Choice, Offer, choose
from sage_ld.service.representations.labels import Names
from sage_ld.service.requests import current_check, held

OFFERS: Final = (
    *responses.JSONS,
    Offer("turtle", "text/turtle"),
    Offer("ntriples", "application/n-triples"),
)

_NUMBER: Final = re.compile("[0-9]{1,18}", re.ASCII)

blueprint = Blueprint("retrievals", __name__, url_prefix="/v1")


@blueprint.get("/retrievals")
def listed() -> Response:
    """The kept retrievals, the last one first, without their results."""
    _require_reader()
    schema = kept_retrievals.page_schema(service().settings)
    asked = kept_retrievals.defaults(schema) | request_values.query(schema)
    choice = choose(request.headers.get("Accept"), responses.JSONS)
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


@blueprint.get("/retrievals/<identifier>")
def one(identifier: str) -> Response:
    """One kept retrieval, with its results and the feedback on them."""
    _require_reader()
    request_values.query(schemas.NOTHING)
    choice = choose(request.headers.get("Accept"), OFFERS)
    kept = _written().get(identifier)
    said = plain_document(kept) if choice.offer is responses.JSON else document(kept)
    if choice.offer in responses.JSONS:
        return responses.private(responses.json_text(said, choice))
    return responses.private(responses.rdf(triples(said), Choice(choice.offer, "1.1")))


@blueprint.delete("/retrievals/<identifier>")
def remove(identifier: str) -> Response:
    """Deletes one kept retrieval with the feedback on it."""
    require_change(AccessRole.ADMIN)
    if not _written().remove(identifier):
        raise not_kept(identifier)
    return Response(status=204)


@blueprint.delete("/retrievals")
def clear() -> Response:
    """Deletes all kept retrievals with the feedback on them."""
    require_change(AccessRole.ADMIN)
    request_values.query(schemas.NOTHING)
    removed = {"removed": _written().clear()}
    return responses.private(responses.json_text(removed, Choice(responses.JSONS[1], None)))


@blueprint.post("/retrievals/<identifier>/feedback")
def feedback(identifier: str) -> Response:
    """Keeps whether a result of a retrieval helped; the client may change what it said."""
    require_change(AccessRole.READ)
    said = request_values.body(kept_retrievals.feedback_schema(service().settings))
    choice = choose(request.headers.get("Accept"), responses.JSONS)
    log, (address, token) = _written(), client_of(request.environ)
    judged = log.judge(identifier, **said, client=token or address)
    iri = f"{log.base}retrieval/{identifier}"
    if choice.offer is responses.JSON:
        return responses.private(responses.json_text(plain_judgement(iri, judged), choice))
    node = {"@context": context(), **judgement_node(iri, judged)}
    return responses.private(responses.json_text(node, choice))


@blueprint.get("/analytics")
def analytics() -> Response:
    """The analytics of kept retrievals: popular chunks, questions by frequency, poor ones, latency."""
    _require_reader()
    schema = kept_retrievals.analytics_schema(service().settings)
    asked = kept_retrievals.defaults(schema) | request_values.query(schema)
    choice = choose(request.headers.get("Accept"), responses.JSONS[1:])
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


def _require_reader() -> None:
    """Raises AuthenticationError or ForbiddenError for clients that may not read retrievals."""
    require(readers_of_retrievals(service().settings))


def _written() -> RetrievalLog:
    """The log, once it has what this process has been asked before."""
    service().keeper.flush()
    return service().graph.retrievals
