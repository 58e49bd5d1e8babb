"""BM25 and vectors over chunks: derived from the store, rebuildable from it, exact.

Both indexes are directories of immutable segments and one small manifest, so that publishing a revision
is hard-linking a directory. See `docs/indexes.md`.
"""

from sage_ld.indexes.lexical import LexicalIndex
from sage_ld.indexes.vectors import VectorIndex

__all__ = ["LexicalIndex", "VectorIndex"]
