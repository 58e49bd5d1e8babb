"""JSON Schemas of the requests and answers about snapshots (`/v1/admin`)."""

from __future__ import annotations

from typing import Any, Final

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
SNAPSHOT: Final[Schema] = closed(
    ["name", "created", "revision"],
    {
        "name": NAME_SCHEMA,
        "created": {"type": "string", "format": "date-time"},
        "revision": {"type": "integer", "minimum": 1},
    },
)
SNAPSHOTS: Final[Schema] = closed(["snapshots"], {"snapshots": {"type": "array", "items": SNAPSHOT}})
RESTORED: Final[Schema] = closed(["revision"], {"revision": {"type": "integer", "minimum": 1}})
