"""Runs of prose: the neighbouring paragraphs of one section, and their sentences.

A sentence ends at `.`, `?` or `!` before blanks; a window is a sentence with one neighbour on each side; a
break is where the distance of two windows in succession exceeds the 80th percentile of the document's
distances; a piece of fewer than three sentences joins the nearer neighbour (authors' code,
`parallel_document_processor.py`). Nearer is measured here by the distance at the break between the two, which
needs no further encoding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

import numpy as np

from sage_ld.build.chunkers.packing import MOST_BYTES_A_CHARACTER, Weigh
from sage_ld.build.chunkers.runs import SENTENCE, WORD, Run, Span, cut, joined, section_path, trim
from sage_ld.build.encoders import Encoder
from sage_ld.foundation.model import ChunkKind, Document, DoubleArray, FloatArray, Prose
from sage_ld.foundation.recipes import Chunking


def shorten(texts: Sequence[str], limit: int, weigh: Weigh) -> list[str]:
    """Each text, or as many of its first words as weigh at most `limit` together.

    A first word that alone weighs more is cut inside.
    """
    weights = weigh(texts)
    long = [text for text, weight in zip(texts, weights, strict=True) if weight > limit]
    words = [cut(text, (0, len(text)), WORD) for text in long]
    flat = [text[begin:end] for text, spans in zip(long, words, strict=True) for begin, end in spans]
    word_weights = weigh(flat)
    bounds = pairwise(accumulate((len(spans) for spans in words), initial=0))
    short = {}
    for text, spans, (begin, end) in zip(long, words, bounds, strict=True):
        sums = list(accumulate(word_weights[begin:end]))
        kept = sum(total <= limit for total in sums)
        short[text] = text[: spans[kept - 1][1]] if kept else text[: limit // MOST_BYTES_A_CHARACTER]
    return [short.get(text, text) for text in texts]


BLOCK = 64
"""Rows of a block when neighbours are compared."""


def split_runs(
    texts: Sequence[str], runs: Sequence[Sequence[Run]], recipe: Chunking, encoder: Encoder, weigh: Weigh
) -> list[list[Run]]:
    """The prose runs of each document, which has the text of its number, cut by the rule.

    All windows are encoded in one call.
    """
    sentences = [
        [[s for piece in run.pieces for s in cut(text, piece, SENTENCE)] for run in document]
        for text, document in zip(texts, runs, strict=True)
    ]
    windows = [
        list(_windows(text, spans, recipe.window))
        for text, document in zip(texts, sentences, strict=True)
        for spans in document
    ]
    flat = [window for each in windows for window in each]
    vectors = encoder.encode(shorten(flat, encoder.max_tokens or recipe.max_tokens, weigh))
    bounds = pairwise(accumulate(map(len, windows), initial=0))
    distances = iter([_distances(vectors[begin:end], encoder) for begin, end in bounds])
    return [
        _split_document(document, spans, [next(distances) for _ in document], recipe)
        for document, spans in zip(runs, sentences, strict=True)
    ]


def breaks(distances: DoubleArray, threshold: float, least: int) -> list[int]:
    """The numbers of the sentences that begin a piece, for the n - 1 distances between n sentences.

    >>> breaks(np.array([0.1, 0.9, 0.2, 0.8, 0.1, 0.1]), threshold=0.5, least=3)
    [0, 4]
    """
    count = len(distances) + 1
    starts = [0, *(int(i) + 1 for i in np.flatnonzero(distances > threshold))]
    while len(starts) > 1:
        sizes = [end - begin for begin, end in pairwise([*starts, count])]
        short = next((number for number, size in enumerate(sizes) if size < least), None)
        if short is None:
            break
        before = distances[starts[short] - 1] if short else np.inf
        after = distances[starts[short + 1] - 1] if short + 1 < len(starts) else np.inf
        starts.pop(short if before <= after else short + 1)
    return starts


def _split_document(
    runs: Sequence[Run],
    sentences: Sequence[Sequence[Span]],
    distances: Sequence[DoubleArray],
    recipe: Chunking,
) -> list[Run]:
    together = np.concatenate([*distances, np.empty(0)])
    threshold = float(np.percentile(together, recipe.percentile)) if len(together) else np.inf
    return [
        replace(run, pieces=tuple(spans[begin:end]))
        for run, spans, each in zip(runs, sentences, distances, strict=True)
        for begin, end in pairwise([*breaks(each, threshold, recipe.least_sentences), len(spans)])
    ]


def _windows(text: str, sentences: Sequence[Span], width: int) -> Iterator[str]:
    for number in range(len(sentences)):
        first, last = max(0, number - width), min(len(sentences) - 1, number + width)
        yield text[sentences[first][0] : sentences[last][1]]


def _distances(windows: FloatArray, encoder: Encoder) -> DoubleArray:
    """1 - similarity of each window and the next, shape (n - 1,)."""
    count = max(0, len(windows) - 1)
    blocks = [
        encoder.similarity(windows[at : at + BLOCK], windows[at + 1 : at + 1 + BLOCK]).diagonal()
        for at in range(0, count, BLOCK)
    ]
    near = np.concatenate([*blocks, np.empty(0)])
    return 1.0 - near.astype(np.float64)


def prose_runs(document: Document, blocks: Sequence[Prose]) -> Iterator[Run]:
    """One run for the paragraphs of a section that nothing but blanks separates (no table, no heading)."""
    pieces: list[Span] = []
    section: int | None = None
    for block in sorted(blocks, key=lambda each: each.begin):
        span = trim(document.text, block.begin, block.end)
        if span is None:
            continue
        if pieces and (block.section != section or trim(document.text, pieces[-1][1], span[0])):
            yield _run(document, pieces, section)
            pieces = []
        pieces.append(span)
        section = block.section
    if pieces:
        yield _run(document, pieces, section)


def _run(document: Document, pieces: list[Span], section: int | None) -> Run:
    path = section_path(document, section)
    return Run(
        kind=ChunkKind.TEXT,
        name=joined(document.title, *path[-1:]) or document.identifier,
        heading=joined(document.title, *path),
        pieces=tuple(pieces),
        section=section,
    )
