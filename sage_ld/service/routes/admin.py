"""`/v1/admin`: snapshots of the graph, and going back to one while it is served; for the role admin."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Final, TypeVar

from flask import Blueprint, Response

from sage_ld.api import schemas
from sage_ld.api import snapshots as described
from sage_ld.errors import ConflictError, NotFoundError, UnavailableError
from sage_ld.graph import saved_revisions
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.context import require, require_change, service
from sage_ld.service.http import request_values

T = TypeVar("T")
_PATIENCE: Final = 0.5
"""Share of `update_timeout` for which a request waits: to restore, while another process writes; to take a
snapshot, while another one is taken."""
_PAUSE: Final = 0.05

blueprint = Blueprint("admin", __name__, url_prefix="/v1/admin")


@blueprint.post("/snapshot")
def take() -> Response:
    """Takes a snapshot of the newest revision, also while another process writes; 201 with its name."""
    require_change(AccessRole.ADMIN)
    request_values.query(schemas.NOTHING)
    here = service()
    folder, most = here.settings.snapshot_dir, here.settings.max_snapshots
    saved = _waiting(lambda: saved_revisions.take(here.directory, folder, most))
    return _json(saved.as_json(), 201)


@blueprint.get("/snapshots")
def listed() -> Response:
    """The snapshots in the folder of the setting snapshot_dir, the oldest first."""
    require(AccessRole.ADMIN)
    request_values.query(schemas.NOTHING)
    found = saved_revisions.listed(service().settings.snapshot_dir)
    return _json({"snapshots": [each.as_json() for each in found]})


@blueprint.post("/restore")
def restore() -> Response:
    """Publishes a snapshot as a new revision, which takes the place of what the graph holds."""
    require_change(AccessRole.ADMIN)
    name = request_values.body(described.RESTORE)["name"]
    directory, folder = service().directory, service().settings.snapshot_dir
    try:
        revision = _waiting(lambda: saved_revisions.restore(directory, folder, name))
    except NotFoundError as error:
        if not folder:
            raise
        raise NotFoundError(f"{error}; GET /v1/admin/snapshots lists those that are there") from None
    return _json({"revision": revision})


def _waiting(work: Callable[[], T]) -> T:
    """The result of work that waits for nobody else, tried again for a while. Raises UnavailableError."""
    deadline = time.monotonic() + _PATIENCE * service().settings.update_timeout
    while True:
        try:
            return work()
        except ConflictError as error:
            if time.monotonic() > deadline:
                raise UnavailableError(f"{error}; ask again later") from None
        time.sleep(_PAUSE)


def _json(said: dict[str, object], status: int = 200) -> Response:
    answer = Response(json.dumps(said) + "\n", status, content_type="application/json")
    answer.cache_control.no_store = True
    return answer
