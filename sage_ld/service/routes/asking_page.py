"""`/ask`: a page for questions, answered in sentences, by a query or by reasoning, and for approvals."""

from __future__ import annotations

from flask import Blueprint, Response, render_template

from sage_ld.service.context import local_path, service
from sage_ld.service.http import responses
from sage_ld.vocabulary import PREFIXES

blueprint = Blueprint("asking_page", __name__)


@blueprint.get("/ask")
def ask() -> Response:
    """The page; what it asks, it asks of the HTTP API."""
    here = service()
    base, settings = here.configuration.base_iri, here.settings
    data = {
        "base": base,
        "basePath": None if base.endswith("#") else local_path(here, base),
        "prefixes": PREFIXES,
        "longest": settings.max_question_length,
        "longestReason": settings.max_comment_length,
        "model": bool(settings.language_model),
    }
    return responses.html(render_template("ask.html", data=data))
