"""The Agents SDK of OpenAI: the tools of a toolbox as function tools (extra `openai-agents`).

Programs that call the chat API themselves need no adapter: `Toolbox.openai_tools` is the list for `tools`,
and `Toolbox.call` runs what the model asks for.
"""

from __future__ import annotations

import json
from typing import Any

from sage_ld.agents import Toolbox
from sage_ld.agents.integrations import tool_calls
from sage_ld.foundation import extras
from sage_ld.foundation.errors import InputError, SageError

with extras.imports(extras.OPENAI_AGENTS):
    from agents import FunctionTool
    from agents.tool_context import ToolContext


def function_tools(toolbox: Toolbox) -> list[FunctionTool]:
    """The tools of a toolbox for `agents.Agent(tools=…)`, with the schemas of their arguments.

    The result is JSON. What the toolbox refuses, and why, is given to the model as the result of its call.
    """
    return [_tool(toolbox, each["function"]) for each in toolbox.openai_tools()]


def _tool(toolbox: Toolbox, function: dict[str, Any]) -> FunctionTool:
    async def run(context: ToolContext[Any], arguments: str) -> str:
        try:
            return await tool_calls.acall(toolbox, function["name"], _object(arguments))
        except SageError as error:
            return f"Error: {error}"

    return FunctionTool(
        name=function["name"],
        description=function["description"],
        params_json_schema=function["parameters"],
        on_invoke_tool=run,
        strict_json_schema=False,
    )


def _object(arguments: str) -> dict[str, Any]:
    """The arguments of a call, which a model wrote. Raises InputError."""
    try:
        given = json.loads(arguments or "{}")
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise InputError("the arguments are not a JSON object; give one")
    return given
