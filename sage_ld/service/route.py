"""Routes: one row says all that there is to say about one.

A surface collects the rows of a module. The application's rules, `/openapi.json`, the rights that are checked
before a body is read, the limits of bodies and the seeds of fuzzing follow from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final, TypeAlias, TypeVar

from flask import Response

from sage_ld.foundation.settings import Settings
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.api.schemas import NOTHING, Schema
from sage_ld.service.http.body_limits import BodyLimit, of_json
from sage_ld.service.http.negotiation import Offer

H = TypeVar("H", bound=Callable[..., Response])
SchemaOf: TypeAlias = Schema | Callable[[Settings], Schema]
Role: TypeAlias = AccessRole | Callable[[Settings], AccessRole]
Content: TypeAlias = Mapping[str, str | tuple[str, ...] | Schema]
"""Media type -> the name of a component, several that it may be, or a media type object of OpenAPI."""
_PARAMETER: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class RouteReply:
    """A kind of answer of a route, for its description."""

    text: str
    content: Content = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Route:
    """A method of a path: who may use it, what it takes, what it answers, and the function that does it."""

    method: str
    path: str
    """As OpenAPI writes it: `/v1/chunks/{identifier}`."""
    handler: Callable[..., Response] | None
    """Takes what was asked, if there is a schema, the choice, if there are offers, and the parts of the path.

    None where the application's middleware answers.
    """
    endpoint: str = ""
    """The name by which Flask's `url_for` knows it."""
    rule: str = ""
    """The path as Flask writes it, where that does not follow from `path`."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of Flask's rule."""
    role: Role = AccessRole.NOBODY
    """The role that it needs even where reading is public."""
    open: bool = False
    """Whether it answers everybody under every name: a load balancer has no token, and asks by number."""
    checks_role: bool = False
    """Whether the handler itself says who may not use it."""
    query: SchemaOf | None = None
    """The parameters in the URL; None where the handler reads them, or they mean nothing."""
    body: SchemaOf | None = None
    """The JSON object in the body; None where the handler reads it."""
    fills: bool = False
    """Whether the handler is given the defaults of parameters that were left out."""
    offers: tuple[Offer, ...] = ()
    """The formats of the answer; none where there is one alone, or the handler chooses."""
    limit: Callable[[str, Settings], BodyLimit] | None = None
    """The size of a body, by its media type; None where nothing is made of one."""
    name: str = ""
    """Its operationId; empty where `/openapi.json` does not describe it."""
    tag: str = ""
    summary: str = ""
    description: str = ""
    parameters: Sequence[Schema] | Callable[[Settings], Sequence[Schema]] = ()
    """Those of the path and the head, and of the URL where the handler reads them, as OpenAPI has them."""
    sent: Callable[[Settings], Schema] | None = None
    """The body as OpenAPI has it, where the handler reads it."""
    examples: Mapping[str, Schema] = field(default_factory=dict)
    """Of the body."""
    reply: RouteReply = RouteReply("It is done.")
    status: str = "200"
    """That of `reply`."""
    replies: Mapping[str, RouteReply] = field(default_factory=dict)
    """What it answers with another status."""
    errors: tuple[str, ...] = ()
    """The statuses of errors that not every such route has."""
    cached: bool = False
    """Whether a client that has the answer already is told so."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The paths that it is for."""
        parts = re.split(r"(\{\w+\})", self.path)
        written = (".+" if each.startswith("{") else re.escape(each) for each in parts)
        return re.compile("".join(written) + "/?", re.DOTALL)

    @property
    def flask_rule(self) -> str:
        """The path as Flask writes it."""
        return self.rule or _PARAMETER.sub(r"<\1>", self.path)

    def needs(self, settings: Settings) -> AccessRole:
        """The role that it needs under some settings."""
        return self.role(settings) if callable(self.role) else self.role


class Surface:
    """The routes of one module; its methods are decorators of their handlers.

    >>> surface = Surface("example", tag="graph")
    >>> @surface.get("/v1/example", "example", "An example")
    ... def example(): ...
    >>> [(each.method, each.path, each.endpoint) for each in surface.routes]
    [('GET', '/v1/example', 'example.example')]
    """

    def __init__(self, name: str, **shared: Any) -> None:
        """`shared` are members of `Route` that its routes have alike."""
        self.name = name
        self.routes: list[Route] = []
        self._shared = shared

    def route(
        self, method: str, path: str, name: str = "", summary: str = "", **more: Any
    ) -> Callable[[H], H]:
        """Makes a function the handler of a method of a path."""

        def decorate(handler: H) -> H:
            said = {"name": name, "summary": summary, **self._shared, **more}
            if said.get("body") is not None:
                said.setdefault("limit", of_json)
            endpoint = f"{self.name}.{handler.__name__}"
            self.add(Route(method=method, path=path, handler=handler, endpoint=endpoint, **said))
            return handler

        return decorate

    def add(self, route: Route) -> None:
        """Adds a row."""
        self.routes.append(route)

    def get(self, path: str, name: str = "", summary: str = "", **more: Any) -> Callable[[H], H]:
        """A route that reads; without a schema of parameters, it has none."""
        return self.route("GET", path, name, summary, **{"query": NOTHING, **self._shared, **more})

    def delete(self, path: str, name: str = "", summary: str = "", **more: Any) -> Callable[[H], H]:
        """A route that removes; without a schema of parameters, it has none."""
        return self.route(
            "DELETE", path, name, summary, **{"query": NOTHING, "status": "204", **self._shared, **more}
        )

    def post(self, path: str, name: str = "", summary: str = "", **more: Any) -> Callable[[H], H]:
        """A route that adds, begins, or asks by a body."""
        return self.route("POST", path, name, summary, **more)

    def put(self, path: str, name: str = "", summary: str = "", **more: Any) -> Callable[[H], H]:
        """A route that makes something be what is sent."""
        return self.route("PUT", path, name, summary, **more)

    def patch(self, path: str, name: str = "", summary: str = "", **more: Any) -> Callable[[H], H]:
        """A route that changes parts of something."""
        return self.route("PATCH", path, name, summary, **more)


def schema_of(schema: SchemaOf, settings: Settings) -> Schema:
    """The schema under some settings, which the caller must not change."""
    return _made(schema, settings) if callable(schema) else schema


@lru_cache(maxsize=256)
def _made(schema: Callable[[Settings], Schema], settings: Settings) -> Schema:
    return schema(settings)
