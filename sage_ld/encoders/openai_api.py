"""The encoder that asks an OpenAI-compatible API for vectors: OpenAI's own, or Ollama, vLLM, llama.cpp.

The key comes from the environment variable OPENAI_API_KEY and appears in no message: an API's answer to a
wrong key quotes the key, so answers are not passed on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from sage_ld.encoders import approximate_tokens
from sage_ld.encoders.arrays import cosine, unit_rows
from sage_ld.errors import InputError, UnavailableError
from sage_ld.model import FloatArray
from sage_ld.settings import Settings

if TYPE_CHECKING:
    import openai

KEY_VARIABLE = "OPENAI_API_KEY"


class OpenAIEncoder:
    """The embedding model `model` of the API at the setting `openai_base_url`.

    A request is tried again after 408, 409, 429, a 5xx, a timeout or a lost connection, with exponential
    back-off or after the time that `Retry-After` names, `openai_retries` times at most.
    """

    max_tokens = None
    unit_vectors = True

    def __init__(self, model: str, settings: Settings) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._settings = settings

    @property
    def fingerprint(self) -> str:
        """Name and address: another server may give the name to another model."""
        return f"{self.name}@{self._address}"

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
                    f"{self._who} returned a vector of {len(vector)} numbers, not of {self.dimensions}; "
                    "check which model it serves"
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
        import openai

        try:
            answer = self._client.embeddings.create(model=self._model, input=texts, encoding_format="float")
            by_index = {each.index: each.embedding for each in answer.data}
        except openai.APIStatusError as error:
            raise self._refused(error.status_code) from None
        except openai.APIConnectionError as error:
            reason = "no answer in time" if isinstance(error, openai.APITimeoutError) else "no connection"
            raise UnavailableError(
                f"{self._who}: {reason} after {self._settings.openai_retries + 1} tries; "
                "check the setting openai_base_url and the server"
            ) from None
        except (openai.OpenAIError, AttributeError, TypeError, ValueError):
            raise self._malformed("does not have the form of the embeddings API") from None
        if sorted(by_index) != list(range(len(texts))):
            raise self._malformed(f"has {len(by_index)} vectors for {len(texts)} texts")
        return [by_index[index] for index in range(len(texts))]

    def _refused(self, status: int) -> InputError | UnavailableError:
        if status in (400, 413, 422):
            return InputError(f"{self._who} refused the texts (HTTP {status}); lower openai_batch_characters")
        remedy = {401: f"check {KEY_VARIABLE}", 403: f"check {KEY_VARIABLE}", 404: "check the model's name"}
        return UnavailableError(
            f"{self._who} answered HTTP {status} after up to {self._settings.openai_retries + 1} tries; "
            f"{remedy.get(status, 'try again later')}"
        )

    def _malformed(self, fault: str) -> UnavailableError:
        return UnavailableError(f"{self._who}: the answer {fault}; check the setting openai_base_url")

    def _finite(self, vectors: FloatArray) -> FloatArray:
        if not np.isfinite(vectors).all():
            raise self._malformed("contains numbers that are not finite")
        return vectors

    @property
    def _who(self) -> str:
        return f"embeddings of {self._model!r} at {self._address}"

    @property
    def _address(self) -> str:
        """Host and path of the base URL; a password or a key in it stays out."""
        parts = urlsplit(self._settings.openai_base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @cached_property
    def _client(self) -> openai.OpenAI:
        import openai

        key = os.environ.get(KEY_VARIABLE)
        if not key and self._settings.openai_base_url == Settings().openai_base_url:
            raise InputError(  # before a text is sent: a graph of a stranger may name this encoder
                f"{self._who} needs a key; set {KEY_VARIABLE}, or SAGE_LD_OPENAI_BASE_URL to another server"
            )
        return openai.OpenAI(
            api_key=key or "none",  # a local server asks for no key
            base_url=self._settings.openai_base_url,
            timeout=self._settings.openai_timeout,
            max_retries=self._settings.openai_retries,
        )
