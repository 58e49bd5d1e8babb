"""The stored graph: the RDF store, its indexes, and everything that changes or reads them as one graph.

`store` holds the RDF, `indexes` what is derived from it for searching, `derivations` the statements that
follow from more than one document, `remote` what other stores have. One process writes (`writing`), and
publishes revisions; whoever reads opens a snapshot of one. Imports from `foundation` and `build`.

Begin with `KnowledgeGraph` in `graph.graph`, the façade over an opened graph; then `store.directory`, a graph
on disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sage_ld.foundation.lazy_imports import lazy_names

if TYPE_CHECKING:
    from sage_ld.graph.changes.summaries import DeleteSummary, IngestSummary, RebaseSummary, RelinkSummary
    from sage_ld.graph.graph import KnowledgeGraph
    from sage_ld.graph.open_graph import Snapshot

__all__ = ["DeleteSummary", "IngestSummary", "KnowledgeGraph", "RebaseSummary", "RelinkSummary", "Snapshot"]

__getattr__ = lazy_names(
    globals(),
    {"KnowledgeGraph": "graph", "Snapshot": "open_graph"}
    | dict.fromkeys((name for name in __all__ if name.endswith("Summary")), "changes.summaries"),
)
