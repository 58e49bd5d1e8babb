"""Errors as problem documents (RFC 9457), as pages for browsers: a table from exceptions to status codes."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final

import pyoxigraph as ox
from flask import Flask, Response, request
from werkzeug import Request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from sage_ld.foundation.errors import (
    AbandonedError,
    BusyError,
    ConflictError,
    ForbiddenError,
    InputError,
    LimitError,
    NotAcceptableError,
    NotFoundError,
    PreconditionError,
    QuerySyntaxError,
    ResultLimitError,
    SageError,
    ShapeError,
    StorageError,
    TimeLimitError,
    UnavailableError,
)
from sage_ld.service.http import responses
from sage_ld.service.http.errors import (
    AuthenticationError,
    ContentCodingError,
    ExpectationError,
    HeaderLimitError,
    HostError,
    LongAnswerError,
    MediaTypeError,
    MethodError,
    RequestLineLimitError,
    ReusedKeyError,
    TransferCodingError,
    system_error,
)
from sage_ld.service.http.negotiation import GRAPHS, Offer, choose
from sage_ld.service.http.responses import HTML, PAGES, made_page, page_module

MEDIA_TYPE: Final = "application/problem+json"
RETRY_SECONDS: Final = 2
CLIENT_GONE: Final = 499
"""The status, as nginx has it, in logs and metrics where the client disconnected: nobody receives it."""
TYPES: Final = "https://w3id.org/sage-ld/problems#"

# The status and the name of each type; a type that is not here has those of the nearest one above it.
STATUS: Final[dict[type[SageError], tuple[int, str]]] = {
    SageError: (500, "error"),
    InputError: (400, "bad-request"),
    LimitError: (413, "limit"),
    TimeLimitError: (504, "time-limit"),
    ResultLimitError: (422, "result-limit"),
    HeaderLimitError: (431, "limit"),
    RequestLineLimitError: (414, "limit"),
    ExpectationError: (417, "expectation"),
    TransferCodingError: (501, "transfer-coding"),
    NotFoundError: (404, "not-found"),
    NotAcceptableError: (406, "not-acceptable"),
    MediaTypeError: (415, "media-type"),
    ReusedKeyError: (422, "idempotency-key"),
    LongAnswerError: (422, "answer-not-kept"),
    MethodError: (405, "method"),
    ConflictError: (409, "conflict"),
    PreconditionError: (412, "precondition"),
    ShapeError: (422, "shapes"),
    AuthenticationError: (401, "authentication"),
    ForbiddenError: (403, "forbidden"),
    HostError: (421, "misdirected"),
    UnavailableError: (503, "unavailable"),
    StorageError: (507, "storage"),
    BusyError: (503, "busy"),
    AbandonedError: (CLIENT_GONE, "abandoned"),
}
_OFFERS: Final = (Offer("problem", MEDIA_TYPE, ("application/json",)), *PAGES)
_NAMES: Final = {400: "bad-request", 413: "limit", 415: "media-type"}
"""Types of other errors of the framework, by their status."""
_SCHEMES: Final = ('Bearer realm="sage-ld"', 'Basic realm="sage-ld", charset="UTF-8"')
"""Challenges: the ways to send a token. For Basic a browser asks its user."""
_SHOWN: Final = 100  # characters of what a client sent in a message
_log = logging.getLogger("sage_ld.service")


def problem_document(status: int, name: str, detail: str, **more: Any) -> bytes:
    """The text of a problem document.

    >>> json.loads(problem_document(404, "not-found", "no graph <x:>"))["title"]
    'Not Found'
    """
    title = "Client Closed Request" if status == CLIENT_GONE else HTTPStatus(status).phrase
    document = {"type": TYPES + name, "title": title, "status": status, "detail": detail, **more}
    return json.dumps(document, ensure_ascii=False).encode()


def problem_response(error: SageError) -> Response:
    """The answer to a request that failed with `error`."""
    status, name = next(STATUS[each] for each in type(error).__mro__ if each in STATUS)
    answer = _answer(status, name, str(error), **_more(error))
    if status == 503:
        answer.headers["Retry-After"] = str(RETRY_SECONDS)
    if isinstance(error, AuthenticationError):
        for scheme in _SCHEMES:
            answer.headers.add("WWW-Authenticate", scheme)
    if isinstance(error, ContentCodingError):
        answer.headers["Accept-Encoding"] = "identity"
    if isinstance(error, MethodError):
        answer.headers["Allow"] = ", ".join(error.allowed)
    return answer


def _more(error: SageError) -> dict[str, Any]:
    """The members of a problem document beside its message: the report of shapes, or a place in a query."""
    if isinstance(error, ShapeError):
        return {"report": error.report}
    if isinstance(error, QuerySyntaxError):
        return {"line": error.line, **({} if error.column is None else {"column": error.column})}
    return {}


def register(app: Flask) -> None:
    """Makes `app` answer every error with a problem document, or a page where the client prefers pages."""
    app.register_error_handler(SageError, lambda error: _of_ours(error, request))
    app.register_error_handler(HTTPException, lambda error: page_if_preferred(_http(error), request))
    app.register_error_handler(Exception, lambda error: page_if_preferred(unexpected(error), request))


def _of_ours(error: SageError, sent: Request) -> Response:
    """The answer to an error of ours; of broken shapes, the report in RDF to a client that prefers it."""
    answer = problem_response(error)
    if isinstance(error, ShapeError) and error.statements:
        with suppress(InputError):  # no format is taken, or RDF/XML cannot write it
            choice = choose(sent.headers.get("Accept"), (_OFFERS[0], *GRAPHS, *PAGES))
            if choice.offer in GRAPHS:
                triples = (each.triple for each in ox.parse(error.statements, ox.RdfFormat.N_TRIPLES))
                report = responses.rdf(triples, choice)
                report.status_code = answer.status_code
                report.vary.add("Accept")
                return report
    return page_if_preferred(answer, sent)


def page_if_preferred(answer: Response, sent: Request) -> Response:
    """`answer`, in which a problem document becomes a page where the client prefers pages.

    >>> browser = Request({"HTTP_ACCEPT": "text/html,*/*;q=0.8"})
    >>> page_if_preferred(problem_response(NotFoundError("no graph <x:>")), browser).mimetype
    'text/html'
    """
    if answer.mimetype != MEDIA_TYPE:
        return answer
    try:
        choice = choose(sent.headers.get("Accept"), _OFFERS)
    except InputError:
        return answer
    if choice.offer is HTML:
        said = json.loads(answer.get_data())
        made_page(answer, page_module("problem_page").problem_page(said, sent.root_path))
    return answer


def _http(error: HTTPException) -> Response:
    """The answer to an error of the framework: no such route, method, or a body that it refuses."""
    status = error.code or 500
    if status < 400:
        return Response(status=status, headers=dict(error.get_headers()))
    path = (request.script_root + request.path)[:_SHOWN]
    if isinstance(error, NotFound):
        return problem_response(
            NotFoundError(f"there is nothing at {path!r}; {request.script_root}/docs says what there is")
        )
    if isinstance(error, MethodNotAllowed):
        allowed = tuple(sorted(error.valid_methods or ()))
        return problem_response(MethodError.of(request.method, path, allowed))
    detail = " ".join((error.description or HTTPStatus(status).phrase).split())
    return _answer(status, _NAMES.get(status, "http"), detail)


def unexpected(error: Exception) -> Response:
    """The answer to an error of ours: the log has the traceback, the client learns nothing from it.

    Where the system has no open file or no space left, the client learns that.
    """
    _log.error("unexpected error", exc_info=error)
    if isinstance(error, OSError) and isinstance(named := system_error(error), SageError):
        return problem_response(named)
    detail = "an internal error; the log of the service says more"
    return _answer(500, "error", detail)


def _answer(status: int, name: str, detail: str, **more: Any) -> Response:
    """A problem document, which is a page for other clients (`page_if_preferred`)."""
    answer = Response(problem_document(status, name, detail, **more), status, content_type=MEDIA_TYPE)
    answer.vary.add("Accept")
    return answer
