"""The command mcp: the tools of a graph for a client of the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.approvals import POLICY, policy_of


@app.command()
def mcp(
    graph: GRAPH,
    role: Annotated[
        str, typer.Option(help="What the client may do: read, or write, which a person then approves.")
    ] = "read",
    policy: POLICY = "",
) -> None:
    """Serve the tools of a graph to an MCP client, over standard input and output.

    Example: sage-ld mcp films --role write
    """
    import asyncio

    import sage_ld
    from sage_ld.agents import Toolbox
    from sage_ld.foundation import extras
    from sage_ld.graph import KnowledgeGraph

    extras.load("mcp.server.lowlevel", extras.MCP)
    from sage_ld.agents.mcp.mcp_server import serve_stdio

    knowledge = KnowledgeGraph.open(graph)
    with Toolbox(knowledge, role=role, policy=policy_of(policy, knowledge.settings)) as toolbox:
        asyncio.run(serve_stdio(toolbox, sage_ld.__version__))
