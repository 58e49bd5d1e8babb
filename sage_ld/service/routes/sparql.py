"""`/sparql`: the SPARQL 1.1 Protocol's query operation, with the QUERY method and version of 1.2.

https://www.w3.org/TR/sparql11-protocol/ and https://www.w3.org/TR/sparql12-protocol/

Most queries come no further than `shortcut.py`, which answers as this does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from flask import Blueprint, Response, request
from werkzeug import Request

from sage_ld.errors import InputError
from sage_ld.service.context import Service, service
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.errors import MediaTypeError
from sage_ld.service.http.parameters import FORM, Parameters, body_text, form_parameters, url_parameters
from sage_ld.service.requests import ask, held
from sage_ld.service.sparql import description
from sage_ld.service.sparql.queries import Answered, Asked, Checked, checked, evaluated, stream
from sage_ld.sparql.searches import expanded
from sage_ld.workers.pool import Gone

QUERY: Final = "application/sparql-query"
UPDATE: Final = "application/sparql-update"
PATH: Final = "/sparql"
SAFE: Final = ("GET", "HEAD", "QUERY")
"""Methods of which an answer may be 304."""

blueprint = Blueprint("sparql", __name__)


@blueprint.route(PATH, methods=["GET", "POST", "QUERY"], strict_slashes=False)
def sparql() -> Response:
    """Answers a query; without one, describes the service."""
    if request.method in ("GET", "HEAD") and not request.query_string:
        return description.respond()
    here = service()
    query = checked(here, asked_in(request, request.base_url))
    gone = request.environ.get(CLIENT_GONE)
    if query.reading.searches:
        return _response(_searched(here, query, gone))
    with here.revisions.use() as pin:
        return _response(evaluated(here, query, pin.number, pin.path, gone))


def _searched(here: Service, query: Checked, gone: Gone | None) -> Answered:
    """The answer to a query that searches. The search and what it is joined with see the same revision."""
    most = here.settings.max_query_searches
    with held() as snapshot:
        text = expanded(
            query.question.text,
            query.reading.searches,
            most,
            lambda parameters: ask(snapshot, parameters),
        )
        folder = str(here.directory.revision(snapshot.number))
        plain = replace(query, question=query.question._replace(text=text))
        return evaluated(here, plain, snapshot.number, folder, gone)


def asked_in(sent: Request, base: str) -> Asked:
    """The query that a request holds. Raises InputError without one, MediaTypeError."""
    text, parameters = _query(sent)
    return Asked(text, parameters, sent.headers.get("Accept"), base)


def _query(sent: Request) -> tuple[str, Parameters]:
    """The query's text and all parameters."""
    parameters = url_parameters(sent)
    if sent.method not in ("GET", "HEAD"):
        if sent.mimetype == QUERY:
            if "query" in parameters:
                raise InputError("a query in the body and in the URL; give one")
            return body_text(sent), parameters
        if sent.method != "POST" or sent.mimetype != FORM:
            raise MediaTypeError(_wrong_type(sent.mimetype))
        parameters = parameters + form_parameters(sent)
    if (text := parameters.one("query")) is None:
        raise InputError("no query; give it as the parameter query, or in the body")
    return text, parameters


def _wrong_type(media_type: str) -> str:
    if media_type == UPDATE:
        return "an update is sent to /update, with a token"
    return f"Content-Type {media_type[:60]!r}: send {QUERY} or, by POST, {FORM}"


def _response(answered: Answered) -> Response:
    if answered.long is not None:
        return stream(answered.long, answered.content_type)
    found = answered.short
    known = request.if_none_match.contains_weak(found.etag) and request.method in SAFE
    answer = Response(status=304) if known else Response(found.content, content_type=answered.content_type)
    answer.set_etag(found.etag)
    answer.cache_control.no_cache = True
    answer.vary.add("Accept")
    return answer
