"""The routes for those who run the service, described."""

from __future__ import annotations

from sage_ld.api import snapshots
from sage_ld.service import request_examples
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


def administered_paths() -> Described:
    """The routes of snapshots, which need a token of role admin."""
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
        ("/v1/admin/restore", "post", operation_of(
            "administration", "restoreSnapshot", "Publish a snapshot as a new revision",
            answer_of("The revision.", {JSON: media("Restored")}), "400", "413", "415", "507", body=body,
        )),
    )  # fmt: skip
    return {path: {method: {**operation, "security": SECURED}} for path, method, operation in rows}


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
