"""Vectors of stored chunks, which another encoder may have cut: one that is too long is encoded in parts."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from sage_ld.build.encoders import Encoder
from sage_ld.foundation.model import FloatArray

_BLANK = re.compile(r"\s+")


def encode_stored(encoder: Encoder, texts: Sequence[str]) -> FloatArray:
    """Vectors of shape (n, d). A text over `max_tokens` gets the mean of its parts, weighed by their length.

    Of an encoder that cut the chunks itself, the same as `encode`.
    """
    limit = encoder.max_tokens
    counts = encoder.count_tokens(texts) if limit else []
    if limit is None or max(counts, default=0) <= limit:
        return encoder.encode(texts)
    parts = [
        [text] if count <= limit else _parts(encoder, text, limit)
        for text, count in zip(texts, counts, strict=True)
    ]
    vectors = encoder.encode([part for each in parts for part in each])
    ends = np.cumsum([len(each) for each in parts])
    rows = zip(parts, np.split(vectors, ends[:-1]), strict=True)
    return np.stack([own[0] if len(own) == 1 else _mean(encoder, each, own) for each, own in rows])


def _parts(encoder: Encoder, text: str, limit: int) -> list[str]:
    """The text halved, at the blank nearest to its middle, until each part is within the limit."""
    parts = [text]
    while max(counts := encoder.count_tokens(parts)) > limit:
        halves = [
            _halves(part) if count > limit else (part,) for part, count in zip(parts, counts, strict=True)
        ]
        parts = [half for each in halves for half in each if half]
    return parts


def _halves(text: str) -> tuple[str, str]:
    middle = len(text) // 2
    blanks = [match.span() for match in _BLANK.finditer(text.strip())]
    begin, end = min(blanks, key=lambda span: abs(span[0] - middle), default=(middle, middle))
    return text[:begin], text[end:]


def _mean(encoder: Encoder, parts: Sequence[str], vectors: FloatArray) -> FloatArray:
    mean = np.average(vectors, axis=0, weights=encoder.count_tokens(parts))
    length = np.linalg.norm(mean) if encoder.unit_vectors else 1.0
    return np.asarray(mean / (length or 1.0), np.float32)
