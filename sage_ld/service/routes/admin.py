"""`/v1/admin`: snapshots of the graph, each as a file, and going back to one; for the role admin."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final, TypeVar

from flask import Blueprint, Response

from sage_ld.foundation.errors import ConflictError, NotFoundError, UnavailableError
from sage_ld.graph.upkeep import backup
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.api import schemas
from sage_ld.service.api import snapshots as described
from sage_ld.service.context import require, require_change, service
from sage_ld.service.http import request_values
from sage_ld.service.routes.export import attachment

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
    saved = _waiting(lambda: backup.take(here.directory, folder, most))
    return _json(saved.as_json(), 201)


@blueprint.get("/snapshots")
def listed() -> Response:
    """The snapshots in the folder of the setting snapshot_dir, the oldest first."""
    require(AccessRole.ADMIN)
    request_values.query(schemas.NOTHING)
    found = backup.listed(service().settings.snapshot_dir)
    return _json({"snapshots": [each.as_json() for each in found]})


@blueprint.get("/snapshots/<name>")
def download(name: str) -> Response:
    """A snapshot as a tar file, which holds one of the places of exports until its last byte is taken."""
    require(AccessRole.ADMIN)
    request_values.query(schemas.NOTHING)
    pieces = _of_one(lambda folder: backup.archive(folder, name))
    answer = attachment(pieces, "application/x-tar", f"sage-ld-{name}.tar", ExitStack())
    answer.cache_control.no_store = True
    return answer


@blueprint.post("/restore")
def restore() -> Response:
    """Publishes a snapshot as a new revision, which takes the place of what the graph holds."""
    require_change(AccessRole.ADMIN)
    name, directory = request_values.body(described.RESTORE)["name"], service().directory
    restored = _of_one(lambda folder: _waiting(lambda: backup.restore(directory, folder, name)))
    return _json({"revision": restored})


def _of_one(work: Callable[[str], T]) -> T:
    """The result of work on a snapshot in their folder. Raises NotFoundError, and says where they are."""
    folder = service().settings.snapshot_dir
    try:
        return work(folder)
    except NotFoundError as error:
        if not folder:
            raise
        raise NotFoundError(f"{error}; GET /v1/admin/snapshots lists those that are there") from None


def _waiting(work: Callable[[], T]) -> T:
    """The result of work that waits for nobody else, tried again for a while. Raises UnavailableError."""
    deadline = time.monotonic() + _PATIENCE * service().settings.update_timeout
    while True:
        try:
            return work()
        except ConflictError as error:
            if time.monotonic() > deadline:
                raise UnavailableError(f"{error}; try again later") from None
        time.sleep(_PAUSE)


def _json(said: dict[str, object], status: int = 200) -> Response:
    answer = Response(json.dumps(said) + "\n", status, content_type="application/json")
    answer.cache_control.no_store = True
    return answer
