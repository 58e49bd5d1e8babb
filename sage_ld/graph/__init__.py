"""The knowledge graph: the one place where store and indexes change together."""

from __future__ import annotations

from sage_ld.graph.graph import KnowledgeGraph
from sage_ld.graph.snapshot import Snapshot
from sage_ld.graph.summaries import DeleteSummary, IngestSummary, RebaseSummary, RelinkSummary

__all__ = ["DeleteSummary", "IngestSummary", "KnowledgeGraph", "RebaseSummary", "RelinkSummary", "Snapshot"]
