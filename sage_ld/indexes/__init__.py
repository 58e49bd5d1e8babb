"""The indexes of chunks (BM25, positions, vectors, links, aspects, words) and documents, all exact.

Each can be rebuilt from the store.

All indexes are directories of immutable segments and one small manifest, so that publishing a revision
is hard-linking a directory. See `docs/indexes.md`.
"""

from sage_ld.indexes.aspects import AspectIndex
from sage_ld.indexes.documents import DocumentIndex
from sage_ld.indexes.lexical import LexicalIndex
from sage_ld.indexes.links import LinkIndex
from sage_ld.indexes.positions import PositionIndex
from sage_ld.indexes.vectors import VectorIndex
from sage_ld.indexes.words import WordIndex

__all__ = [
    "AspectIndex",
    "DocumentIndex",
    "LexicalIndex",
    "LinkIndex",
    "PositionIndex",
    "VectorIndex",
    "WordIndex",
]
