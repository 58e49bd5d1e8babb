"""Keyword phrases of a chunk, from the chunk alone.

RAKE (Rose et al. 2010, "Automatic keyword extraction from individual documents"): stop words and punctuation
cut the text into candidate phrases, and a word counts by its degree (with how many words it shares phrases)
over its frequency. A phrase that comes again counts more. Nothing depends on other documents, so a chunk
keeps its keywords whatever is ingested beside it.
"""

from __future__ import annotations

import re
from collections import Counter
from math import log2
from typing import Final

from sage_ld.build.annotators.field_annotator import FieldAnnotator
from sage_ld.build.annotators.words import ELIDING, is_ordinary
from sage_ld.build.languages import ENGLISH, indexed_language

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


KEYWORDS: Final = FieldAnnotator(
    gives="keywords",
    reads=frozenset(("document.language", "chunk.text")),
    annotate=lambda document, chunk, settings: keywords(
        chunk.text,
        settings.max_keywords_per_chunk,
        indexed_language(document.language, settings.default_language),
    ),
)
