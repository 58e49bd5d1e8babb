"""Pages for people: search at `/`, and the HTTP API at `/docs`. Nothing from another host."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, render_template, request

from sage_ld.foundation.errors import SageError
from sage_ld.foundation.question import Answer
from sage_ld.graph import Snapshot
from sage_ld.retrieval import Mode
from sage_ld.service import openapi
from sage_ld.service.api import retrieval
from sage_ld.service.context import service
from sage_ld.service.http import problems, request_values, responses
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.http.responses import HTML
from sage_ld.service.representations.labels import Names
from sage_ld.service.requests import ask, held
from sage_ld.service.route import Surface
from sage_ld.service.views.page_counts import page_counts
from sage_ld.service.views.preparation import preparation
from sage_ld.service.views.search_data import search_data

_OPTIONAL: Final = ("k", "from_graph")
_IN_FORM: Final = ("q", *_OPTIONAL, "mode")

surface = Surface("pages", query=None, offers=(HTML,))


@surface.get("/")
def search(_choice: Choice) -> Response:
    """The form, and with `q` the results, each with the path that led to it."""
    schema = retrieval.schema(service().settings)
    shown = {name: each.get("default", "") for name, each in schema["properties"].items()}
    shown |= {name: request.args[name] for name in shown if name in request.args}
    try:
        with held() as snapshot:
            if "q" not in request.args:
                page = _page(shown, snapshot, counts=snapshot.derived(page_counts))
                preparation().begin(snapshot.number)  # the page asks for facets next
                return page
            return _results(snapshot, shown, ask(snapshot, request_values.typed(_given(), schema)))
    except SageError as error:
        return _page(shown, problem=str(error), status=problems.problem_response(error).status_code)


@surface.get("/docs")
def docs(_choice: Choice) -> Response:
    """The description of the HTTP API as a page."""
    return responses.html(
        render_template("docs.html", api=openapi.document(service().settings), pretty=_pretty)
    )


def _results(snapshot: Snapshot, shown: dict[str, Any], answer: Answer) -> Response:
    names = Names(snapshot.store, snapshot.configuration.base_iri)
    ranks = {result.view.iri: result.rank for result in answer.results}
    return _page(shown, snapshot, answer=answer, names=names, ranks=ranks, again=urlencode(_given().pairs))


def _given() -> request_values.Parameters:
    """The parameters in the URL, without the numbers that the form was sent without."""
    pairs = request_values.url_parameters().pairs
    return request_values.Parameters(tuple(each for each in pairs if each[1] or each[0] not in _OPTIONAL))


def _page(
    shown: dict[str, Any], snapshot: Snapshot | None = None, status: int = 200, **more: Any
) -> Response:
    settings = service().settings
    fixed = {
        "asked": shown,
        "data": search_data(snapshot),
        "further": [pair for pair in request.args.items(multi=True) if pair[0] not in _IN_FORM],
        "modes": list(Mode),
        "longest": settings.max_question_length,
        "most": settings.max_results,
        "answer": None,
        "problem": None,
    }
    return responses.html(render_template("search.html", **{**fixed, **more}), status)


def _pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
