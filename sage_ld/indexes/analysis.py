"""Text analysis by tantivy's `en_stem` chain: words of at most 40 bytes, lower case, English stems."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

LONGEST_TERM = 40
"""Bytes; longer words (hashes, base64) are noise that would only swell the dictionary."""


@lru_cache(maxsize=1)
def _analyzer() -> TextAnalyzer:
    builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(LONGEST_TERM))
    return builder.filter(Filter.lowercase()).filter(Filter.stemmer("english")).build()


def terms(text: str) -> list[str]:
    """The terms of `text` in order; composed first, so that both spellings of é are one letter.

    >>> terms("Who created the series (2009)?")
    ['who', 'creat', 'the', 'seri', '2009']
    """
    return list(_analyzer().analyze(unicodedata.normalize("NFC", text)))
