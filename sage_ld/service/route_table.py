"""The table of routes: those of the service and of its extensions, looked up, checked, and made rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import Any, Final, TypeAlias
from wsgiref.types import WSGIEnvironment

from flask import Flask, Response, request
from werkzeug import Request

from sage_ld.foundation.settings import Settings
from sage_ld.service.access.hosts import check_address
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.access.tokens import check as check_role
from sage_ld.service.api.schemas import Schema
from sage_ld.service.context import Service, require, require_change, role_of
from sage_ld.service.extensions import installed
from sage_ld.service.http import request_values
from sage_ld.service.http.body_limits import UNUSED_BYTES, BodyLimit
from sage_ld.service.http.negotiation import choose
from sage_ld.service.route import Route, schema_of

_OWN: Final = "sage_ld.service.routes.table"
"""Imported when the table is first read: its modules import what answers requests, which reads the table."""


@cache
def routes() -> tuple[Route, ...]:
    """All routes."""
    surfaces = (*import_module(_OWN).SURFACES, *(each for one in installed() for each in one.surfaces))
    return tuple(route for surface in surfaces for route in surface.routes)


def needed_role(path: str, method: str, settings: Settings) -> AccessRole:
    """The role that a request needs beside that of reading; `path` is without the setting path_prefix."""
    return max((each.needs(settings) for each in _matching(path, method)), default=AccessRole.NOBODY)


def body_limit(path: str, method: str, content_type: str, settings: Settings) -> BodyLimit:
    """The limit of the body of a request; `path` is without the setting path_prefix.

    >>> body_limit("/v1/retrieve", "POST", "application/json", Settings())
    BodyLimit(bytes=262144, setting='max_json_bytes')
    >>> body_limit("/v1/retrieve", "GET", "", Settings()).bytes
    8192
    """
    media_type = content_type.partition(";")[0].strip().lower()
    for route in _matching(path, method):
        if route.limit is not None:
            most = BodyLimit(settings.max_body_bytes, "max_body_bytes")
            return min(route.limit(media_type, settings), most)
    return BodyLimit(UNUSED_BYTES, "")


def is_open(path: str) -> bool:
    """Whether a path answers everybody under every name."""
    return any(each.open for each in _matching(path, "GET"))


def _matching(path: str, method: str) -> Iterator[Route]:
    wanted = "GET" if method == "HEAD" else method
    return (each for each in routes() if each.method == wanted and each.pattern.fullmatch(path))


def admit(here: Service, environ: WSGIEnvironment) -> AccessRole:
    """The role of the sender of a body, by the head of the request alone.

    Raises SageError if it is lower than the route needs; the application refuses the same request, and
    says best why.
    """
    method = environ["REQUEST_METHOD"]
    path = environ["PATH_INFO"].removeprefix(here.settings.path_prefix)
    if is_open(path) or method == "OPTIONS":
        return AccessRole.NOBODY
    needed = max(needed_to_read(here), needed_role(path, method, here.settings))
    role = role_of(here, Request(environ)) if "HTTP_AUTHORIZATION" in environ else AccessRole.NOBODY
    check_role(role, needed)
    return role


def check(here: Service, sent: Request) -> None:
    """Raises SageError for a request that is refused on every route, such as one with a wrong token."""
    if is_open(sent.path):
        return
    check_address(sent.environ, here.hosts)
    if sent.method != "OPTIONS":
        check_role(role_of(here, sent), needed_to_read(here))
    limit = body_limit(sent.path, sent.method, sent.content_type or "", here.settings)
    if (size := sent.content_length or 0) > limit.bytes:
        raise limit.error(size)


def needed_to_read(here: Service) -> AccessRole:
    """The role that reading needs."""
    return AccessRole.NOBODY if here.settings.public_read else AccessRole.READ


Reading: TypeAlias = Callable[[Schema], dict[str, Any]]
"""Reads the values that a schema names from the request."""
_SAFE: Final = ("GET", "HEAD")


def register(app: Flask, routes: Iterable[Route], settings: Settings) -> None:
    """Adds a rule for each route that the application answers under some settings."""
    for route in routes:
        if route.handler is not None:
            view = app.view_functions.get(route.endpoint) or _view(route, route.handler, settings)
            app.add_url_rule(route.flask_rule, route.endpoint, view, methods=[route.method], **route.options)


def _view(route: Route, handler: Callable[..., Response], settings: Settings) -> Callable[..., Response]:
    """The handler, asked once the role, the parameters and the format have been found good."""
    needed = route.needs(settings)

    @cache
    def rules() -> list[tuple[Schema, Reading]]:  # made when the route is first asked: not at the start
        sent = ((route.query, request_values.query), (route.body, request_values.body))
        return [(schema_of(schema, settings), read) for schema, read in sent if schema is not None]

    def view(**parts: str) -> Response:
        if needed > AccessRole.NOBODY and not route.checks_role:
            (require if request.method in _SAFE else require_change)(needed)
        values = (_asked(schema, read, route.fills) for schema, read in rules())
        given: list[object] = [each for each in values if each is not None]
        if route.offers:
            given.append(choose(request.headers.get("Accept"), route.offers))
        return handler(*given, **parts)

    return view


def _asked(schema: Schema, read: Reading, fills: bool) -> dict[str, Any] | None:
    """The values that were sent, with defaults if `fills`; None where there is nothing to send."""
    values = read(schema)
    if not schema["properties"]:
        return None
    return {**(defaults(schema) if fills else {}), **values}


def defaults(schema: dict[str, Any]) -> dict[str, Any]:
    """The defaults that a schema says, by parameter."""
    return {name: each["default"] for name, each in schema["properties"].items() if "default" in each}
