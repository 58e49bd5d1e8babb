"""The BERT encoder as an ONNX graph, which onnxruntime runs on the processor in float32 or 8-bit integers.

The graphs, `minilm-fp32.onnx` and `minilm-int8.onnx`, hold the operations without the weights, which come
from the model's safetensors file; `tests/build/encoders/onnx_graph.py` writes them. So nothing is exported or
cached, and neither torch nor onnx is imported: loading takes 0.2 s of processor time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime
from safetensors.numpy import load_file

from sage_ld.foundation.model import FloatArray, IntArray

BLOCK: Final = 128
"""So many weights that are multiplied with one input row have a scale in common in `int8`."""
_LARGEST: Final = 127
_ZERO: Final = 128  # the byte that stands for 0
_SMALLEST: Final = 1e-30
_LAYERS: Final = 6

Array = np.ndarray[Any, np.dtype[Any]]


class OnnxBert:
    """The model with its weights, in a precision: `fp32` or `int8`.

    Each matrix of tokens is computed on the thread that asks; several threads may ask at the same time.
    """

    def __init__(self, path: Path, precision: str) -> None:
        """`path` is the safetensors file, whose weights have the names that `transformers` gives them."""
        arrays = dict(_initializers(load_file(path), precision))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_mem_pattern = False  # it is kept for each length of a text
        options.add_external_initializers(
            list(arrays), [onnxruntime.OrtValue.ortvalue_from_numpy(each) for each in arrays.values()]
        )
        graph = files(__package__).joinpath(f"minilm-{precision}.onnx").read_bytes()
        self._session = onnxruntime.InferenceSession(graph, options, ["CPUExecutionProvider"])

    def means(self, tokens: IntArray) -> FloatArray:
        """(texts, width) the mean of each text's last hidden states, for token numbers (texts, length)."""
        vectors: FloatArray = self._session.run(None, {"tokens": tokens})[0]
        return vectors


def _initializers(weights: Mapping[str, FloatArray], precision: str) -> Iterator[tuple[str, Array]]:
    """The names of the graph's weights, and their numbers."""
    table = "embeddings.{}_embeddings.weight".format
    yield "words", weights[table("word")]
    yield "positions", weights[table("position")] + weights[table("token_type")][0]
    yield from _both("norm", weights, "embeddings.LayerNorm")
    for number in range(_LAYERS):
        layer, source = f"layer.{number}", f"encoder.layer.{number}"
        attention = f"{source}.attention"
        linear = {
            "qkv": [f"{attention}.self.{part}" for part in ("query", "key", "value")],
            "attended": [f"{attention}.output.dense"],
            "wide": [f"{source}.intermediate.dense"],
            "narrow": [f"{source}.output.dense"],
        }
        for name, sources in linear.items():
            weight = np.concatenate([weights[f"{each}.weight"] for each in sources])
            yield f"{layer}.{name}.bias", np.concatenate([weights[f"{each}.bias"] for each in sources])
            parts = integers(weight) if precision == "int8" else {"weight": np.ascontiguousarray(weight.T)}
            yield from ((f"{layer}.{name}.{part}", array) for part, array in parts.items())
        yield from chain(
            _both(f"{layer}.attended_norm", weights, f"{attention}.output.LayerNorm"),
            _both(f"{layer}.norm", weights, f"{source}.output.LayerNorm"),
        )


def _both(name: str, weights: Mapping[str, FloatArray], source: str) -> Iterator[tuple[str, Array]]:
    return ((f"{name}.{part}", weights[f"{source}.{part}"]) for part in ("weight", "bias"))


def integers(weight: FloatArray) -> dict[str, Array]:
    """A weight (outputs, inputs) in blocks of inputs: bytes (outputs, blocks, BLOCK) and their scales.

    A byte less 128, times its block's scale, is nearly the weight.
    """
    blocks = weight.reshape(len(weight), -1, BLOCK)
    scales = np.maximum(np.abs(blocks).max(axis=2) / _LARGEST, np.float32(_SMALLEST))
    rounded = np.rint(blocks / scales[..., None]) + _ZERO
    return {"integers": rounded.astype(np.uint8), "scales": scales}
