"""The routes for operators of the service, described."""

from __future__ import annotations

from typing import Final

from sage_ld.service import request_examples
from sage_ld.service.api import administration, snapshots
from sage_ld.service.openapi.parts import (
    JSON,
    SECURED,
    TEXT,
    Described,
    answer_of,
    json_body,
    media,
    operation_of,
)

_NAME: Final = {
    "name": "name",
    "in": "path",
    "required": True,
    "description": "The name of the token.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 100},
}
_SNAPSHOT: Final = {
    **_NAME,
    "description": "The name of the snapshot, as `GET /v1/admin/snapshots` returns it.",
    "schema": snapshots.NAME_SCHEMA,
}


def administered_paths() -> Described:
    """The routes of snapshots, tokens, settings and maintenance, which need a token of role admin."""
    body = json_body(snapshots.RESTORE, request_examples.RESTORATION)
    rows: tuple[tuple[str, str, Described], ...] = (
        ("/v1/admin/snapshot", "post", operation_of(
            "administration", "takeSnapshot", "Take a snapshot of the newest revision",
            answer_of("The snapshot.", {JSON: media("Snapshot")}), "400", "413", "507", status="201",
        )),
        ("/v1/admin/snapshots", "get", operation_of(
            "administration", "snapshots", "The snapshots, the oldest first",
            answer_of("The snapshots.", {JSON: media("Snapshots")}), "400",
        )),
        ("/v1/admin/snapshots/{name}", "get", operation_of(
            "administration", "downloadSnapshot", "A snapshot as a tar file, which unpacked is a backup",
            answer_of("The file; it is sent as it is read.", {"application/x-tar": {"schema": {}}}), "400",
            parameters=[_SNAPSHOT],
        )),
        ("/v1/admin/restore", "post", operation_of(
            "administration", "restoreSnapshot", "Publish a snapshot as a new revision",
            answer_of("The revision.", {JSON: media("Restored")}), "400", "413", "415", "507", body=body,
        )),
        ("/v1/admin/tokens", "get", operation_of(
            "administration", "tokens", "The access tokens: their names and roles",
            answer_of("The tokens, without the tokens themselves.", {JSON: media("Tokens")}), "400",
        )),
        ("/v1/admin/tokens", "post", operation_of(
            "administration", "createToken", "Create an access token",
            answer_of("The token, which is shown once.", {JSON: media("CreatedToken")}),
            "400", "409", "413", "415", "507", status="201",
            body=json_body(administration.NEW_TOKEN, request_examples.NEW_TOKENS),
        )),
        ("/v1/admin/tokens/{name}", "delete", operation_of(
            "administration", "revokeToken", "Revoke an access token, but not the one that asks",
            answer_of("It is refused from now on.", {}), "400", "409", "507",
            parameters=[_NAME], status="204",
        )),
        ("/v1/admin/settings", "get", operation_of(
            "administration", "settings", "The settings in force, with their meaning",
            answer_of("The settings.", {JSON: media("Settings")}), "400",
        )),
        ("/v1/admin/state", "get", operation_of(
            "administration", "state", "Versions, sizes, queues and memory of the service",
            answer_of("The state.", {JSON: media("State")}), "400",
        )),
        ("/v1/admin/relink", "post", operation_of(
            "administration", "relink", "Derive all edges, labels and thresholds again",
            answer_of("The job that does it.", {JSON: media("Job")}), "400", "413", "507", status="202",
        )),
        ("/v1/admin/check", "post", operation_of(
            "administration", "checkGraph", "Check files, indexes, shapes and edges, as sage-ld doctor",
            answer_of("The job that does it; its report has the findings.", {JSON: media("Job")}),
            "400", "413", "415", "507",
            body=json_body(administration.CHECK, request_examples.CHECKS) | {"required": False}, status="202",
        )),
    )  # fmt: skip
    paths: Described = {}
    for path, method, operation in rows:
        paths.setdefault(path, {})[method] = {**operation, "security": SECURED}
    return paths


def operated_paths() -> Described:
    """The routes of operation, such as `/health`."""
    healthy = {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}
    health = {JSON: {"schema": healthy}}
    figures = answer_of("The figures, in Prometheus's text format.", {"text/plain": TEXT})
    unread = answer_of("The revision cannot be read.", health)
    return {
        "/health": {
            "get": {
                "tags": ["operation"],
                "operationId": "health",
                "summary": "Whether the service can answer; needs no token",
                "responses": {
                    "200": answer_of("It can; `revision` is served.", health),
                    "503": unread,
                },
            }
        },
        "/v1/role": {
            "get": operation_of(
                "operation",
                "role",
                "The role of the caller",
                answer_of("The role.", {JSON: media("Role")}),
                "400",
            )
        },
        "/metrics": {"get": operation_of("operation", "metrics", "Figures for Prometheus", figures)},
        "/v1/cache": {
            "delete": {
                **operation_of(
                    "operation",
                    "clearCache",
                    "Drop the cached answers of all web processes",
                    answer_of("They are dropped.", {}),
                    "400",
                    status="204",
                ),
                "security": SECURED,
            }
        },
    }
