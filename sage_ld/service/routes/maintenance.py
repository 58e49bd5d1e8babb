"""`/v1/admin`: tokens, settings, the state of the service, relinking and checking; for the role admin."""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, Response, request

import sage_ld
from sage_ld.foundation.processes.usage import anonymous_memory, process_tree
from sage_ld.foundation.settings import described
from sage_ld.service.access.credentials import secret_of
from sage_ld.service.access.tokens import FILE, AccessRole, create_token, read_tokens, revoke_token
from sage_ld.service.api import administration, schemas
from sage_ld.service.context import require, require_change, service
from sage_ld.service.http import metrics, request_values
from sage_ld.service.routes.jobs import job_json

blueprint = Blueprint("maintenance", __name__, url_prefix="/v1/admin")


@blueprint.get("/tokens")
def tokens() -> Response:
    """The names of the access tokens with their roles; of the tokens themselves only hashes are kept."""
    require(AccessRole.ADMIN)
    request_values.query(schemas.NOTHING)
    found = read_tokens(service().directory.path / FILE)
    shown = [{"name": each.name, "role": each.role.name.lower(), "created": each.created} for each in found]
    return _json({"tokens": shown})


@blueprint.post("/tokens")
def create() -> Response:
    """Creates an access token; 201 with the token, which is shown once and never again."""
    require_change(AccessRole.ADMIN)
    asked = request_values.body(administration.NEW_TOKEN)
    here, today = service(), datetime.now(UTC).date().isoformat()
    name, role = asked["name"], AccessRole.named(asked["role"])
    secret = create_token(here.directory.path, name, role, today, here.settings.max_tokens)
    return _json({"name": name, "role": asked["role"], "created": today, "token": secret}, 201)


@blueprint.delete("/tokens/<name>")
def revoke(name: str) -> Response:
    """Revokes an access token, which is refused from now on; not the one that asks."""
    require_change(AccessRole.ADMIN)
    request_values.query(schemas.NOTHING)
    revoke_token(service().directory.path, name, secret_of(request.environ))
    answer = Response(status=204)
    del answer.headers["Content-Type"]
    return answer


@blueprint.get("/settings")
def settings() -> Response:
    """All settings that are in force here, each with its meaning."""
    require(AccessRole.ADMIN)
    request_values.query(schemas.NOTHING)
    return _json({"settings": described(service().settings)})


@blueprint.get("/state")
def state() -> Response:
    """Versions, sizes, queues and memory of the service."""
    require(AccessRole.ADMIN)
    request_values.query(schemas.NOTHING)
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


@blueprint.post("/relink")
def relink() -> Response:
    """Begins a job that derives all edges, labels and thresholds again; 202 with the job."""
    require_change(AccessRole.ADMIN)
    request_values.query(schemas.NOTHING)
    return _begun({"op": "relink"})


@blueprint.post("/check")
def check() -> Response:
    """Begins a job that checks the graph's files, indexes, shapes and edges; 202 with the job."""
    require_change(AccessRole.ADMIN)
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
