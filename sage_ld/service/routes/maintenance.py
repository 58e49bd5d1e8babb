"""`/v1/admin`: tokens, settings, the state of the service, relinking and checking; for the role admin."""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from typing import Any, Final

from flask import Response, request

import sage_ld
from sage_ld.foundation.processes.usage import anonymous_memory, process_tree
from sage_ld.foundation.settings import described
from sage_ld.service import request_examples
from sage_ld.service.access.credentials import secret_of
from sage_ld.service.access.tokens import FILE, AccessRole, create_token, read_tokens, revoke_token
from sage_ld.service.api import administration, schemas
from sage_ld.service.context import service
from sage_ld.service.http import metrics, request_values
from sage_ld.service.http.body_limits import of_json
from sage_ld.service.openapi.parts import JSON, in_path, json_body
from sage_ld.service.route import RouteReply, Surface
from sage_ld.service.routes.jobs import job_json

_NAME: Final = in_path("name", "The name of the token.", {"type": "string", "minLength": 1, "maxLength": 100})

surface = Surface("maintenance", tag="administration", role=AccessRole.ADMIN)


@surface.get(
    "/v1/admin/tokens",
    "tokens",
    "The access tokens: their names and roles",
    reply=RouteReply("The tokens, without the tokens themselves.", {JSON: "Tokens"}),
)
def tokens() -> Response:
    """The names of the access tokens with their roles; of the tokens themselves only hashes are kept."""
    found = read_tokens(service().directory.path / FILE)
    shown = [{"name": each.name, "role": each.role.name.lower(), "created": each.created} for each in found]
    return _json({"tokens": shown})


@surface.post(
    "/v1/admin/tokens",
    "createToken",
    "Create an access token",
    body=administration.NEW_TOKEN,
    examples=request_examples.NEW_TOKENS,
    reply=RouteReply("The token, which is shown once.", {JSON: "CreatedToken"}),
    status="201",
    errors=("409", "507"),
)
def create(asked: dict[str, Any]) -> Response:
    """Creates an access token; 201 with the token, which is shown once and never again."""
    here, today = service(), datetime.now(UTC).date().isoformat()
    name, role = asked["name"], AccessRole.named(asked["role"])
    secret = create_token(here.directory.path, name, role, today, here.settings.max_tokens)
    return _json({"name": name, "role": asked["role"], "created": today, "token": secret}, 201)


@surface.delete(
    "/v1/admin/tokens/{name}",
    "revokeToken",
    "Revoke an access token, but not the one that asks",
    parameters=[_NAME],
    reply=RouteReply("It is refused from now on."),
    errors=("409", "507"),
)
def revoke(name: str) -> Response:
    """Revokes an access token, which is refused from now on; not the one that asks."""
    revoke_token(service().directory.path, name, secret_of(request.environ))
    answer = Response(status=204)
    del answer.headers["Content-Type"]
    return answer


@surface.get(
    "/v1/admin/settings",
    "settings",
    "The settings in force, with their meaning",
    reply=RouteReply("The settings.", {JSON: "Settings"}),
)
def settings() -> Response:
    """All settings that are in force here, each with its meaning."""
    return _json({"settings": described(service().settings)})


@surface.get(
    "/v1/admin/state",
    "state",
    "Versions, sizes, queues and memory of the service",
    reply=RouteReply("The state.", {JSON: "State"}),
)
def state() -> Response:
    """Versions, sizes, queues and memory of the service."""
    here = service()
    with here.revisions.use() as pin:
        number, sizes = pin.number, here.directory.sizes(pin.number)
    processes = process_tree(os.getppid())
    return _json(
        {
            "version": sage_ld.__version__,
            "python": platform.python_version(),
            "revision": number,
            "encoder": here.configuration.encoder,
            "baseIri": here.configuration.base_iri,
            "bytes": sizes,
            "pools": metrics.pools(),
            "processes": len(processes),
            "memory": sum(map(anonymous_memory, processes)),
        }
    )


@surface.post(
    "/v1/admin/relink",
    "relink",
    "Derive all edges, labels and thresholds again",
    query=schemas.NOTHING,
    limit=of_json,
    reply=RouteReply("The job that does it.", {JSON: "Job"}),
    status="202",
    errors=("413", "507"),
)
def relink() -> Response:
    """Begins a job that derives all edges, labels and thresholds again; 202 with the job."""
    return _begun({"op": "relink"})


@surface.post(
    "/v1/admin/check",
    "checkGraph",
    "Check files, indexes, shapes and edges, as sage-ld doctor",
    limit=of_json,
    sent=lambda _settings: {**json_body(administration.CHECK, request_examples.CHECKS), "required": False},
    reply=RouteReply("The job that does it; its report has the findings.", {JSON: "Job"}),
    status="202",
    errors=("507",),
)
def check() -> Response:
    """Begins a job that checks the graph's files, indexes, shapes and edges; 202 with the job."""
    asked = request_values.body(administration.CHECK) if request.content_length else {}
    return _begun({"op": "check", "repair": asked.get("repair", False)})


def _begun(work: dict[str, Any]) -> Response:
    """The answer to a request that has become a job: 202 with the job's address."""
    here = service()
    record = here.jobs.records.add(work, b"")
    here.jobs.wake()
    answer = _json(job_json(record), 202)
    answer.headers["Location"] = f"{here.settings.path_prefix}/v1/jobs/{record.identifier}"
    return answer


def _json(said: dict[str, object], status: int = 200) -> Response:
    answer = Response(json.dumps(said, ensure_ascii=False) + "\n", status, content_type="application/json")
    answer.cache_control.no_store = True
    return answer
