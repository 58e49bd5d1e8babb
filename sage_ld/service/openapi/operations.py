"""Operations of OpenAPI, made from the rows of the table of routes."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.foundation.settings import Settings
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.openapi.parts import SECURED, Described, in_query, json_body
from sage_ld.service.route import Route, RouteReply, schema_of

_ALWAYS: Final = frozenset({"400", "401", "403", "404", "414", "421", "431", "500", "503"})
_OF_BODIES: Final = frozenset({"413", "415"})


def operation(route: Route, settings: Settings, examples: dict[str, Any]) -> Described:
    """The operation of a route; `examples` are those of components, by name."""
    said: Described = {"tags": [route.tag], "operationId": route.name, "summary": route.summary}
    if route.description:
        said["description"] = route.description
    if parameters := _parameters(route, settings):
        said["parameters"] = parameters
    if (body := _body(route, settings)) is not None:
        said["requestBody"] = body
    replies = {route.status: route.reply, **route.replies}
    said["responses"] = {status: _reply(each, examples) for status, each in replies.items()}
    if route.cached:
        said["responses"]["304"] = {"description": "The client has it already."}
    codes = _errors(route, settings, body is not None) - said["responses"].keys()
    said["responses"] |= {code: {"$ref": f"#/components/responses/{code}"} for code in sorted(codes)}
    if route.needs(settings) > AccessRole.NOBODY:
        said["security"] = SECURED
    return said


def _parameters(route: Route, settings: Settings) -> list[Described]:
    given = route.parameters
    own = list(given(settings) if callable(given) else given)
    return own + ([] if route.query is None else in_query(schema_of(route.query, settings)))


def _body(route: Route, settings: Settings) -> Described | None:
    if route.sent is not None:
        return route.sent(settings)
    return None if route.body is None else json_body(schema_of(route.body, settings), dict(route.examples))


def _errors(route: Route, settings: Settings, has_body: bool) -> set[str]:
    """The statuses of the errors that a route may answer with."""
    if route.open:
        return set(route.errors)
    found = {*_ALWAYS, *route.errors}
    if route.offers:
        found.add("406")
    if has_body:
        found |= _OF_BODIES
    if route.query is not None and schema_of(route.query, settings)["properties"]:
        found.add("413")
    return found


def _reply(reply: RouteReply, examples: dict[str, Any]) -> Described:
    content = {media: _media(each, examples) for media, each in reply.content.items()}
    return {"description": reply.text, **({"content": content} if content else {})}


def _media(said: str | tuple[str, ...] | Described, examples: dict[str, Any]) -> Described:
    """A media type object: of a component, of one of several, or as it was given."""
    if isinstance(said, str):
        return {"schema": _reference(said), "example": examples[said]}
    if isinstance(said, tuple):
        return {"schema": {"anyOf": [_reference(each) for each in said]}, "example": examples[said[0]]}
    return said


def _reference(name: str) -> Described:
    return {"$ref": f"#/components/schemas/{name}"}
