"""The HTTP API described in OpenAPI 3.1, made from the table of routes and the schemas of answers.

`operations` makes an operation of a row; `parts` are what rows say in OpenAPI's words.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

import sage_ld
from sage_ld.foundation.records import record_schema
from sage_ld.foundation.settings import Settings
from sage_ld.retrieval.answers import records
from sage_ld.service import request_examples
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.api import (
    administration,
    answers,
    documents,
    edges,
    facets,
    kept_retrievals,
    neighbourhoods,
    reconciliation,
    statements,
)
from sage_ld.service.extensions import installed
from sage_ld.service.http.problems import MEDIA_TYPE
from sage_ld.service.openapi.parts import SECURED, Described, in_query, json_body
from sage_ld.service.route import Route, RouteReply, schema_of
from sage_ld.service.route_table import routes

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
    names = (said,) if isinstance(said, str) else said
    if not isinstance(names, tuple):
        return names
    if names[0] not in examples:
        raise LookupError(
            f"a route answers with {names[0]!r}; add an example of it to OF in "
            "sage_ld/service/request_examples.py"
        )
    schemas = [_reference(each) for each in names]
    return {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}, "example": examples[names[0]]}


def _reference(name: str) -> Described:
    return {"$ref": f"#/components/schemas/{name}"}


_ABOUT: Final = (
    "Questions to answers that say why each result is there, over a knowledge graph in RDF. Answers are "
    "JSON-LD, or flat JSON for clients that take application/json. Errors are problem documents (RFC 9457). "
    "/sparql, /update and /data follow W3C protocols; a GET of /sparql without parameters describes the "
    "endpoint."
)

_ERRORS: Final = {
    "400": "What was sent cannot be read, or does not fit the description.",
    "401": "A token is needed, or the one sent is wrong.",
    "403": "The token's role, or a setting, does not allow it.",
    "404": "It does not exist.",
    "406": "No format that the client takes is offered.",
    "409": "The state of the graph, or of the request before it, does not allow it.",
    "412": "If-Match or If-None-Match does not hold: the document, or the revision, is another by now.",
    "405": "The method is not for this resource.",
    "413": "What was asked for is over a limit.",
    "414": "The URL is too long: send the parameters by POST where there is one, or fewer of them.",
    "415": "The body is in a format that is not read here.",
    "421": "The request is for a host that is not this service.",
    "422": "The answer has more rows or bytes, or needs more memory, than the settings allow, or the change "
    "would break the shapes.",
    "431": "The headers are more, or larger, than the settings allow.",
    "500": "An error in the service.",
    "503": "The service is busy, or its graph is still empty; Retry-After says when to try again.",
    "504": "Stopped at the time limit.",
    "507": "The disk is full, or cannot be written.",
}


def document(settings: Settings) -> Described:
    """The whole description. Its limits are those of `settings`."""
    paths = _paths(settings)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "sage-ld",
            "version": sage_ld.__version__,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": settings.path_prefix or "/"}],
        "security": [{}, *SECURED],
        "tags": [
            {"name": "retrieval", "description": "Questions and answers."},
            {
                "name": "provenance",
                "description": "Kept retrievals: questions, results, and whether these helped.",
            },
            {"name": "tools", "description": "Tools of language models, and the person who approves calls."},
            {"name": "graph", "description": "The content of the graph."},
            {"name": "reconciliation", "description": "The Reconciliation Service API 0.2, for OpenRefine."},
            {"name": "documents", "description": "Documents that clients add, change and remove."},
            {"name": "edges", "description": "Typed edges that clients state."},
            {"name": "SPARQL", "description": "The SPARQL 1.1 Protocol and Graph Store Protocol."},
            {"name": "data set", "description": "The graph as a whole, and its descriptions."},
            {"name": "administration", "description": "Snapshots, tokens, settings, relinking and checking."},
            {"name": "operation", "description": "Operations for the operators of the service."},
        ],
        "paths": paths,
        "components": {
            "schemas": _components(paths),
            "responses": {code: _problem(text) for code, text in _ERRORS.items()},
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Made by sage-ld token create. Reading needs none by default.",
                },
                "password": {
                    "type": "http",
                    "scheme": "basic",
                    "description": "The same token as the password of any user.",
                },
            },
        },
    }


def _paths(settings: Settings) -> Described:
    """The operations of the routes that have a name, by path and method."""
    examples = dict(request_examples.OF)
    for each in installed():
        examples |= each.examples
    paths: Described = {}
    for route in routes():
        if route.name:
            found = operation(route, settings, examples)
            paths.setdefault(route.path, {})[route.method.lower()] = found
    return paths


_RECORDS: Final = (
    records,
    administration,
    answers,
    documents,
    edges,
    facets,
    kept_retrievals,
    neighbourhoods,
    reconciliation,
    statements,
)
"""The modules of the records of answers; a component is named like its record, without `Json`."""
_REFERENCE: Final = re.compile(r"#/components/schemas/(\w+)")
_BESIDE: Final = ("Result", "Framed", "Summary", "Problem")
"""Components that no route answers with alone."""


def _components(paths: Described) -> Described:
    """The schemas that operations refer to, those of the extensions included.

    Raises LookupError for a name that no record has.
    """
    known = {name: each for module in _RECORDS for name, each in vars(module).items()}
    named: dict[str, Any] = {"PlainKeptRetrieval": kept_retrievals.PLAIN_KEPT_RETRIEVAL}
    for each in installed():
        named |= each.components
    schemas: Described = {}
    waiting = sorted({*_REFERENCE.findall(json.dumps(paths)), *_BESIDE, *named})
    while waiting:
        name = waiting.pop()
        record = named.get(name) or known.get(f"{name}Json")
        if record is None:
            places = ", ".join(each.__name__ for each in _RECORDS)
            raise LookupError(f"a route answers with {name!r}, but there is no {name}Json in {places}")
        schemas[name] = record if isinstance(record, dict) else record_schema(record)
        waiting += {*_REFERENCE.findall(json.dumps(schemas[name]))} - schemas.keys() - {*waiting}
    return schemas


def _problem(text: str) -> Described:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        "description": text,
        "content": {MEDIA_TYPE: {"schema": schema, "example": request_examples.PROBLEM}},
    }
