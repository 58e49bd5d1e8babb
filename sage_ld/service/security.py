"""Headers that every answer carries, and which web pages of others may read it (CORS)."""

from __future__ import annotations

from typing import Final

from flask import Flask, Response, request

from sage_ld.service.context import require, service
from sage_ld.service.tokens import Role

_HEADERS: Final = {
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
    app.after_request(_secure)
    app.after_request(_share)


def _guard() -> None:
    """Health is for everybody: a load balancer has no token. A wrong token is refused everywhere."""
    if request.method == "OPTIONS" or (request.endpoint or "").startswith("operation.health"):
        return
    if service().settings.public_read:
        require(Role.NOBODY)
    else:
        require(Role.READ)


def _secure(answer: Response) -> Response:
    for name, value in _HEADERS.items():
        answer.headers.setdefault(name, value)
    return answer


def _share(answer: Response) -> Response:
    allowed = [each.strip() for each in service().settings.cors_origins.split(",") if each.strip()]
    origin = request.headers.get("Origin")
    if not allowed:
        return answer
    if "*" not in allowed:
        answer.vary.add("Origin")
    if origin is None or not ("*" in allowed or origin in allowed):
        return answer
    answer.headers["Access-Control-Allow-Origin"] = "*" if "*" in allowed else origin
    answer.headers["Access-Control-Expose-Headers"] = _EXPOSED
    if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
        answer.headers["Access-Control-Allow-Methods"] = answer.headers.get("Allow", "GET, HEAD")
        answer.headers["Access-Control-Allow-Headers"] = "Accept, Authorization, Content-Type, If-None-Match"
        answer.headers["Access-Control-Max-Age"] = str(_PREFLIGHT_SECONDS)
    return answer
