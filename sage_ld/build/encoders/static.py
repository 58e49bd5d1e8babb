"""The encoder without a model at work: each word piece has one vector, and a text has their weighted mean.

The vectors are distilled from all-MiniLM-L6-v2, which encodes each piece of its vocabulary by itself, as
model2vec does (Tulkens and van Dongen 2024, https://github.com/MinishLab/model2vec): principal components,
and weights that fall with the frequency of a piece (Arora et al. 2017, "A Simple but Tough-to-Beat Baseline
for Sentence Embeddings"), which its number in the vocabulary stands for (Zipf). The library itself is not
used: what it needs to distil does not fit the versions of transformers that sentence-transformers needs.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from scipy.sparse import csr_matrix

from sage_ld.build.encoders.minilm import WEIGHTS_SHA256, MiniLM
from sage_ld.foundation.arrays import cosine, unit_rows
from sage_ld.foundation.caches import keep
from sage_ld.foundation.model import DoubleArray, FloatArray

COMPONENTS: Final = 256
SMOOTHING: Final = 3e-5
"""The share of a text at which a piece has half its weight (a in Arora et al.)."""
VERSION: Final = 1
"""To be raised with every change of what is distilled: it keeps old tables and vectors apart."""


class Static:
    """The mean of token vectors, normalised. A vector depends on the words of its text alone.

    A text may be of any length; the order of its words makes no difference.
    """

    name = "static"
    dimensions = COMPONENTS
    unit_vectors = True
    crosses_languages = False
    max_tokens = None
    fingerprint = f"static/{VERSION}/{WEIGHTS_SHA256[:16]}"

    def __init__(self, cache: Path | None = None) -> None:
        """The table of vectors is kept in the folder `cache`; without one each object distils them (10 s)."""
        self._teacher = MiniLM("fp32")
        self._cache = cache

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Word pieces in each text."""
        return self._teacher.count_tokens(texts)

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors (n, 256); zeros for a text without a word."""
        pieces = self._teacher.word_pieces(texts)
        ends = np.cumsum([0, *map(len, pieces)])
        numbers = np.fromiter((number for each in pieces for number in each), np.int32, ends[-1])
        counts = csr_matrix(
            (np.ones(len(numbers), np.float32), numbers, ends), (len(pieces), len(self._table))
        )
        counts.sum_duplicates()  # and sorts, so that sums are made in the same order
        return unit_rows(counts @ self._table)

    def encode_query(self, text: str) -> FloatArray:
        """The vector of a question, shape (256,)."""
        vector: FloatArray = self.encode([text])[0]
        return vector

    def encode_queries(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several questions, shape (n, 256)."""
        return self.encode(texts)

    def similarity(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Cosines, shape (a, b)."""
        return cosine(left, right)

    @cached_property
    def _table(self) -> FloatArray:
        """(pieces, 256) the weighted vector of each word piece."""
        path = None if self._cache is None else self._cache / f"{self.fingerprint.replace('/', '-')}.npy"
        known = _read(path, (self._teacher.count_pieces(), COMPONENTS))
        if known is not None:
            return known
        table = distilled(self._teacher.vectors_of_pieces())
        if path is not None:
            keep(path, _as_file(table))
        return table


def distilled(vectors: FloatArray) -> FloatArray:
    """(n, 256) the table of n word pieces, the most frequent first, from their vectors (n, d)."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)
    leading = axes[:, ::-1][:, :COMPONENTS]
    leading *= np.sign(leading[np.abs(leading).argmax(axis=0), np.arange(leading.shape[1])])
    return np.asarray((centred @ leading) * _weights(len(vectors))[:, None], dtype=np.float32)


def _weights(count: int) -> DoubleArray:
    """(n,) the weight of each piece, by its number alone."""
    share = 1 / np.arange(2, count + 2)
    return np.asarray(SMOOTHING / (SMOOTHING + share / share.sum()))


def _read(path: Path | None, shape: tuple[int, int]) -> FloatArray | None:
    """The table in a file; None where it is not there, or is not a whole one of this shape."""
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            table = np.lib.format.read_array(file, allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError):
        return None
    fits = table.shape == shape and table.dtype == np.float32 and bool(np.isfinite(table).all())
    return table if fits else None


def _as_file(table: FloatArray) -> bytes:
    file = io.BytesIO()
    np.save(file, table)
    return file.getvalue()
