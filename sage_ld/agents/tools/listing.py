"""The table of tools as lists: for models, in the forms that their programs take, and for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sage_ld.agents.tools.suggestions import NEXT
from sage_ld.agents.tools.table import TOOLS
from sage_ld.agents.tools.tool import Schema, Tool, ToolRole
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings
from sage_ld.service.api.schemas import SETTING

_SHOWN: Final = 60


def role_named(name: ToolRole | str) -> ToolRole:
    """The role with a name. Raises InputError for a name of none."""
    if name not in set(ToolRole):
        raise InputError(f"role {str(name)[:_SHOWN]!r}: unknown role; choose from {', '.join(ToolRole)}")
    return ToolRole(name)


def tools_for(role: ToolRole | str) -> tuple[Tool, ...]:
    """The tools for which a role is enough, in the order of the table. Raises InputError."""
    given = role_named(role)
    return tuple(tool for tool in TOOLS.values() if given.includes(tool.role))


def arguments_schema(tool: Tool, settings: Settings) -> Schema:
    """The JSON Schema of a tool's arguments, as it is shown to models."""
    shown: Schema = _without_settings(tool.arguments(settings))
    return shown


def result_schema(tool: Tool) -> Schema:
    """The JSON Schema of what `Toolbox.call` returns."""
    return {
        **tool.result,
        "required": ["notice", *tool.result["required"], "next"],
        "properties": {
            "notice": {"type": "string", "description": "The treatment of quoted text."},
            **tool.result["properties"],
            "next": NEXT,
        },
    }


def openai_tools(tools: Iterable[Tool], settings: Settings) -> list[dict[str, Any]]:
    """Tools as the chat API of OpenAI takes them (`tools`)."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": arguments_schema(tool, settings),
            },
        }
        for tool in tools
    ]


def plain_tool(tool: Tool, settings: Settings) -> dict[str, Any]:
    """A row of the table as plain JSON."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "role": str(tool.role),
        "effect": str(tool.effect),
        **({"operation": tool.operation} if tool.operation else {}),
        "arguments": arguments_schema(tool, settings),
        "result": result_schema(tool),
    }


def _without_settings(schema: Any) -> Any:
    """A schema without the names of settings, which are for messages of ours."""
    if isinstance(schema, dict):
        return {name: _without_settings(each) for name, each in schema.items() if name != SETTING}
    return [_without_settings(each) for each in schema] if isinstance(schema, list) else schema
