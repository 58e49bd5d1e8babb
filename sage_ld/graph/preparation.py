"""Preparation of documents for the store: their chunks, annotations and vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from sage_ld import vocabulary as v
from sage_ld.annotators import Annotator
from sage_ld.annotators.abstracts import Summarise, abstracts
from sage_ld.cache_files import cache_folder
from sage_ld.chunkers import chunk_all, encoding_text
from sage_ld.edges import next_weights
from sage_ld.encoders.cache import CachedEncoder
from sage_ld.languages import normalised_tag
from sage_ld.languages.detection import SAMPLE, detected_language
from sage_ld.model import WHOLE_DOCUMENT, Chunk, Document, FloatArray, Prose
from sage_ld.recipes import Recipe
from sage_ld.settings import Settings
from sage_ld.store.documents import Prepared
from sage_ld.store.iris import Iris

Progress = Callable[[str, int, int], None]
"""Called with the name of a step, how much of it is done, and how much there is."""


def with_language(document: Document, settings: Settings) -> Document:
    """The document with the tag of the language that its file names, or else of the one that is detected."""
    if (stated := normalised_tag(document.language or "")) is not None:
        return replace(document, language=stated, stated_language=stated)
    prose = "\n".join(_prose(document))
    certainty, letters = settings.min_language_certainty, settings.min_detected_letters
    detected = detected_language(prose, certainty, letters, cache_folder(settings))
    return document if detected == document.language else replace(document, language=detected)


def _prose(document: Document) -> Iterator[str]:
    """The paragraphs from which the language is detected; tables and records are made of names."""
    length = 0
    for block in document.blocks:
        if isinstance(block, Prose) and length < SAMPLE:
            length += block.end - block.begin
            yield document.text[block.begin : min(block.end, block.begin + SAMPLE)]


def prepare(
    documents: Sequence[Document],
    recipe: Recipe,
    annotator: Annotator,
    encoder: CachedEncoder,
    iris: Iris,
    progress: Progress,
    summarise: Summarise | None = None,
) -> tuple[list[Prepared], list[FloatArray]]:
    """Chunks, annotates and encodes documents: for each what is stored, and its chunks' vectors (n, d).

    `summarise` writes the abstracts for which the recipe asks, in place of the rule.
    """
    chunks = list(chunk_all(documents, recipe.chunking, encoder))
    texts = [encoding_text(chunk) for each in chunks for chunk in each]
    matrix = encoder.encode(texts, lambda done, total: progress("encoding", done, total))
    ends = np.cumsum([len(each) for each in chunks])
    vectors = np.split(matrix, ends[:-1]) if len(documents) else []
    prepared = [
        _prepared(document, each, rows, recipe, annotator, encoder, iris, summarise)
        for document, each, rows in zip(documents, chunks, vectors, strict=True)
    ]
    return prepared, vectors


def _prepared(
    document: Document,
    chunks: Sequence[Chunk],
    vectors: FloatArray,
    recipe: Recipe,
    annotator: Annotator,
    encoder: CachedEncoder,
    iris: Iris,
    summarise: Summarise | None,
) -> Prepared:
    annotations = tuple(annotator.annotate(document, chunks))
    wanted = recipe.summaries
    found = {}
    if wanted.derive:
        found = abstracts(document.title, document.sections, chunks, annotations, wanted.max_words, summarise)
        if any(each.key == v.ABSTRACT for each in document.metadata):  # its own says it better
            found.pop(WHOLE_DOCUMENT, None)
    return Prepared(
        document,
        tuple(chunks),
        tuple(iris.chunks(chunks)),
        annotations,
        tuple(next_weights(vectors, encoder.similarity).tolist()),
        found,
    )
