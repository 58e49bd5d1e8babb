"""The table of tools: a row for each thing that an agent may do with a graph."""

from __future__ import annotations

from typing import Final

from sage_ld.agents.tool import Tool
from sage_ld.agents.tools import asking, looking, querying, writing

TOOLS: Final[dict[str, Tool]] = {
    tool.name: tool for tool in (*asking.TOOLS, *looking.TOOLS, *querying.TOOLS, *writing.TOOLS)
}
"""Name -> tool, in the order in which models are shown them."""
