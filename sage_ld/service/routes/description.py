"""`/openapi.json`: the HTTP API described in OpenAPI."""

from __future__ import annotations

import json
from typing import Final

from flask import Blueprint, Response, request

from sage_ld.service import openapi
from sage_ld.service.context import service
from sage_ld.service.http import responses
from sage_ld.service.http.negotiation import Offer, choose

DESCRIPTION: Final = (
    Offer("json", "application/json"),
    Offer("openapi", "application/vnd.oai.openapi+json"),
)

blueprint = Blueprint("description", __name__)


@blueprint.get("/openapi.json")
def description() -> Response:
    """The HTTP API described in OpenAPI."""
    choice = choose(request.headers.get("Accept"), DESCRIPTION)
    text = json.dumps(openapi.document(service().settings), ensure_ascii=False, indent=1)
    etag = responses.digest(text)
    return responses.conditional(etag, lambda: Response(text, content_type=choice.offer.media_type))
