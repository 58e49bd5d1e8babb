"""Language models and agents over a graph: tools, answers, tables, questions to SPARQL, reasoning, adapters.

`tools` is the table of what an agent may do, which `mcp`, HTTP and the adapters in `integrations` offer;
`answering`, `text_to_sparql`, `tables` and `reasoning` do the work behind it, and all of them work without a
language model. Nothing before this room imports it: where it is deleted, its commands and routes are missing,
and everything else works. Imports from `service` and the rooms before it.

Begin with `Toolbox` in `agents.tools.toolbox`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sage_ld.foundation.lazy_imports import lazy_names

if TYPE_CHECKING:
    from sage_ld.agents.tools.toolbox import Toolbox

__all__ = ["Toolbox"]

__getattr__ = lazy_names(globals(), {"Toolbox": "tools.toolbox"})
