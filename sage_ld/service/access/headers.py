"""Headers that every answer carries, and which web pages of others may read it (CORS)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from flask import Flask, Response, request
from werkzeug import Request

from sage_ld.service.access.tokens import Role
from sage_ld.service.context import Service, require, service
from sage_ld.settings import Settings

HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": (
        "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
_EXPOSED = "Content-Disposition, ETag, Link, Location, Retry-After"
_PREFLIGHT_SECONDS = 86400


def register(app: Flask) -> None:
    """Guards reading where it is not public, and adds the headers; a route may set its own."""
    app.before_request(_guard)
    app.after_request(lambda answer: complete(answer, service().settings, request))


def _guard() -> None:
    """Health is for everybody: a load balancer has no token. A wrong token is refused everywhere."""
    if request.method == "OPTIONS" or (request.endpoint or "").startswith("operation.health"):
        return
    require(needed_to_read(service()))


def needed_to_read(here: Service) -> Role:
    """The role that reading needs."""
    return Role.NOBODY if here.settings.public_read else Role.READ


def headers(settings: Settings, origin: str | None) -> dict[str, str]:
    """Those of an answer to a page of `origin`, beside `Vary: Origin` where `differs` says so."""
    allowed = _allowed(settings.cors_origins)
    if origin is None or not ("*" in allowed or origin in allowed):
        return HEADERS
    return HEADERS | {
        "Access-Control-Allow-Origin": "*" if "*" in allowed else origin,
        "Access-Control-Expose-Headers": _EXPOSED,
    }


def differs(settings: Settings) -> bool:
    """Whether the headers of an answer depend on whose page asks."""
    allowed = _allowed(settings.cors_origins)
    return bool(allowed) and "*" not in allowed


@lru_cache(4)
def _allowed(origins: str) -> frozenset[str]:
    return frozenset(each.strip() for each in origins.split(",") if each.strip())


def protect(answer: Response, settings: Settings, origin: str | None) -> Response:
    """Adds to an answer to a page of `origin` what it does not have yet of its headers."""
    for name, value in headers(settings, origin).items():
        answer.headers.setdefault(name, value)
    if differs(settings):
        answer.vary.add("Origin")
    return answer


def complete(answer: Response, settings: Settings, sent: Request) -> Response:
    """Adds all headers that the answer to a request needs, also those that a page asks for beforehand."""
    protect(answer, settings, sent.headers.get("Origin"))
    asks = sent.method == "OPTIONS" and "Access-Control-Request-Method" in sent.headers
    if asks and "Access-Control-Allow-Origin" in answer.headers:
        answer.headers["Access-Control-Allow-Methods"] = answer.headers.get("Allow", "GET, HEAD")
        answer.headers["Access-Control-Allow-Headers"] = (
            "Accept, Authorization, Content-Type, If-Match, If-None-Match"
        )
        answer.headers["Access-Control-Max-Age"] = str(_PREFLIGHT_SECONDS)
    return answer
