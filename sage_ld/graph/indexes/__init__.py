"""The indexes of chunks (BM25, positions, vectors, links, mentions, aspects, words) and documents, all exact.

Each can be rebuilt from the store. Those that only writers open are imported from their modules.

All indexes are directories of immutable segments and one small manifest, so that publishing a revision
is hard-linking a directory. See `docs/indexes.md`.
"""

from sage_ld.graph.indexes.lexical import LexicalIndex
from sage_ld.graph.indexes.links import LinkIndex
from sage_ld.graph.indexes.mentions import MentionIndex
from sage_ld.graph.indexes.positions import PositionIndex
from sage_ld.graph.indexes.vectors import VectorIndex

__all__ = [
    "LexicalIndex",
    "LinkIndex",
    "MentionIndex",
    "PositionIndex",
    "VectorIndex",
]
