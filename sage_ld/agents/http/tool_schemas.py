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
            "description": "plain: each tool in full; openai: in the form of OpenAI's chat API.",
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
        "address": {"type": "string", "description": "The path at which to decide it: /v1/approvals/{id}."},
        "detail": {"type": "string", "description": "The next step: get the approval, then repeat the call."},
    },
}
