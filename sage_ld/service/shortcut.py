"""The short way of a plain query: past the framework, which takes longer over a request than a small query.

It answers what `sparql.py` answers, by the same functions. A request that needs more than a worker (a token
to check, a search, the service's description) goes the long way.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from io import BytesIO
from typing import Final, NamedTuple
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Response
from werkzeug import Request
from werkzeug.wsgi import get_current_url

from sage_ld.bounded_cache import BoundedCache
from sage_ld.errors import SageError
from sage_ld.service.access import headers
from sage_ld.service.context import Service
from sage_ld.service.http import problems
from sage_ld.service.http.environ import CLIENT_GONE, MAKE_WAY
from sage_ld.service.http.middleware import ROUTE, Closing
from sage_ld.service.routes.sparql import PATH, SAFE, asked_in
from sage_ld.service.sparql.queries import Answered, Checked, blocks, checked, evaluated, known_answer

_METHODS: Final = ("GET", "POST", "QUERY")
_REQUESTS: Final = 256
"""Requests of which it is known what they ask."""
_SHORT: Final = 10_000
"""Bytes of a body up to which it is one of them."""


class _Request(NamedTuple):
    """All of a request that matters to what it asks."""

    method: str
    parameters: str
    content_type: str | None
    accept: str | None
    base: str
    body: bytes

    def request(self) -> Request:
        """The request."""
        environ: WSGIEnvironment = {
            "REQUEST_METHOD": self.method,
            "QUERY_STRING": self.parameters,
            "CONTENT_LENGTH": str(len(self.body)),
            "wsgi.input": BytesIO(self.body),
        }
        given = {"CONTENT_TYPE": self.content_type, "HTTP_ACCEPT": self.accept}
        return Request(environ | {name: value for name, value in given.items() if value is not None})


class Shortcut:
    """Answers plain queries; passes every other request on to the application."""

    def __init__(self, app: WSGIApplication, opened: Service) -> None:
        self._app, self._here = app, opened
        self._known = BoundedCache[_Request, Checked](_REQUESTS)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answers a request, as PEP 3333 has it."""
        if not self._is_plain(environ):
            _make_way(environ)
            return self._app(environ, start_response)
        environ[ROUTE] = PATH
        try:
            query = self._query(environ)
            if query.reading.searches:
                _make_way(environ)
                return self._app(environ, start_response)
            answered = self._evaluated(environ, query)
        except SageError as error:
            return self._refuse(problems.response(error), environ, start_response)
        except Exception as error:
            return self._refuse(problems.unexpected(error), environ, start_response)
        return self._answer(answered, environ, start_response)

    def _is_plain(self, environ: WSGIEnvironment) -> bool:
        method = environ["REQUEST_METHOD"]
        return (
            environ["PATH_INFO"] == PATH
            and method in _METHODS
            and (method != "GET" or bool(environ.get("QUERY_STRING")))
            and "HTTP_AUTHORIZATION" not in environ
            and self._here.settings.public_read
        )

    def _query(self, environ: WSGIEnvironment) -> Checked:
        """The query that a request holds; its body can be read again."""
        body = environ["wsgi.input"]
        content = b""
        if hasattr(body, "seek"):  # there is one, which `BoundedBody` has read
            content = body.read()
            body.seek(0)
        sent = _Request(
            environ["REQUEST_METHOD"],
            environ["QUERY_STRING"],
            environ.get("CONTENT_TYPE"),
            environ.get("HTTP_ACCEPT"),
            _address(environ),
            content,
        )
        if (query := self._known.get(sent)) is None:
            _make_way(environ)
            query = checked(self._here, asked_in(sent.request(), sent.base))
            if len(content) <= _SHORT:
                self._known.keep({sent: query})
        return query

    def _evaluated(self, environ: WSGIEnvironment, query: Checked) -> Answered:
        with self._here.revisions.use() as pin:
            if (known := known_answer(self._here, query, pin.number)) is not None:
                return known
            _make_way(environ)
            return evaluated(self._here, query, pin.number, pin.path, environ.get(CLIENT_GONE))

    def _answer(
        self, answered: Answered, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        headers = [("Vary", self._vary), *self._shared(environ)]
        if answered.long is not None:
            size = answered.long.seek(0, 2)
            answered.long.seek(0)
            headers += [("Content-Type", answered.content_type), ("Content-Length", str(size))]
            start_response("200 OK", headers)
            return Closing(blocks(answered.long), answered.long.close)
        content, etag = answered.short
        headers += [("ETag", f'"{etag}"'), ("Cache-Control", "no-cache")]
        if "HTTP_IF_NONE_MATCH" in environ and _knows(environ, etag):
            start_response("304 NOT MODIFIED", headers)
            return []
        headers += [("Content-Type", answered.content_type), ("Content-Length", str(len(content)))]
        start_response("200 OK", headers)
        return [content]

    @property
    def _vary(self) -> str:
        return "Accept, Origin" if headers.differs(self._here.settings) else "Accept"

    def _shared(self, environ: WSGIEnvironment) -> Iterable[tuple[str, str]]:
        return headers.headers(self._here.settings, environ.get("HTTP_ORIGIN")).items()

    def _refuse(
        self, answer: Response, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        headers.protect(answer, self._here.settings, environ.get("HTTP_ORIGIN"))
        return answer(environ, start_response)


def _make_way(environ: WSGIEnvironment) -> None:
    """Says that what follows takes more than a moment."""
    environ.get(MAKE_WAY, lambda: None)()


def _knows(environ: WSGIEnvironment, etag: str) -> bool:
    return environ["REQUEST_METHOD"] in SAFE and Request(environ).if_none_match.contains_weak(etag)


def _address(environ: WSGIEnvironment) -> str:
    """The address of the endpoint, as the framework gives it."""
    return _url(
        environ["wsgi.url_scheme"],
        environ.get("HTTP_HOST"),
        environ["SERVER_NAME"],
        environ["SERVER_PORT"],
        environ.get("SCRIPT_NAME", ""),
    )


@lru_cache(64)
def _url(scheme: str, host: str | None, name: str, port: str, script: str) -> str:
    environ = {
        "wsgi.url_scheme": scheme,
        "SERVER_NAME": name,
        "SERVER_PORT": port,
        "SCRIPT_NAME": script,
        "PATH_INFO": PATH,
    }
    if host is not None:
        environ["HTTP_HOST"] = host
    return get_current_url(environ, strip_querystring=True)
