"""The encoder for any model of sentence-transformers, by its name on the Hugging Face hub or its folder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sage_ld.foundation.arrays import cosine, unit_rows
from sage_ld.foundation.errors import InputError, UnavailableError
from sage_ld.foundation.model import FloatArray

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

LARGEST_OF_ONE_LANGUAGE = 80_000
"""Tokens; English models have 30,522 to 50,368, those of several languages 105,000 to 262,144."""
SPARE = 0.9
"""Share of the model's length that chunks may fill: some tokenizers count a text otherwise than its parts."""


class SentenceTransformersEncoder:
    """A sentence-transformers model in its own precision, with its own query prompt.

    Texts are sorted before they are encoded, so that the same set gives the same vectors in any order;
    another set may change their last bits.
    """

    unit_vectors = True

    def __init__(self, model: str) -> None:
        self.name = f"st:{model}"
        self._path = model

    @property
    def fingerprint(self) -> str:
        """Name, and a digest of the weights, for a folder's content may change under its name."""
        return f"{self.name}/{self._digest}"

    @cached_property
    def dimensions(self) -> int:
        """Length of a vector, as the model says."""
        return int(self.encode([""]).shape[1])

    @property
    def crosses_languages(self) -> bool:
        """Whether its vocabulary is too large for one language."""
        return len(self._model.tokenizer) > LARGEST_OF_ONE_LANGUAGE

    @property
    def max_tokens(self) -> int | None:
        """Nine tenths of what the model reads."""
        length = self._model.max_seq_length
        return None if length is None else int(length * SPARE)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of the model's own tokenizer, without special ones."""
        if not texts:
            return []
        encoded = self._model.tokenizer(
            list(texts), add_special_tokens=False, truncation=False, verbose=False
        )
        return [len(ids) for ids in encoded["input_ids"]]

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors (n, d). Raises InputError for a text that the model would cut."""
        if limit := self.max_tokens:
            for text, count in zip(texts, self.count_tokens(texts), strict=True):
                if count > limit:
                    raise InputError(
                        f"text {text[:40]!r}…: {count} tokens, but the encoder {self.name} reads at most "
                        f"{limit}; split it, as sage_ld.build.chunkers does"
                    )
        order = sorted(range(len(texts)), key=lambda each: texts[each])
        encoded = self._model.encode([texts[each] for each in order], show_progress_bar=False)
        vectors = np.empty_like(np.asarray(encoded, dtype=np.float32))
        vectors[order] = encoded
        return unit_rows(vectors)

    def encode_query(self, text: str) -> FloatArray:
        """The vector of a question, shape (d,), by the model's prompt for queries where it has one.

        Raises InputError for a question that the model would cut.
        """
        vector: FloatArray = self.encode_queries([text])[0]
        return vector

    def encode_queries(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several questions, shape (n, d). Raises as `encode_query` does."""
        limit, most = self.max_tokens, max(self.count_tokens(texts), default=0)
        if limit and most > limit:
            raise InputError(
                f"question: {most} tokens, but the encoder {self.name} reads at most {limit}; shorten it"
            )
        encoded = self._model.encode_query(list(texts), show_progress_bar=False)
        return unit_rows(np.asarray(encoded, dtype=np.float32))

    def similarity(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Cosines, shape (a, b)."""
        return cosine(left, right)

    @cached_property
    def _model(self) -> SentenceTransformer:
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(self._path, device="cpu")
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise UnavailableError(
                f"encoder {self.name} cannot be loaded ({reason}); name a folder, or a model of the Hugging "
                "Face hub"
            ) from error

    @cached_property
    def _digest(self) -> str:
        digest = hashlib.sha256()
        for name, tensor in sorted(self._model.state_dict().items()):
            digest.update(name.encode())
            digest.update(tensor.contiguous().float().numpy().data)
        return digest.hexdigest()[:16]
