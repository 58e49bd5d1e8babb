"""`/openapi.json`: the HTTP API described in OpenAPI."""

from __future__ import annotations

import json
from typing import Final

from flask import Response

from sage_ld.service import openapi
from sage_ld.service.context import service
from sage_ld.service.http import responses
from sage_ld.service.http.negotiation import Choice, Offer
from sage_ld.service.route import Surface

DESCRIPTION: Final = (
    Offer("json", "application/json"),
    Offer("openapi", "application/vnd.oai.openapi+json"),
)

surface = Surface("description")


@surface.get("/openapi.json", query=None, offers=DESCRIPTION)
def description(choice: Choice) -> Response:
    """The HTTP API described in OpenAPI."""
    text = json.dumps(openapi.document(service().settings), ensure_ascii=False, indent=1)
    etag = responses.digest(text)
    return responses.conditional(etag, lambda: Response(text, content_type=choice.offer.media_type))
