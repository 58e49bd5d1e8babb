"""JSON Schemas of administration: tokens, settings, the state of the service, maintenance."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.service.api.schemas import Schema, closed

_TEXT: Final[dict[str, Any]] = {"type": "string"}
_COUNT: Final[dict[str, Any]] = {"type": "integer", "minimum": 0}
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
_TOKEN: Final[dict[str, Any]] = {"name": _NAME, "role": _ROLE, "created": {**_TEXT, "format": "date"}}
TOKENS: Final[Schema] = closed(
    ["tokens"], {"tokens": {"type": "array", "items": closed(["name", "role", "created"], _TOKEN)}}
)
CREATED_TOKEN: Final[Schema] = closed(
    ["name", "role", "created", "token"],
    {**_TOKEN, "token": {**_TEXT, "description": "The token itself: it is shown here, and never again."}},
)
_VALUE: Final[dict[str, Any]] = {"type": ["string", "number", "boolean"]}
SETTINGS: Final[Schema] = closed(
    ["settings"],
    {
        "settings": {
            "type": "array",
            "items": closed(
                ["name", "value", "default", "unit", "help", "only_environment"],
                {
                    "name": _TEXT,
                    "value": _VALUE,
                    "default": _VALUE,
                    "unit": _TEXT,
                    "help": _TEXT,
                    "minimum": {"type": "number"},
                    "maximum": {"type": "number"},
                    "only_environment": {
                        "type": "boolean",
                        "description": "Whether only the environment may set it, not the graph's file.",
                    },
                },
            ),
        }
    },
)
STATE: Final[Schema] = closed(
    ["version", "python", "revision", "encoder", "baseIri", "bytes", "pools", "processes", "memory"],
    {
        "version": _TEXT,
        "python": _TEXT,
        "revision": _COUNT,
        "encoder": _TEXT,
        "baseIri": {**_TEXT, "format": "iri"},
        "bytes": {
            "type": "object",
            "additionalProperties": _COUNT,
            "description": "Sizes of the served revision by part: the store and each index.",
        },
        "pools": {
            "type": "object",
            "description": "Worker processes by pool, over all web processes.",
            "additionalProperties": closed([], {"waiting": _COUNT, "busy": _COUNT}),
        },
        "processes": {**_COUNT, "description": "Processes of the service."},
        "memory": {
            **_COUNT,
            "description": "Bytes of memory that these processes use, without mapped files.",
        },
    },
)
ROLE: Final[Schema] = closed(["role"], {"role": {**_TEXT, "enum": ["none", "read", "write", "admin"]}})
