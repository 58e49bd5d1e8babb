"""The page `/manage`, by which clients with a token add documents and look after the graph."""

from __future__ import annotations

from flask import Response, render_template

from sage_ld.service.context import service
from sage_ld.service.http import responses
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.http.responses import HTML
from sage_ld.service.route import Surface

surface = Surface("management", query=None)


@surface.get("/manage", offers=(HTML,))
def manage(_choice: Choice) -> Response:
    """The page, which is the same for everybody: what it shows comes from the API, by the token's role."""
    settings = service().settings
    data = {
        "identifierLength": settings.max_identifier_length,
        "snapshots": bool(settings.snapshot_dir),
        "syncBytes": settings.max_sync_bytes,
        "bodyBytes": settings.max_body_bytes,
        "batchDocuments": settings.max_batch_documents,
    }
    return responses.html(render_template("manage.html", data=data))
