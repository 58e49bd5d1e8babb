"""The lexical encoder: no model, exact and the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from sage_ld.foundation.model import FloatArray
from sage_ld.foundation.token_estimates import approximate_tokens

_WORD = re.compile(r"\w+")


class Jaccard:
    """A text as the set of its words, hashed into 0/1 features; similarity is the Jaccard index of two sets.

    Feature hashing (Weinberger et al. 2009) with one feature a word: two words share one of 2,048 features
    by chance in 1 of 2,048 pairs, which adds little to sets of some hundred words.

    >>> encoder = Jaccard()
    >>> a, b = encoder.encode(["the red house", "the blue house"])
    >>> encoder.similarity(a[None], b[None]).tolist()
    [[0.5]]
    """

    name = "jaccard"
    dimensions = 2048
    max_tokens = None
    unit_vectors = False
    crosses_languages = False
    fingerprint = f"jaccard/{dimensions}/blake2b-8"

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """An approximation: this encoder has no word pieces."""
        return [approximate_tokens(text) for text in texts]

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """0/1 vectors (n, d); not normalised, for `similarity` needs the sizes of the sets."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row, [_feature(word) for word in set(_WORD.findall(text.lower()))]] = 1
        return vectors

    def encode_query(self, text: str) -> FloatArray:
        """The vector of a question, shape (d,)."""
        vector: FloatArray = self.encode([text])[0]
        return vector

    def encode_queries(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several questions, shape (n, d)."""
        return self.encode(texts)

    def similarity(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """|A ∩ B| / |A ∪ B|, shape (a, b), in 0..1; two empty sets have 0."""
        shared = left @ right.T
        union = left.sum(axis=1)[:, None] + right.sum(axis=1)[None, :] - shared
        return np.asarray(shared / np.maximum(union, 1), dtype=np.float32)


@lru_cache(maxsize=1 << 18)
def _feature(word: str) -> int:
    digest = blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % Jaccard.dimensions
