"""Suggested calls of tools, which an answer gives the model that reads it."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.agents.tools.tool import Schema

NEXT: Final[Schema] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["tool", "arguments", "why"],
        "properties": {
            "tool": {"type": "string"},
            "arguments": {"type": "object"},
            "why": {"type": "string"},
        },
    },
    "description": "Calls that may help next.",
}


def suggestion(tool: str, why: str, **arguments: Any) -> dict[str, Any]:
    """A call that may help next, and what for."""
    return {"tool": tool, "arguments": arguments, "why": why}
