"""Shortening of texts, at the end of a word, to a number of word pieces, many at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from sage_ld.build.chunkers.packing import MOST_BYTES_A_CHARACTER, Weigh
from sage_ld.build.chunkers.spans import WORD, cut


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
