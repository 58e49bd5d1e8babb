"""The command tools: what a language model may do with a graph."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from sage_ld.cli.app import app
from sage_ld.cli.terminal import print_json


class ToolFormat(StrEnum):
    """The formats in which `tools` prints the table."""

    TEXT = "text"
    JSON = "json"
    OPENAI = "openai"


@app.command()
def tools(
    role: Annotated[
        str, typer.Option(help="Only tools for which this role is enough: read, write or admin.")
    ] = "write",
    form: Annotated[
        ToolFormat, typer.Option("--format", help="text, json or openai (for the chat API of OpenAI).")
    ] = ToolFormat.TEXT,
) -> None:
    """List the tools that language models may call, with the JSON Schemas of their arguments.

    Example: sage-ld tools --format openai
    """
    from rich.console import Console

    from sage_ld.agents.tools.listing import openai_tools, plain_tool, tools_for
    from sage_ld.foundation.settings import Settings

    settings, allowed = Settings.load(), tools_for(role)
    if form is ToolFormat.OPENAI:
        print_json(openai_tools(allowed, settings))
    elif form is ToolFormat.JSON:
        print_json([plain_tool(tool, settings) for tool in allowed])
    else:
        console = Console(highlight=False, markup=False)
        for tool in allowed:
            console.print(f"{tool.name} ({tool.effect}, role {tool.role})", style="bold")
            console.print(f"  {tool.description}")
