"""Encoders, which turn texts into vectors: their protocol, and `load_encoder`, which makes one by name.

The libraries behind them are imported by the modules that need them, when they are first used: importing this
package costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from sage_ld.foundation.caches import cache_folder
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import FloatArray
from sage_ld.foundation.recipes import DEFAULT_ENCODER
from sage_ld.foundation.settings import Settings

CHOICES = (
    "minilm (or minilm:fp32, :int8, :cuda-fp32, :cuda-fp16), e5, static, jaccard, "
    "openai:MODEL (an OpenAI-compatible API), st:NAME (a sentence-transformers model)"
)


class Encoder(Protocol):
    """A model that turns texts into vectors, and the similarity of two vectors."""

    @property
    def name(self) -> str:
        """The name by which `load_encoder` creates it again, and which a graph records."""

    @property
    def fingerprint(self) -> str:
        """All that a vector depends on beside the text: name, weights, precision. The key of the cache."""

    @property
    def dimensions(self) -> int:
        """Length d of a vector."""

    @property
    def max_tokens(self) -> int | None:
        """The most word pieces, as `count_tokens` counts them, that a text may have; None: no limit known."""

    @property
    def unit_vectors(self) -> bool:
        """Whether `similarity` is the inner product of vectors of length 1: what approximate search needs."""

    @property
    def crosses_languages(self) -> bool:
        """Whether a text may be near to one in another language: whether it was trained on several."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Word pieces in each text, without the special tokens around it."""

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Vectors of shape (n, d). Raises InputError for a text over `max_tokens`: none is cut."""

    def encode_query(self, text: str) -> FloatArray:
        """The vector of a question, shape (d,); a question may be of any length."""

    def encode_queries(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several questions, shape (n, d), as `encode_query` returns them; faster together."""

    def similarity(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Similarities of shape (a, b) for vectors of shape (a, d) and (b, d), at most 1."""


def load_encoder(name: str, settings: Settings | None = None) -> Encoder:
    """The encoder called `name`, without a cache in front of it.

    >>> load_encoder("jaccard").dimensions
    2048

    Raises InputError for a name that is not one of the choices.
    """
    settings = settings or Settings()
    kind, colon, model = name.partition(":")
    build = _BUILDERS.get(kind)
    fits = bool(colon) == bool(model) and bool(model) in _MODEL.get(kind, _NONE)
    if build is None or not fits:
        raise InputError(f"unknown encoder {name!r}; choose one of {CHOICES}")
    return build(model, settings)


def stands_for(choice: str, name: str) -> bool:
    """Whether `choice` may have selected the encoder called `name`: minilm stands for every precision.

    >>> stands_for("minilm", "minilm:int8"), stands_for("minilm:fp32", "minilm:int8")
    (True, False)
    >>> stands_for("st", "st:model")
    False
    """
    return choice == name or (choice == DEFAULT_ENCODER and name.startswith(f"{DEFAULT_ENCODER}:"))


def _minilm(precision: str, _settings: Settings) -> Encoder:
    from sage_ld.build.encoders.minilm import MiniLM

    return MiniLM(precision)


def _e5(_model: str, _settings: Settings) -> Encoder:
    from sage_ld.build.encoders.e5 import E5

    return E5()


def _static(_model: str, settings: Settings) -> Encoder:
    from sage_ld.build.encoders.static import Static

    return Static(cache_folder(settings))


def _jaccard(_model: str, _settings: Settings) -> Encoder:
    from sage_ld.build.encoders.jaccard import Jaccard

    return Jaccard()


def _openai(model: str, settings: Settings) -> Encoder:
    from sage_ld.build.encoders.openai_api import OpenAIEncoder

    return OpenAIEncoder(model, settings)


def _sentence_transformers(model: str, _settings: Settings) -> Encoder:
    from sage_ld.build.encoders.st import SentenceTransformersEncoder

    return SentenceTransformersEncoder(model)


_NONE = frozenset({False})
_MODEL = {"openai": frozenset({True}), "st": frozenset({True}), DEFAULT_ENCODER: frozenset({False, True})}
"""Whether a name may say a model, and whether it may not; of those that are not here it may not."""
_BUILDERS: dict[str, Callable[[str, Settings], Encoder]] = {
    DEFAULT_ENCODER: _minilm,
    "e5": _e5,
    "static": _static,
    "jaccard": _jaccard,
    "openai": _openai,
    "st": _sentence_transformers,
}
