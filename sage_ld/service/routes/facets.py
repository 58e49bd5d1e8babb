"""`/v1/facets`: how many chunks a filter leaves of each kind, format, language, year, class and metadata."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from sage_ld.retrieval.filtering.facets import facets
from sage_ld.service.api import facets as described
from sage_ld.service.api import retrieval
from sage_ld.service.context import service
from sage_ld.service.http import responses
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.openapi.parts import JSON
from sage_ld.service.requests import held, searching
from sage_ld.service.route import RouteReply, Surface

surface = Surface("facets", tag="graph")


@surface.get(
    "/v1/facets",
    "facets",
    "How many chunks a filter leaves of each kind, language, year and so on",
    query=described.schema,
    fills=True,
    offers=responses.JSONS[1:],
    reply=RouteReply("The facets.", {JSON: "Facets"}),
    errors=("504",),
    cached=True,
)
def counted(asked: dict[str, Any], choice: Choice) -> Response:
    """The facets of the chunks that a filter lets through."""
    with held() as snapshot:

        def make() -> Response:
            only = retrieval.filter_of(asked)
            with searching(service(), request.environ) as check:
                found = facets(snapshot, only, service().settings, asked["limit"], check)
            return responses.json_text(described.facets_json(found, snapshot.number), choice)

        etag = responses.tag(service(), snapshot, choice.offer.name, responses.digest(asked))
        return responses.conditional(etag, make)
