"""Keyword phrases and the topic of a chunk, from the chunk alone.

RAKE (Rose et al. 2010, "Automatic keyword extraction from individual documents"): stop words and punctuation
cut the text into candidate phrases, and a word counts by its degree (with how many words it shares phrases)
over its frequency. A phrase that comes again counts more. Nothing depends on other documents, so a chunk
keeps its keywords whatever is ingested beside it.

The SAGE paper (arXiv:2602.16964, section 3) has a language model write it; here it is the headings above the
chunk and, of a table, its columns: what the author said the passage is about.
"""

from __future__ import annotations

import re
from collections import Counter
from math import log2
from typing import Final

from sage_ld.build.annotators.cells import cells_of
from sage_ld.build.annotators.field_annotator import FieldAnnotator
from sage_ld.build.annotators.words import ELIDING, is_ordinary
from sage_ld.build.languages import ENGLISH, indexed_language
from sage_ld.foundation.model import Chunk, ChunkKind, Document, Table

_TOKEN = re.compile(r"[^\W\d_][\w'’-]*|[^\s\w]|\d+|\n")
_ELISION = re.compile(r"\b(?:[cdjlmnst]|\w*qu|dell|nell|sull|all|dall|un)['’]", re.IGNORECASE)
_MAX_WORDS = 4
_MIN_LETTERS = 3


def keywords(text: str, limit: int, language: str = ENGLISH) -> tuple[str, ...]:
    """At most `limit` phrases of one to four words, in lower case, best first, earlier first among equals.

    The function words of `language` are left out, and those of English, which any text may quote.

    >>> keywords("A graph store keeps triples. It is fast. The graph store is small.", 2)
    ('graph store keeps triples', 'graph store')
    """
    phrases = _phrases(text, language)
    counts = Counter(phrases)
    degree: Counter[str] = Counter()
    frequency: Counter[str] = Counter()
    for phrase in phrases:
        for word in phrase:
            frequency[word] += 1
            degree[word] += len(phrase)
    scores = {
        phrase: sum(degree[word] / frequency[word] for word in phrase) * (1 + log2(counts[phrase]))
        for phrase in counts
    }
    best = sorted(counts, key=lambda phrase: -scores[phrase])  # stable: counts keeps the order of the text
    return tuple(" ".join(phrase) for phrase in best[:limit])


def _phrases(text: str, language: str) -> list[tuple[str, ...]]:
    phrases: list[tuple[str, ...]] = []
    words: list[str] = []
    if language in ELIDING:
        text = _ELISION.sub("\n", text)
    for token in [*_TOKEN.findall(text), "\n"]:
        word = token.casefold()
        if len(word) >= _MIN_LETTERS and word[0].isalpha() and not is_ordinary(word, language):
            words.append(word)
        elif words:
            if len(words) <= _MAX_WORDS:
                phrases.append(tuple(words))
            words = []
    return phrases


def _values(chunk: Chunk) -> str:
    """The text, of a record without the names of its fields, which all of its kind share."""
    if chunk.kind is not ChunkKind.RECORD:
        return chunk.text
    return "\n".join(cell.text for cell in cells_of(chunk))


KEYWORDS: Final = FieldAnnotator(
    gives="keywords",
    reads=frozenset(("document.language", "chunk.kind", "chunk.text", "chunk.begin", "chunk.table")),
    annotate=lambda document, chunk, settings: keywords(
        _values(chunk),
        settings.max_keywords_per_chunk,
        indexed_language(document.language, settings.default_language),
    ),
)


_MAX_COLUMNS = 12  # a wide table's further columns say nothing new about its subject


def topic(document: Document, chunk: Chunk) -> str:
    """The document's title and the section's path; a table's caption and columns; a record's name."""
    parts = [document.title, *_section_path(document, chunk.section)]
    if chunk.kind is ChunkKind.RECORD:
        parts.append(chunk.name)
    if chunk.kind is ChunkKind.TABLE and chunk.table is not None:
        parts.append(_caption(document, chunk.table.table))
        parts.append(", ".join(column for column in chunk.table.columns[:_MAX_COLUMNS] if column))
    kept: list[str] = []
    for part in (" ".join(part.split()) for part in parts):
        if part and part not in kept:
            kept.append(part)
    return ": ".join(kept)


def _section_path(document: Document, section: int | None) -> list[str]:
    names: list[str] = []
    while section is not None:
        names.append(document.sections[section].name)
        section = document.sections[section].parent
    return names[::-1]


def _caption(document: Document, number: int) -> str:
    tables = [block for block in document.blocks if isinstance(block, Table)]
    return tables[number].caption if number < len(tables) else ""


TOPIC: Final = FieldAnnotator(
    gives="topic",
    reads=frozenset(
        (
            *("document.title", "document.sections", "document.blocks"),
            *("chunk.kind", "chunk.name", "chunk.section", "chunk.table"),
        )
    ),
    annotate=lambda document, chunk, settings: topic(document, chunk),
)
