"""Headers of every response, including those of CORS."""

from __future__ import annotations

from typing import Final

from flask import Response
from werkzeug import Request

from sage_ld.foundation.settings import Settings
from sage_ld.service.access import origins

_POLICY: Final = "Content-Security-Policy"
HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    _POLICY: ("default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"),
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
_EXPOSED = "Content-Disposition, ETag, Link, Location, Retry-After"
_PREFLIGHT_SECONDS = 86400


def headers(settings: Settings, origin: str | None) -> dict[str, str]:
    """The headers of an answer to a page of `origin`, except `Vary: Origin` (`varies_by_origin`)."""
    allowed = origins.listed(settings)
    if origin is None or not ("*" in allowed or origin in allowed):
        return HEADERS
    return HEADERS | {
        "Access-Control-Allow-Origin": "*" if "*" in allowed else origin,
        "Access-Control-Expose-Headers": _EXPOSED,
    }


def varies_by_origin(settings: Settings) -> bool:
    """Whether the headers of an answer depend on whose page asks."""
    allowed = origins.listed(settings)
    return bool(allowed) and "*" not in allowed


def add_headers(answer: Response, settings: Settings, origin: str | None) -> Response:
    """Adds to an answer to a page of `origin` what it does not have yet of its headers."""
    for name, value in headers(settings, origin).items():
        if answer.status_code != 304 or name != _POLICY:  # of a page that is kept, its own policy holds
            answer.headers.setdefault(name, value)
    if varies_by_origin(settings):
        answer.vary.add("Origin")
    return answer


def add_all(answer: Response, settings: Settings, sent: Request) -> Response:
    """Adds all headers that the answer to a request needs, also those that a page asks for beforehand."""
    add_headers(answer, settings, sent.headers.get("Origin"))
    asks = sent.method == "OPTIONS" and "Access-Control-Request-Method" in sent.headers
    if asks and "Access-Control-Allow-Origin" in answer.headers:
        answer.headers["Access-Control-Allow-Methods"] = answer.headers.get("Allow", "GET, HEAD")
        answer.headers["Access-Control-Allow-Headers"] = (
            "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer"
        )
        answer.headers["Access-Control-Max-Age"] = str(_PREFLIGHT_SECONDS)
    return answer
