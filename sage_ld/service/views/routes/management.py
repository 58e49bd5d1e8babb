"""The page `/manage`, by which clients with a token add documents and look after the graph."""

from __future__ import annotations

from flask import Blueprint, Response, render_template, request

from sage_ld.service.context import service
from sage_ld.service.http import responses
from sage_ld.service.http.negotiation import choose
from sage_ld.service.http.responses import HTML

blueprint = Blueprint("management", __name__)


@blueprint.get("/manage")
def manage() -> Response:
    """The page, which is the same for everybody: what it shows comes from the API, by the token's role."""
    choose(request.headers.get("Accept"), (HTML,))
    settings = service().settings
    data = {
        "identifierLength": settings.max_identifier_length,
        "snapshots": bool(settings.snapshot_dir),
        "syncBytes": settings.max_sync_bytes,
        "bodyBytes": settings.max_body_bytes,
        "batchDocuments": settings.max_batch_documents,
    }
    return responses.html(render_template("manage.html", data=data))
