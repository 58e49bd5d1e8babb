"""Chunking: documents cut into slices of their text, none longer than the encoder reads.

Nothing of a document's blocks is lost: each character that is not blank is in exactly one chunk.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from sage_ld.build.chunkers.packing import Weigh, over_limit, pack, pieces_within, weigher
from sage_ld.build.chunkers.places import PlaceFinder
from sage_ld.build.chunkers.prose import prose_runs, shorten, split_runs
from sage_ld.build.chunkers.runs import Run, Span, trim
from sage_ld.build.chunkers.tables import record_run, table_runs
from sage_ld.build.encoders import Encoder
from sage_ld.build.languages.analysis import BEFORE_NUMBER, heading_names
from sage_ld.build.languages.identifiers import keyed_codes
from sage_ld.foundation.model import Chunk, ChunkKind, Document, Hyperlink, Prose, Record, Table
from sage_ld.foundation.recipes import Chunking, Strategy

__all__ = ["Chunking", "Strategy", "chunk", "chunk_all", "encoding_text", "lexical_text"]

_PATH: Final = re.compile(r"(.+)\.\w{1,10}(?:\.gz)?")
"""An identifier that is the path of a file."""
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+")
DOCUMENTS_AT_ONCE = 2048
"""Documents whose texts are counted, and whose windows are encoded, in one call."""


def chunk(document: Document, recipe: Chunking, encoder: Encoder) -> list[Chunk]:
    """The chunks of one document, in the order of its text.

    >>> from sage_ld.build.encoders import load_encoder
    >>> text = "Abbey Road is an album."
    >>> document = Document("a", "Abbey Road", text, (Prose(0, len(text)),), "text/plain", "")
    >>> [encoding_text(each) for each in chunk(document, Chunking(), load_encoder("jaccard"))]
    ['Abbey Road. Abbey Road is an album.']
    """
    return next(iter(chunk_all([document], recipe, encoder)))


def chunk_all(documents: Iterable[Document], recipe: Chunking, encoder: Encoder) -> Iterator[list[Chunk]]:
    """The chunks of each document; many are read ahead, so that the encoder gets much in one call."""
    remaining = iter(documents)
    while batch := list(islice(remaining, DOCUMENTS_AT_ONCE)):
        yield from _chunk_batch(batch, recipe, encoder)


def encoding_text(chunk: Chunk) -> str:
    """The text of a chunk that is encoded and indexed: its heading and its text."""
    return f"{chunk.heading}. {chunk.text}" if chunk.heading else chunk.text


def lexical_text(chunk: Chunk) -> str:
    """The text of a chunk whose words are indexed: that which is encoded, and what tells it from others.

    These are the words and codes (`F-22` as `f22`) of its file's path that its heading has not, and the
    names with numbers in its heading (`Article 12`) again: texts that refer to it have them, too.

    >>> made = Chunk("2024/the-invoice.md", ChunkKind.TEXT, 0, "Invoice", "Invoice", "Total: 700", 0, 10)
    >>> lexical_text(made)
    'Invoice. Total: 700 2024 the'
    """
    path = _PATH.fullmatch(chunk.document)
    said = set(_BETWEEN_WORDS.split(chunk.heading.casefold()))
    named = path[1] if path else ""
    words = [each for each in _BETWEEN_WORDS.split(named) if each.casefold() not in said]
    words += (key for _, key in keyed_codes(named) if key not in said)
    names = [name.replace(BEFORE_NUMBER, " ") for name in heading_names(chunk.heading)]
    return " ".join(filter(None, (encoding_text(chunk), *words, *names, *names)))


def _chunk_batch(documents: Sequence[Document], recipe: Chunking, encoder: Encoder) -> Iterator[list[Chunk]]:
    weigh = weigher(encoder)
    limit = encoder.max_tokens or recipe.max_tokens
    by_document = _runs(documents, recipe, encoder, weigh)
    texts = [doc.text for doc, runs in zip(documents, by_document, strict=True) for _ in runs]
    runs = [run for each in by_document for run in each]
    headings, budgets = _headings(runs, min(recipe.heading_tokens, limit // 4), limit, weigh)
    parts = zip(headings, _spans(texts, runs, budgets, recipe, weigh), strict=True)
    for document, each in zip(documents, by_document, strict=True):
        chunks = [
            piece
            for run, (heading, spans) in zip(each, islice(parts, len(each)), strict=True)
            for piece in run.chunks(document, spans, heading)
        ]
        yield _in_order(chunks, document)


def _runs(documents: Sequence[Document], recipe: Chunking, encoder: Encoder, weigh: Weigh) -> list[list[Run]]:
    texts = [document.text for document in documents]
    prose = [
        list(prose_runs(document, [block for block in document.blocks if isinstance(block, Prose)]))
        for document in documents
    ]
    if recipe.strategy == Strategy.PAPER:
        prose = split_runs(texts, prose, recipe, encoder, weigh)
    return [[*each, *_other_runs(document, recipe)] for each, document in zip(prose, documents, strict=True)]


def _other_runs(document: Document, recipe: Chunking) -> Iterator[Run]:
    tables = 0
    for block in document.blocks:
        if isinstance(block, Record):
            if run := record_run(document, block):
                yield run
        elif isinstance(block, Table):
            if block.row_spans:
                yield from table_runs(document, block, tables, recipe)
            elif span := trim(document.text, block.begin, block.end):
                yield from prose_runs(document, [Prose(*span, block.section)])
            tables += 1


def _headings(runs: Sequence[Run], most: int, limit: int, weigh: Weigh) -> tuple[list[str], list[int]]:
    """Each run's heading, shortened, and how many word pieces that leaves for its text."""
    distinct = list(dict.fromkeys(run.heading for run in runs))
    short = dict(zip(distinct, shorten(distinct, most, weigh), strict=True))
    marked = [f"{short[each]}." if each else "" for each in distinct]
    weights = dict(zip(distinct, weigh(marked), strict=True))
    return [short[run.heading] for run in runs], [limit - weights[run.heading] for run in runs]


