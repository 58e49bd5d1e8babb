"""Preparation of documents for the store: their chunks, annotations and vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sage_ld.annotators import Annotator
from sage_ld.chunkers import Chunking, chunk_all, encoding_text
from sage_ld.edges import next_weights
from sage_ld.encoders.cache import CachedEncoder
from sage_ld.model import Chunk, Document, FloatArray
from sage_ld.store.documents import Prepared
from sage_ld.store.iris import Iris

Progress = Callable[[str, int, int], None]
"""Called with the name of a step, how much of it is done, and how much there is."""


def prepare(
    documents: Sequence[Document],
    chunking: Chunking,
    annotator: Annotator,
    encoder: CachedEncoder,
    iris: Iris,
    progress: Progress,
) -> tuple[list[Prepared], list[FloatArray]]:
    """Chunks, annotates and encodes documents: for each what is stored, and its chunks' vectors (n, d)."""
    chunks = list(chunk_all(documents, chunking, encoder))
    texts = [encoding_text(chunk) for each in chunks for chunk in each]
    matrix = encoder.encode(texts, lambda done, total: progress("encoding", done, total))
    ends = np.cumsum([len(each) for each in chunks])
    vectors = np.split(matrix, ends[:-1]) if len(documents) else []
    prepared = [
        _prepared(document, each, rows, annotator, encoder, iris)
        for document, each, rows in zip(documents, chunks, vectors, strict=True)
    ]
    return prepared, vectors


def _prepared(
    document: Document,
    chunks: Sequence[Chunk],
    vectors: FloatArray,
    annotator: Annotator,
    encoder: CachedEncoder,
    iris: Iris,
) -> Prepared:
    return Prepared(
        document,
        tuple(chunks),
        tuple(iris.chunks(chunks)),
        tuple(annotator.annotate(document, chunks)),
        tuple(next_weights(vectors, encoder.similarity).tolist()),
    )
