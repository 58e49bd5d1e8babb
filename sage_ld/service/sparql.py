"""`/sparql`: the SPARQL 1.1 Protocol's query operation, with the QUERY method and version of 1.2.

https://www.w3.org/TR/sparql11-protocol/ and https://www.w3.org/TR/sparql12-protocol/
"""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, request

from sage_ld.errors import InputError
from sage_ld.service import description
from sage_ld.service.failures import MediaTypeError
from sage_ld.service.parameters import FORM, Parameters, body_text, form_parameters, url_parameters
from sage_ld.service.querying import answer_query

QUERY: Final = "application/sparql-query"
UPDATE: Final = "application/sparql-update"

blueprint = Blueprint("sparql", __name__)


@blueprint.route("/sparql", methods=["GET", "POST", "QUERY"], strict_slashes=False)
def sparql() -> Response:
    """Answers a query; without one, describes the service."""
    parameters = url_parameters()
    if request.method == "GET" and not parameters.pairs:
        return description.respond()
    text, parameters = _query(parameters)
    return answer_query(text, parameters)


def _query(parameters: Parameters) -> tuple[str, Parameters]:
    """The query's text and all parameters. Raises InputError without a query, MediaTypeError."""
    if request.method != "GET" and request.mimetype == QUERY:
        if "query" in parameters:
            raise InputError("a query in the body and in the URL; give one")
        return body_text(), parameters
    if request.method == "POST":
        if request.mimetype != FORM:
            raise MediaTypeError(_wrong_type())
        parameters = parameters + form_parameters()
    elif request.method != "GET":
        raise MediaTypeError(_wrong_type())
    if (text := parameters.one("query")) is None:
        raise InputError("no query; give it as the parameter query, or in the body")
    return text, parameters


def _wrong_type() -> str:
    if request.mimetype == UPDATE:
        return "an update is sent to /update, with a token"
    return f"Content-Type {request.mimetype[:60]!r}: send {QUERY} or, by POST, {FORM}"
