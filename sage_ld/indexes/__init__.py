"""BM25, positions of terms, and vectors of chunks: derived from the store, rebuildable from it, exact.

All three indexes are directories of immutable segments and one small manifest, so that publishing a revision
is hard-linking a directory. See `docs/indexes.md`.
"""

from sage_ld.indexes.lexical import LexicalIndex
from sage_ld.indexes.positions import PositionIndex
from sage_ld.indexes.vectors import VectorIndex

__all__ = ["LexicalIndex", "PositionIndex", "VectorIndex"]
