"""The indexes over chunks: BM25, term positions, vectors, links; exact, and rebuildable from the store.

All indexes are directories of immutable segments and one small manifest, so that publishing a revision
is hard-linking a directory. See `docs/indexes.md`.
"""

from sage_ld.indexes.lexical import LexicalIndex
from sage_ld.indexes.links import LinkIndex
from sage_ld.indexes.positions import PositionIndex
from sage_ld.indexes.vectors import VectorIndex

__all__ = ["LexicalIndex", "LinkIndex", "PositionIndex", "VectorIndex"]
