"""The forward pass of a BERT encoder over packed texts.

Why not `transformers.BertModel`: it pads a batch to a rectangle and wants the batch's shape to be the same
for a text's vector to be the same. Here the texts of a batch lie end to end in one matrix of tokens, so that
nothing is computed for padding, and attention runs on each text by itself. Each row of the result then
depends on its own text alone as far as the matrix products do not look at their number of rows, which the
tests check on the machine they run on. Loading takes 0.1 s in place of 2.5 s, too.

Devlin et al. 2019, "BERT", https://arxiv.org/abs/1810.04805, post-norm, erf GELU, no dropout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import torch
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional

EPSILON = 1e-12
"""`layer_norm_eps` of every published BERT."""
_LARGEST: Final = 127
_SMALLEST: Final = 1e-30
ROW_MULTIPLE = 16
"""A batch's rows are filled up to a multiple of this: libraries multiply fewer than four rows otherwise."""


class Affine(NamedTuple):
    """Weight and bias of a linear map or of a layer normalisation."""

    weight: Tensor
    bias: Tensor

    def of(self, rows: Tensor) -> Tensor:
        """The linear map of each row."""
        return functional.linear(rows, self.weight, self.bias)


class IntegerAffine(NamedTuple):
    """A linear map whose products are of integers of 8 bits; weights have one scale for each output.

    Rows get a scale each, as they come. A sum of integers depends on no order, so neither does a result.
    Jacob et al. 2018, "Quantization and Training of Neural Networks", https://arxiv.org/abs/1712.05877,
    without zero points.
    """

    weight: Tensor
    """int8, shape (inputs, outputs), stored by column."""
    scales: Tensor
    bias: Tensor

    @classmethod
    def from_affine(cls, affine: Affine) -> IntegerAffine:
        """The nearest one to a map in float32."""
        weight, scales = _to_integers(affine.weight)
        return cls(weight.t(), scales[:, 0], affine.bias)

    def of(self, rows: Tensor) -> Tensor:
        """The linear map of each row, float32."""
        integers, scales = _to_integers(rows)
        products = torch._int_mm(integers, self.weight).to(torch.float32)
        return products.mul_(scales).mul_(self.scales).add_(self.bias)


Linear: TypeAlias = Affine | IntegerAffine


@dataclass(frozen=True, slots=True)
class Layer:
    """One transformer layer."""

    query_key_value: Linear
    attended: Linear
    attended_norm: Affine
    wide: Linear
    narrow: Linear
    norm: Affine


@dataclass(frozen=True, slots=True)
class Bert:
    """The weights, all of one precision."""

    words: Tensor
    positions: Tensor
    """Embeddings of the positions, with that of the first segment added."""
    norm: Affine
    layers: tuple[Layer, ...]
    heads: int


def load_bert(path: Path, heads: int, precision: str, layers: int | None = None) -> Bert:
    """The model whose weights the safetensors file `path` holds, under the names of `transformers`.

    `precision` is `fp32`, `bf16` or `int8`; with `layers`, the model has only so many, the first ones.
    """
    weights = load_file(path)
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    count = sum(name.endswith("attention.output.dense.weight") for name in weights)

    def affine(*names: str) -> Affine:
        parts = [[weights[f"{name}.{part}"] for name in names] for part in ("weight", "bias")]
        return Affine(*(torch.cat(part).to(dtype) for part in parts))

    def linear(*names: str) -> Linear:
        return IntegerAffine.from_affine(affine(*names)) if precision == "int8" else affine(*names)

    def layer(prefix: str) -> Layer:
        attention = f"{prefix}.attention"
        return Layer(
            query_key_value=linear(*(f"{attention}.self.{part}" for part in ("query", "key", "value"))),
            attended=linear(f"{attention}.output.dense"),
            attended_norm=affine(f"{attention}.output.LayerNorm"),
            wide=linear(f"{prefix}.intermediate.dense"),
            narrow=linear(f"{prefix}.output.dense"),
            norm=affine(f"{prefix}.output.LayerNorm"),
        )

    segment = weights["embeddings.token_type_embeddings.weight"][0]
    return Bert(
        words=weights["embeddings.word_embeddings.weight"].to(dtype),
        positions=(weights["embeddings.position_embeddings.weight"] + segment).to(dtype),
        norm=affine("embeddings.LayerNorm"),
        layers=tuple(layer(f"encoder.layer.{number}") for number in range(count)[:layers]),
        heads=heads,
    )


def mean_vectors(bert: Bert, texts: Sequence[Sequence[int]]) -> Tensor:
    """The mean of the last hidden states of each text, float32, shape (n, width).

    Texts are token numbers, special tokens included; those of equal length should lie next to each other.
    """
    tokens, positions = _pack(texts)
    spans = _spans([len(text) for text in texts])
    hidden = _norm(bert.words[tokens] + bert.positions[positions], bert.norm)
    for layer in bert.layers:
        attended = layer.attended.of(_attend(hidden, layer, spans, bert.heads))
        hidden = _norm(attended + hidden, layer.attended_norm)
        wide = functional.gelu(layer.wide.of(hidden))
        hidden = _norm(layer.narrow.of(wide) + hidden, layer.norm)
    return torch.cat([_rows(hidden, span).float().mean(dim=1) for span in spans])


class _Span(NamedTuple):
    """Neighbouring texts of one length: the first row, how many texts, how many tokens each."""

    begin: int
    texts: int
    length: int


def _pack(texts: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Token numbers and positions, end to end, filled up with token 0 to a multiple of ROW_MULTIPLE."""
    fill = -sum(map(len, texts)) % ROW_MULTIPLE
    tokens = [token for text in texts for token in text] + [0] * fill
    positions = [position for text in texts for position in range(len(text))] + [0] * fill
    return torch.tensor(tokens), torch.tensor(positions)


def _spans(lengths: Sequence[int]) -> list[_Span]:
    spans = []
    begin = 0
    for length, group in groupby(lengths):
        count = len(list(group))
        spans.append(_Span(begin, count, length))
        begin += count * length
    return spans


def _rows(matrix: Tensor, span: _Span) -> Tensor:
    """The rows of a span's texts, shape (texts, length, width)."""
    return matrix[span.begin : span.begin + span.texts * span.length].view(span.texts, span.length, -1)


def _attend(hidden: Tensor, layer: Layer, spans: Sequence[_Span], heads: int) -> Tensor:
    """Self-attention of each text, shape as `hidden`.

    Plain products: for heads of 32 numbers they took half the time of `scaled_dot_product_attention`.
    """
    projected = layer.query_key_value.of(hidden)
    result = torch.zeros_like(hidden)
    scale = (hidden.shape[1] // heads) ** -0.5
    for span in spans:
        rows = _rows(projected, span).view(span.texts, span.length, 3, heads, -1)
        query, key, value = rows.permute(2, 0, 3, 1, 4)
        weights = torch.softmax(torch.matmul(query * scale, key.transpose(-1, -2)), dim=-1)
        _rows(result, span).copy_(torch.matmul(weights, value).transpose(1, 2).flatten(2))
    return result


def _to_integers(rows: Tensor) -> tuple[Tensor, Tensor]:
    """int8 and their scales, one a row, shape (n, 1): integer times scale is near the number."""
    most = rows.abs().amax(dim=1, keepdim=True).clamp_min_(_SMALLEST)
    return (rows * (_LARGEST / most)).round_().to(torch.int8), most.div_(_LARGEST)


def _norm(matrix: Tensor, norm: Affine) -> Tensor:
    return functional.layer_norm(matrix, (matrix.shape[1],), norm.weight, norm.bias, EPSILON)
