"""Tools for language models: one table of what an agent may do with a graph, and the ways to call it."""

from __future__ import annotations

from sage_ld.agents.toolbox import Toolbox

__all__ = ["Toolbox"]
