"""`/v1/tools`: the table of tools, and each tool by itself, for programs that call them without MCP."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, Response, request

from sage_ld.agents.http import tool_schemas
from sage_ld.agents.http.tool_backend import tool_role, toolbox_for
from sage_ld.agents.tools.approval import ApprovalPendingError
from sage_ld.agents.tools.listing import openai_tools, plain_tool, tools_for
from sage_ld.agents.tools.table import TOOLS
from sage_ld.agents.tools.tool import Effect, Tool
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.context import require_change, role, service
from sage_ld.service.http import request_values, responses
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.negotiation import choose

blueprint = Blueprint("tools", __name__, url_prefix="/v1/tools")


@blueprint.get("")
def listed() -> Response:
    """The tools for which the sender's role is enough."""
    given = {"format": "plain"} | request_values.query(tool_schemas.LIST)
    choice = choose(request.headers.get("Accept"), (responses.JSON,))
    found, settings = tools_for(tool_role(role())), service().settings
    if given["format"] == "openai":
        shown = openai_tools(found, settings)
    else:
        shown = [plain_tool(each, settings) for each in found]
    answer = responses.json_text({"tools": shown}, choice)
    answer.vary.add("Authorization")
    return answer


def _called(tool: Tool) -> Response:
    """The result of a tool; 202 where the call, or its result, waits for a person."""
    if tool.effect is not Effect.READS:
        require_change(AccessRole.named(tool.role))
    here = service()
    choice = choose(request.headers.get("Accept"), (responses.JSON,))
    arguments = request_values.body(tool.arguments(here.settings))
    toolbox = toolbox_for(here, request.environ, role())
    gone = request.environ.get(CLIENT_GONE, lambda: False)
    try:
        return responses.private(responses.json_text(toolbox.call(tool.name, arguments, gone=gone), choice))
    except ApprovalPendingError as pending:
        address = f"{here.settings.path_prefix}/v1/approvals/{pending.identifier}"
        said = {"approval": pending.identifier, "address": address, "detail": str(pending)}
        answer = responses.private(responses.json_text(said, choice))
        answer.status_code = 202
        answer.headers["Location"] = address
        return answer


for _tool in TOOLS.values():
    blueprint.add_url_rule(f"/{_tool.name}", _tool.name, partial(_called, _tool), methods=["POST"])
