"""`/v1/facets`: how many chunks a filter leaves of each kind, format, language, year, class and metadata."""

from __future__ import annotations

from flask import Blueprint, Response, request

from sage_ld.retrieval.filtering.facets import facets
from sage_ld.service.api import facets as described
from sage_ld.service.api import retrieval
from sage_ld.service.context import service
from sage_ld.service.http import request_values, responses
from sage_ld.service.http.negotiation import choose
from sage_ld.service.requests import held, searching

blueprint = Blueprint("facets", __name__, url_prefix="/v1")


@blueprint.get("/facets")
def counted() -> Response:
    """The facets of the chunks that a filter lets through."""
    schema = described.schema(service().settings)
    asked = {"limit": schema["properties"]["limit"]["default"]} | request_values.query(schema)
    choice = choose(request.headers.get("Accept"), responses.JSONS[1:])
    with held() as snapshot:

        def make() -> Response:
            only = retrieval.filter_of(asked)
            with searching(service(), request.environ) as check:
                found = facets(snapshot, only, service().settings, asked["limit"], check)
            return responses.json_text(described.facets_json(found, snapshot.number), choice)

        etag = responses.tag(service(), snapshot, choice.offer.name, responses.digest(asked))
        return responses.conditional(etag, make)
