"""Parts of the JSON Schemas of requests, which `/openapi.json` publishes and requests are checked by."""

from __future__ import annotations

from typing import Any, Final

Schema = dict[str, Any]


def record(required: list[str], properties: Schema, **more: Any) -> Schema:
    """The schema of an object."""
    return {"type": "object", "required": required, "properties": properties, **more}


def closed(required: list[str], properties: Schema) -> Schema:
    """The schema of an object in a request: a name that is not listed is a mistake, and refused."""
    return record(required, properties, additionalProperties=False, maxProperties=len(properties))


def list_of(items: Schema, **more: Any) -> Schema:
    """The schema of a list."""
    return {"type": "array", "items": items, **more}


def noted(schema: Schema, description: str) -> Schema:
    """A schema with its description."""
    return {**schema, "description": description}


NOTHING: Final = closed([], {})
"""The schema of a request without parameters."""
