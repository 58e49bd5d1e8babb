"""JSON Schemas of the requests and answers about snapshots (`/v1/admin`)."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypedDict

from msgspec import Meta

from sage_ld.foundation.records import Positive, Time, said
from sage_ld.graph.upkeep.backup import NAME
from sage_ld.service.api.schemas import Schema, closed

NAME_SCHEMA: Final[dict[str, Any]] = {
    "type": "string",
    "maxLength": 40,
    "pattern": NAME,
    "description": "The time and the revision of the snapshot.",
}
RESTORE: Final[Schema] = closed(["name"], {"name": NAME_SCHEMA})
"""The body of a restoration."""


class SnapshotJson(TypedDict):
    """A snapshot of the graph."""

    name: Annotated[
        str, Meta(max_length=40, pattern=NAME), said("The time and the revision of the snapshot.")
    ]
    created: Time
    revision: Positive


class SnapshotsJson(TypedDict):
    """The snapshots."""

    snapshots: list[SnapshotJson]


class RestoredJson(TypedDict):
    """The revision that a snapshot has become."""

    revision: Positive
