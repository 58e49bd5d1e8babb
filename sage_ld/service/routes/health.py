"""`/health` and `/metrics`: the state of the service, for its operators."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, Final

from flask import Response

from sage_ld.foundation.errors import SageError
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.context import role, service
from sage_ld.service.http import metrics
from sage_ld.service.openapi.parts import JSON, TEXT
from sage_ld.service.route import RouteReply, Surface

_HEALTHY: Final = {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}

surface = Surface("operation", tag="operation")


@surface.get("/health/live", query=None, open=True)
def health_live() -> Response:
    """200 as long as the process answers at all."""
    return _json({"status": "ok"})


@surface.get(
    "/health",
    "health",
    "Whether the service can answer; needs no token",
    query=None,
    open=True,
    reply=RouteReply("It can; `revision` is served.", {JSON: {"schema": _HEALTHY}}),
    replies={"503": RouteReply("The revision cannot be read.", {JSON: {"schema": _HEALTHY}})},
)
@surface.get("/health/ready", query=None, open=True)
def health_ready() -> Response:
    """200 with the revision that is served, and what is damaged or fails; 503 where it cannot be read."""
    here = service()
    try:
        with here.revisions.use() as pin:
            said: dict[str, Any] = {"status": "ok", "revision": pin.number}
            if damage := here.verification.damage():
                said |= {"status": "degraded", "damage": damage}
            if trouble := here.jobs.loop.trouble:
                said |= {"status": "degraded", "background": {"jobs": trouble}}
            return _json(said)
    except (SageError, OSError, ValueError) as error:
        return _json({"status": "unavailable", "detail": str(error)}, 503)


@surface.get("/v1/role", "role", "The role of the caller", reply=RouteReply("The role.", {JSON: "Role"}))
def own_role() -> Response:
    """The role of the caller, by which a page knows what it can offer. Raises AuthenticationError."""
    given = role()
    return _json({"role": "none" if given is AccessRole.NOBODY else given.name.lower()})


@surface.get(
    "/metrics",
    "metrics",
    "Figures for Prometheus",
    query=None,
    reply=RouteReply("The figures, in Prometheus's text format.", {"text/plain": TEXT}),
)
def figures() -> Response:
    """All figures, for Prometheus; the drift is that of the last revision for which it was measured."""
    here = service()
    with suppress(SageError, OSError), here.revisions.use() as pin:
        here.drift.begin(pin.number)
    return Response(metrics.exposition(), content_type=metrics.MEDIA_TYPE)


def _json(said: dict[str, Any], status: int = 200) -> Response:
    answer = Response(json.dumps(said), status, content_type="application/json")
    answer.cache_control.no_store = True
    return answer
