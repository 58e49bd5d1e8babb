"""`/v1/admin`: snapshots of the graph, each as a file, and going back to one; for the role admin."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Final, TypeVar

from flask import Response

from sage_ld.foundation.errors import ConflictError, NotFoundError, UnavailableError
from sage_ld.graph.upkeep import backup
from sage_ld.service import request_examples
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.api import administration as described
from sage_ld.service.api import schemas
from sage_ld.service.context import service
from sage_ld.service.http.body_limits import of_json
from sage_ld.service.openapi.parts import JSON, in_path
from sage_ld.service.route import RouteReply, Surface
from sage_ld.service.routes.export import attachment

T = TypeVar("T")
_PATIENCE: Final = 0.5
"""Share of `update_timeout` for which a request waits: to restore, while another process writes; to take a
snapshot, while another one is taken."""
_PAUSE: Final = 0.05

_SNAPSHOT: Final = in_path(
    "name", "The name of the snapshot, as `GET /v1/admin/snapshots` returns it.", described.NAME_SCHEMA
)

surface = Surface("admin", tag="administration", role=AccessRole.ADMIN)


@surface.post(
    "/v1/admin/snapshot",
    "takeSnapshot",
    "Take a snapshot of the newest revision",
    query=schemas.NOTHING,
    limit=of_json,
    reply=RouteReply("The snapshot.", {JSON: "Snapshot"}),
    status="201",
    errors=("413", "507"),
)
def take() -> Response:
    """Takes a snapshot of the newest revision, also while another process writes; 201 with its name."""
    here = service()
    folder, most = here.settings.snapshot_dir, here.settings.max_snapshots
    saved = _waiting(lambda: backup.take(here.directory, folder, most))
    return _json(saved.as_json(), 201)


@surface.get(
    "/v1/admin/snapshots",
    "snapshots",
    "The snapshots, the oldest first",
    reply=RouteReply("The snapshots.", {JSON: "Snapshots"}),
)
def listed() -> Response:
    """The snapshots in the folder of the setting snapshot_dir, the oldest first."""
    found = backup.listed(service().settings.snapshot_dir)
    return _json({"snapshots": [each.as_json() for each in found]})


@surface.get(
    "/v1/admin/snapshots/{name}",
    "downloadSnapshot",
    "A snapshot as a tar file, which unpacked is a backup",
    parameters=[_SNAPSHOT],
    reply=RouteReply("The file; it is sent as it is read.", {"application/x-tar": {"schema": {}}}),
)
def download(name: str) -> Response:
    """A snapshot as a tar file, which holds one of the places of exports until its last byte is taken."""
    pieces = _of_one(lambda folder: backup.archive(folder, name))
    answer = attachment(pieces, "application/x-tar", f"sage-ld-{name}.tar", ExitStack())
    answer.cache_control.no_store = True
    return answer


@surface.post(
    "/v1/admin/restore",
    "restoreSnapshot",
    "Publish a snapshot as a new revision",
    body=described.RESTORE,
    examples=request_examples.RESTORATION,
    reply=RouteReply("The revision.", {JSON: "Restored"}),
    errors=("507",),
)
def restore(asked: dict[str, Any]) -> Response:
    """Publishes a snapshot as a new revision, which takes the place of what the graph holds."""
    name, directory = asked["name"], service().directory
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
