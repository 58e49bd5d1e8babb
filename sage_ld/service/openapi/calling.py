"""The routes of agents' tools, described: one for each row of their table."""

from __future__ import annotations

from typing import Final

from sage_ld.agents.tools.listing import result_schema
from sage_ld.agents.tools.table import TOOLS
from sage_ld.agents.tools.tool import Effect, Tool
from sage_ld.foundation.settings import Settings
from sage_ld.service import request_examples
from sage_ld.service.api import tools
from sage_ld.service.openapi.parts import (
    JSON,
    SECURED,
    Described,
    answer_of,
    in_query,
    json_body,
    media,
    operation_of,
)

_ERRORS: Final = ("400", "404", "406", "409", "413", "415", "422", "504", "507")


def tool_paths(settings: Settings) -> Described:
    """The list of tools, and a route for each."""
    listed = operation_of(
        "tools", "listTools", "The tools that the sender may use",
        answer_of("The tools.", {JSON: media("Tools")}), "400", "406", "413", parameters=in_query(tools.LIST),
    )  # fmt: skip
    return {
        "/v1/tools": {"get": listed},
        **{f"/v1/tools/{tool.name}": {"post": _call(tool, settings)} for tool in TOOLS.values()},
    }


def _call(tool: Tool, settings: Settings) -> Described:
    given = {"a call": {"value": request_examples.TOOL_CALLS[tool.name]}}
    body = json_body(tool.arguments(settings), given)
    answer = answer_of(
        "The result, small enough for a model to read.", {JSON: {"schema": result_schema(tool)}}
    )
    said = operation_of("tools", f"tool_{tool.name}", tool.title, answer, *_ERRORS, body=body)
    pending = "The call, or its result, waits for a person. Location has the approval: have it given, then "
    said["responses"]["202"] = answer_of(pending + "make the same call.", {JSON: media("PendingCall")})
    secured = {} if tool.effect is Effect.READS else {"security": SECURED}
    return {**said, "description": tool.description, **secured}
