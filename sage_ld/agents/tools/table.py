"""The table of tools: a row for each thing that an agent may do with a graph."""

from __future__ import annotations

from typing import Final

from sage_ld.agents.tools import answering, asking, computing, looking, querying, writing
from sage_ld.agents.tools.tool import Tool

TOOLS: Final[dict[str, Tool]] = {
    tool.name: tool
    for module in (asking, looking, querying, computing, answering, writing)
    for tool in module.TOOLS
}
"""Name -> tool, in the order in which models are shown them."""
