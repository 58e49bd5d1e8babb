"""`/v1/tools`: the table of tools, and each tool by itself, for programs that call them without MCP."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from flask import Response, request

from sage_ld.agents.http import examples, tool_schemas
from sage_ld.agents.http.tool_backend import tool_role, toolbox_for
from sage_ld.agents.tools.approval import ApprovalPendingError
from sage_ld.agents.tools.listing import openai_tools, plain_tool, result_schema, tools_for
from sage_ld.agents.tools.table import TOOLS
from sage_ld.agents.tools.tool import Effect, Tool
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.context import role, service
from sage_ld.service.http import responses
from sage_ld.service.http.body_limits import of_json
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.openapi.parts import JSON
from sage_ld.service.route import Route, RouteReply, Surface

_ERRORS: Final = ("409", "413", "415", "422", "504", "507")
_PENDING: Final = RouteReply(
    "The call, or its result, waits for a person. Location has the approval: have it given, then make the "
    "same call.",
    {JSON: "PendingCall"},
)

surface = Surface("tools", tag="tools", offers=(responses.JSON,))


@surface.get(
    "/v1/tools",
    "listTools",
    "The tools that the sender may use",
    query=tool_schemas.LIST,
    fills=True,
    reply=RouteReply("The tools.", {JSON: "Tools"}),
)
def listed(given: dict[str, Any], choice: Choice) -> Response:
    """The tools for which the sender's role is enough."""
    found, settings = tools_for(tool_role(role())), service().settings
    if given["format"] == "openai":
        shown = openai_tools(found, settings)
    else:
        shown = [plain_tool(each, settings) for each in found]
    answer = responses.json_text({"tools": shown}, choice)
    answer.vary.add("Authorization")
    return answer


def _called(tool: Tool, *given: Any) -> Response:
    """The result of a tool; 202 where the call, or its result, waits for a person."""
    here = service()
    toolbox = toolbox_for(here, request.environ, role())
    *arguments, choice = given  # a tool without arguments is given none
    gone = request.environ.get(CLIENT_GONE, lambda: False)
    try:
        return responses.private(
            responses.json_text(toolbox.call(tool.name, *arguments or [{}], gone=gone), choice)
        )
    except ApprovalPendingError as pending:
        address = f"{here.settings.path_prefix}/v1/approvals/{pending.identifier}"
        said = {"approval": pending.identifier, "address": address, "detail": str(pending)}
        answer = responses.private(responses.json_text(said, choice))
        answer.status_code = 202
        answer.headers["Location"] = address
        return answer


for _tool in TOOLS.values():
    surface.add(
        Route(
            method="POST",
            path=f"/v1/tools/{_tool.name}",
            endpoint=f"tools.{_tool.name}",
            handler=partial(_called, _tool),
            role=AccessRole.NOBODY if _tool.effect is Effect.READS else AccessRole.named(_tool.role),
            body=_tool.arguments,
            limit=of_json,
            offers=(responses.JSON,),
            name=f"tool_{_tool.name}",
            tag="tools",
            summary=_tool.title,
            description=_tool.description,
            examples={"a call": {"value": examples.TOOL_CALLS[_tool.name]}},
            reply=RouteReply(
                "The result, small enough for a model to read.", {JSON: {"schema": result_schema(_tool)}}
            ),
            replies={"202": _PENDING},
            errors=_ERRORS,
        )
    )
