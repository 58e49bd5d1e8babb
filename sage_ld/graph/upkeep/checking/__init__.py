"""The check of a graph as a whole, and the repair of what is derived: `sage-ld doctor`.

Files come first (`files.py`), then what the newest revision says (`indexes.py`, `check.py`): each finds
what is wrong, and says whether it follows from something that is not. Documents and users' graphs follow from
nothing here: no repair changes them.
"""

from __future__ import annotations

from sage_ld.graph.upkeep.checking.check import check_graph
from sage_ld.graph.upkeep.checking.findings import Finding, Health

__all__ = ["Finding", "Health", "check_graph"]
