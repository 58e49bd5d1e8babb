"""Counts of a graph's content for the search page."""

from __future__ import annotations

import numpy as np

from sage_ld.graph import Snapshot
from sage_ld.retrieval.chunks.chunk_table import ChunkTable


def page_counts(snapshot: Snapshot) -> dict[str, int]:
    """The numbers of documents, chunks, and entities that a chunk mentions, from the indexes alone.

    A pass over the store would take seconds for a large graph.
    """
    table = ChunkTable.of(snapshot)
    entities, _ = snapshot.mentions.of_rows(snapshot.mention_rows)
    return {
        "documents": len(table.iris),
        "chunks": len(table.rows),
        "entities": len(np.unique(entities)),
    }
