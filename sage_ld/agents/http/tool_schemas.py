"""JSON Schemas of `/v1/tools`: the list of tools, and a call that waits for a person."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.service.api import schemas

Schema = dict[str, Any]

LIST: Final[Schema] = schemas.closed(
    [],
    {
        "format": {
            "type": "string",
            "enum": ["plain", "openai"],
            "default": "plain",
            "description": "plain: all that is known of each; openai: as the chat API of OpenAI takes them.",
        }
    },
)
TOOLS: Final[Schema] = {
    "type": "object",
    "required": ["tools"],
    "properties": {"tools": {"type": "array", "items": {"type": "object"}}},
}
PENDING_CALL: Final[Schema] = {
    "type": "object",
    "required": ["approval", "address", "detail"],
    "properties": {
        "approval": {"type": "string", "description": "The approval's identifier."},
        "address": {"type": "string", "description": "Where it is given: the path of /v1/approvals/{id}."},
        "detail": {"type": "string", "description": "What to do: have it given, then make the same call."},
    },
}