def _spans(
    texts: Sequence[str], runs: Sequence[Run], budgets: Sequence[int], recipe: Chunking, weigh: Weigh
) -> list[list[Span]]:
    """Each run's spans: the whole where it fits, else parts, in prose near the target."""
    spans = [[run.span] for run in runs]
    whole = [text[slice(*run.span)] for text, run in zip(texts, runs, strict=True)]
    long = over_limit(whole, budgets, weigh)
    pieces = pieces_within(
        [texts[i] for i in long], [runs[i] for i in long], [budgets[i] for i in long], weigh
    )
    for number, each in zip(long, pieces, strict=True):
        budget = budgets[number]
        target = min(recipe.target_tokens, budget) if runs[number].kind == ChunkKind.TEXT else budget
        spans[number] = pack(each, budget, target)
    return spans


def _in_order(chunks: Sequence[Chunk], document: Document) -> list[Chunk]:
    """The chunks by their place in the text, numbered, each with its place in the file and its links."""
    ordered = sorted(chunks, key=lambda each: (each.begin, each.end))
    begins = [each.begin for each in ordered]
    owned: list[list[Hyperlink]] = [[] for _ in ordered]
    for link in document.links if ordered else ():
        number = max(0, bisect_right(begins, link.begin) - 1)
        if "\n" in document.text[ordered[number].end : link.begin]:  # it stands in a heading of what follows
            number = min(number + 1, len(ordered) - 1)
        owned[number].append(link)
    places = PlaceFinder(document)
    return [
        replace(each, position=position, links=tuple(own), place=places.of_chunk(each))
        for position, (each, own) in enumerate(zip(ordered, owned, strict=True))
    ]
