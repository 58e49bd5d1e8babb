"""The forward pass of `encoders.bert` in torch's own functions: what its bits are compared with."""

from itertools import groupby

import torch
from safetensors.torch import load_file
from torch.nn import functional

HEADS = 12


def mean_vectors(path, texts, precision):
    """The mean of the last hidden states of each text, float32, shape (n, width)."""
    weights = load_file(path)
    with torch.inference_mode():
        return _encoded(weights, sorted(texts, key=len), texts, precision).numpy()


def _encoded(weights, ordered, texts, precision):
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    map_of = _integer_map if precision == "int8" else functional.linear

    def affine(*names):
        return [
            torch.cat([weights[f"{each}.{part}"] for each in names]).to(dtype) for part in ("weight", "bias")
        ]

    def normal(rows, name):
        return functional.layer_norm(rows, rows.shape[1:], *affine(f"{name}.LayerNorm"), 1e-12)

    table = "embeddings.{}_embeddings.weight".format
    fill = -sum(map(len, ordered)) % 16
    words = torch.tensor([number for text in ordered for number in text] + [0] * fill)
    places = torch.tensor([place for text in ordered for place in range(len(text))] + [0] * fill)
    positions = (weights[table("position")] + weights[table("token_type")][0]).to(dtype)
    hidden = normal(weights[table("word")].to(dtype)[words] + positions[places], "embeddings")
    for number in range(6):
        layer = f"encoder.layer.{number}"
        parts = affine(*(f"{layer}.attention.self.{part}" for part in ("query", "key", "value")))
        attended = _attended(map_of(hidden, *parts), ordered)
        output = map_of(attended, *affine(f"{layer}.attention.output.dense"))
        hidden = normal(output + hidden, f"{layer}.attention.output")
        wide = functional.gelu(map_of(hidden, *affine(f"{layer}.intermediate.dense")))
        hidden = normal(map_of(wide, *affine(f"{layer}.output.dense")) + hidden, f"{layer}.output")
    rows, begin = {}, 0
    for text in ordered:
        rows[tuple(text)] = hidden[begin : begin + len(text)].float().mean(dim=0)
        begin += len(text)
    return torch.stack([rows[tuple(text)] for text in texts])


def _attended(projected, texts):
    result = torch.zeros(len(projected), projected.shape[1] // 3, dtype=projected.dtype)
    begin = 0
    for length, group in groupby(map(len, texts)):
        count = len(list(group))
        rows = projected[begin : begin + count * length].view(count, length, 3, HEADS, -1)
        query, key, value = rows.permute(2, 0, 3, 1, 4)
        scores = torch.matmul(query * query.shape[-1] ** -0.5, key.transpose(-1, -2))
        mixed = torch.matmul(torch.softmax(scores, dim=-1), value).transpose(1, 2)
        result[begin : begin + count * length] = mixed.flatten(2).flatten(0, 1)
        begin += count * length
    return result


def _integer_map(rows, weight, bias):
    (left, scales), (right, outputs) = _integers(rows), _integers(weight)
    return torch._int_mm(left, right.t()).to(torch.float32) * scales * outputs[:, 0] + bias


def _integers(rows):
    most = rows.abs().amax(dim=1, keepdim=True).clamp_min(1e-30)
    return (rows * (127 / most)).round().to(torch.int8), most / 127
