"""Routing: the rows of the table of routes become rules of the application."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from flask import Flask, Response, request

from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.context import require, require_change, service
from sage_ld.service.http import request_values
from sage_ld.service.http.negotiation import choose
from sage_ld.service.route import Route, SchemaOf, schema_of

_SAFE: Final = ("GET", "HEAD")


def register(app: Flask, routes: Iterable[Route]) -> None:
    """Adds a rule for each route that the application answers."""
    for route in routes:
        if route.handler is not None:
            view = app.view_functions.get(route.endpoint) or _view(route, route.handler)
            app.add_url_rule(route.flask_rule, route.endpoint, view, methods=[route.method], **route.options)


def _view(route: Route, handler: Callable[..., Response]) -> Callable[..., Response]:
    """The handler, asked once the role, the parameters and the format have been found good."""

    def view(**parts: str) -> Response:
        needed = route.needs(service().settings)
        if needed > AccessRole.NOBODY and not route.checks_role:
            (require if request.method in _SAFE else require_change)(needed)
        given: list[object] = []
        for schema, read in ((route.query, request_values.query), (route.body, request_values.body)):
            if schema is not None and (asked := _asked(schema, read, route.fills)) is not None:
                given.append(asked)
        if route.offers:
            given.append(choose(request.headers.get("Accept"), route.offers))
        return handler(*given, **parts)

    return view


def _asked(
    schema: SchemaOf, read: Callable[[dict[str, Any]], dict[str, Any]], fills: bool
) -> dict[str, Any] | None:
    """The values that were sent, with defaults if `fills`; None where there is nothing to send."""
    rules = schema_of(schema, service().settings)
    values = read(rules)
    if not rules["properties"]:
        return None
    return {**(defaults(rules) if fills else {}), **values}


def defaults(schema: dict[str, Any]) -> dict[str, Any]:
    """The defaults that a schema says, by parameter."""
    return {name: each["default"] for name, each in schema["properties"].items() if "default" in each}
