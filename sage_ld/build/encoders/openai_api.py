"""The encoder that asks an OpenAI-compatible API for vectors (`sage_ld.foundation.openai_access`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from sage_ld.foundation.arrays import cosine, unit_rows
from sage_ld.foundation.errors import UnavailableError
from sage_ld.foundation.model import FloatArray
from sage_ld.foundation.openai_access import OpenAIAccess
from sage_ld.foundation.settings import Settings
from sage_ld.foundation.token_estimates import approximate_tokens


class OpenAIEncoder:
    """The embedding model `model` of the API at the setting `openai_base_url`.

    A request that fails is tried again `openai_retries` times at most.
    """

    max_tokens = None
    unit_vectors = True
    crosses_languages = True

    def __init__(self, model: str, settings: Settings) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._settings = settings
        self._access = OpenAIAccess(
            f"embeddings of {model!r}",
            settings.openai_base_url,
            "openai_base_url",
            settings.openai_timeout,
            settings.openai_retries,
            "lower openai_batch_characters",
        )

    @property
    def fingerprint(self) -> str:
        """Name and address: another server may give the name to another model."""
        return f"{self.name}@{self._access.address}"

    @cached_property
    def dimensions(self) -> int:
        """Length of a vector; asked of the API once."""
        return len(self._request(["dimensions"])[0])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """An approximation: the API has no call that counts."""
        return [approximate_tokens(text) for text in texts]

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors (n, d). Raises UnavailableError if the API does not give them."""
        batches = [self._request(batch) for batch in self._batches(texts)]
        if not batches:
            return np.empty((0, self.dimensions), dtype=np.float32)
        vectors = [vector for batch in batches for vector in batch]
        for vector in vectors:
            if len(vector) != self.dimensions:
                raise UnavailableError(
                    f"{self._access.who} returned a vector of {len(vector)} numbers, not of "
                    f"{self.dimensions}; check which model it serves"
                )
        return unit_rows(self._finite(np.array(vectors, dtype=np.float32)))

    def encode_query(self, text: str) -> FloatArray:
        """The vector of a question, shape (d,)."""
        vector: FloatArray = self.encode([text])[0]
        return vector

    def encode_queries(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several questions, shape (n, d)."""
        return self.encode(texts)

    def similarity(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Cosines, shape (a, b)."""
        return cosine(left, right)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        characters = 0
        for text in texts:
            full = characters + len(text) > self._settings.openai_batch_characters
            if batch and (full or len(batch) == self._settings.openai_batch_texts):
                yield batch
                batch, characters = [], 0
            batch.append(text or " ")  # OpenAI's own API refuses an empty text
            characters += len(text)
        if batch:
            yield batch

    def _request(self, texts: list[str]) -> list[list[float]]:
        with self._access.failures():
            answer = self._access.client.embeddings.create(
                model=self._model, input=texts, encoding_format="float"
            )
            by_index = {each.index: each.embedding for each in answer.data}
        if sorted(by_index) != list(range(len(texts))):
            raise self._access.malformed(f"has {len(by_index)} vectors for {len(texts)} texts")
        return [by_index[index] for index in range(len(texts))]

    def _finite(self, vectors: FloatArray) -> FloatArray:
        if not np.isfinite(vectors).all():
            raise self._access.malformed("contains numbers that are not finite")
        return vectors
