"""The cache of vectors: an SQLite file, keyed by content hash and encoder, so that no text is encoded twice.

Where the file cannot be used, the texts are encoded without it (`sage_ld.foundation.caches`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from sage_ld.build.encoders import Encoder, load_encoder
from sage_ld.foundation.caches import DiskCache, cache_folder, content_key
from sage_ld.foundation.model import FloatArray
from sage_ld.foundation.recipes import DEFAULT_ENCODER
from sage_ld.foundation.settings import Settings

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many texts have a vector, and how many there are."""

BATCH_TEXTS = 1024
"""Texts encoded between two commits: what an interruption loses at most."""


def default_path(settings: Settings) -> Path:
    """The cache's file under these settings."""
    return cache_folder(settings) / "vectors.sqlite"


def cached(encoder: Encoder, settings: Settings) -> CachedEncoder:
    """`encoder` with the cache that the settings name in front of it."""
    return CachedEncoder(encoder, default_path(settings), settings.cache_bytes)


def load_cached(name: str, settings: Settings) -> CachedEncoder:
    """The encoder that a graph records as `name`, with the cache in front of it. Raises InputError."""
    name = (
        f"{DEFAULT_ENCODER}:fp32" if name == DEFAULT_ENCODER else name
    )  # a graph of the time before precisions were recorded
    return cached(load_encoder(name, settings), settings)


class CachedEncoder:
    """An encoder with the cache in front of it. Questions are not cached: encoding one is quicker.

    One object serves several threads, and survives a fork.
    """

    def __init__(self, encoder: Encoder, path: Path, max_bytes: int = 2 * 2**30) -> None:
        self.encoder = encoder
        self.cache = DiskCache(path, "vector", max_bytes)
        self.name, self.count_tokens, self.similarity = encoder.name, encoder.count_tokens, encoder.similarity
        self.encode_query, self.encode_queries = encoder.encode_query, encoder.encode_queries

    @property
    def fingerprint(self) -> str:
        """The encoder's, which may have to ask for it."""
        return self.encoder.fingerprint

    @property
    def dimensions(self) -> int:
        """The encoder's, which may have to ask for it."""
        return self.encoder.dimensions

    @property
    def max_tokens(self) -> int | None:
        """The encoder's."""
        return self.encoder.max_tokens

    @property
    def unit_vectors(self) -> bool:
        """The encoder's."""
        return self.encoder.unit_vectors

    @property
    def crosses_languages(self) -> bool:
        """The encoder's, which may have to load its model."""
        return self.encoder.crosses_languages

    def load(self) -> None:
        """Reads the weights of an encoder that computes here, for which the first question would wait."""
        if not self.name.startswith("openai:"):
            self.encoder.encode_query("")

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> FloatArray:
        """Vectors (n, d), equal texts encoded once, each batch kept as soon as it is done."""
        keys = [content_key(self.fingerprint, text) for text in texts]
        by_key = dict(zip(keys, texts, strict=True))
        cached_vectors = self._find(list(by_key))
        missing = [key for key in by_key if key not in cached_vectors]
        report = _reporter(progress, len(texts), len(missing))
        report(0)
        for begin in range(0, len(missing), BATCH_TEXTS):
            batch = missing[begin : begin + BATCH_TEXTS]
            vectors = self.encoder.encode([by_key[key] for key in batch])
            new = dict(zip(batch, vectors, strict=True))
            self._keep(new)
            cached_vectors.update(new)
            report(begin + len(batch))
        return np.stack([cached_vectors[key] for key in keys]) if keys else self.encoder.encode([])

    def _find(self, keys: Sequence[bytes]) -> dict[bytes, FloatArray]:
        return {
            key: np.frombuffer(value, dtype="<f4")
            for key, value in self.cache.find(keys).items()
            if len(value) == 4 * self.dimensions
        }

    def _keep(self, vectors: Mapping[bytes, FloatArray]) -> None:
        self.cache.keep({key: vector.astype("<f4").tobytes() for key, vector in vectors.items()})


def _reporter(progress: Progress | None, total: int, missing: int) -> Callable[[int], None]:
    """A function of how many missing texts are done; equal texts count as done from the start."""
    return lambda done: progress(total - missing + done, total) if progress else None
