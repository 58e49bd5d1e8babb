"""JSON Schemas of administration: tokens, settings, the state of the service, maintenance."""

from __future__ import annotations

from typing import Annotated, Any, Final, NotRequired, TypedDict

from msgspec import Meta

from sage_ld.foundation.records import Count, Day, Iri, Positive, Time, one_of, said
from sage_ld.graph.upkeep.backup import NAME
from sage_ld.service.api.schemas import Schema, closed

_ROLE: Final[dict[str, Any]] = {
    "type": "string",
    "enum": ["read", "write", "admin"],
    "description": "Each role includes those before it.",
}
_NAME: Final[dict[str, Any]] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 100,
    "description": "The owner of the token.",
}
NEW_TOKEN: Final[Schema] = closed(["name", "role"], {"name": _NAME, "role": _ROLE})
"""The body that creates a token."""
CHECK: Final[Schema] = closed(
    [],
    {
        "repair": {
            "type": "boolean",
            "default": False,
            "description": "Whether to repair derived data, as sage-ld doctor --repair does.",
        }
    },
)
"""The body that begins a check of the graph."""


class TokenJson(TypedDict):
    """An access token, without the token itself."""

    name: Annotated[str, Meta(min_length=1, max_length=100), said("The owner of the token.")]
    role: Annotated[str, one_of(["read", "write", "admin"]), said("Each role includes those before it.")]
    created: Day


class TokensJson(TypedDict):
    """The access tokens."""

    tokens: list[TokenJson]


class CreatedTokenJson(TokenJson):
    """A new access token."""

    token: Annotated[str, said("The token itself: it is shown here, and never again.")]


class SettingJson(TypedDict):
    """A setting, with its meaning."""

    name: str
    value: str | float | bool
    default: str | float | bool
    unit: str
    help: str
    minimum: NotRequired[float]
    maximum: NotRequired[float]
    only_environment: Annotated[bool, said("Whether only the environment may set it, not the graph's file.")]


class SettingsJson(TypedDict):
    """The settings in force."""

    settings: list[SettingJson]


class PoolJson(TypedDict, total=False):
    """The load of a pool of workers."""

    waiting: Count
    busy: Count


class StateJson(TypedDict):
    """The state of the service."""

    version: str
    python: str
    revision: Count
    encoder: str
    baseIri: Iri
    bytes: Annotated[
        dict[str, Count], said("Sizes of the served revision by part: the store and each index.")
    ]
    pools: Annotated[dict[str, PoolJson], said("Worker processes by pool, over all web processes.")]
    processes: Annotated[Count, said("Processes of the service.")]
    memory: Annotated[Count, said("Bytes of memory that these processes use, without mapped files.")]


class RoleJson(TypedDict):
    """The role of the caller."""

    role: Annotated[str, one_of(["none", "read", "write", "admin"])]


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
