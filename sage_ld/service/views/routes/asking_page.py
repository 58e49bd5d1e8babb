"""`/ask`: a page for questions, answered in sentences, by a query or by reasoning, and for approvals."""

from __future__ import annotations

from flask import Response, render_template

from sage_ld.service.context import service
from sage_ld.service.http import responses
from sage_ld.service.route import Surface
from sage_ld.service.views.naming import naming

surface = Surface("asking_page", query=None)


@surface.get("/ask")
def ask() -> Response:
    """The page; what it asks, it asks of the HTTP API."""
    settings = service().settings
    data = {
        **naming(),
        "longest": settings.max_question_length,
        "longestReason": settings.max_comment_length,
        "model": bool(settings.language_model),
    }
    return responses.html(render_template("ask.html", data=data))
