"""The BERT encoder as transformers computes it in large batches, on a device that torch sees: a GPU."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from sage_ld.foundation.model import FloatArray

if TYPE_CHECKING:
    import torch

BATCH_TOKENS: Final = 65_536
"""Tokens that go through the model together, padding included. Batches of 1,024 took 20 times as long."""


@cache
def has_gpu() -> bool:
    """Whether torch sees a GPU. It is imported only where the driver of one is installed."""
    if not (Path("/dev/nvidiactl").exists() or shutil.which("nvidia-smi")):
        return False
    import torch

    return bool(torch.cuda.is_available())


class TorchBert:
    """The model of a folder on a device, in `fp32` or `fp16`.

    The same texts give the same vectors in any order; other company may change their last bits.
    """

    def __init__(self, folder: Path, device: str, precision: str) -> None:
        import torch
        from transformers import BertModel

        dtype = torch.float16 if precision == "fp16" else torch.float32
        self._model = cast("Any", BertModel.from_pretrained(folder, dtype=dtype)).to(device)
        self._device = device

    def means(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        """(n, width) the mean of each text's last hidden states, float32, for the token numbers of each."""
        vectors = np.empty((len(texts), self._model.config.hidden_size), np.float32)
        for batch in batches(texts):
            vectors[batch] = self._batch_means([texts[each] for each in batch])
        return vectors

    def _batch_means(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        import torch

        tokens, mask = (each.to(self._device) for each in _padded(texts))
        with torch.inference_mode():
            hidden = self._model(input_ids=tokens, attention_mask=mask).last_hidden_state.float()
            shares = mask.float() / mask.sum(dim=1, keepdim=True)
            means: FloatArray = torch.einsum("tl,tlw->tw", shares, hidden).cpu().numpy()
        return means


def _padded(texts: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """The texts in a rectangle, and 1 where a token is one of a text."""
    import torch

    tokens = np.zeros((len(texts), max(map(len, texts))), np.int64)
    mask = np.zeros_like(tokens)
    for row, text in enumerate(texts):
        tokens[row, : len(text)], mask[row, : len(text)] = text, 1
    return torch.from_numpy(tokens), torch.from_numpy(mask)


def batches(texts: Sequence[Sequence[int]], most: int = BATCH_TOKENS) -> Iterator[list[int]]:
    """Positions of the texts, the longest first, in batches of up to `most` tokens with their padding.

    >>> list(batches([[1], [1, 2, 3], [1, 2]], most=6))
    [[1, 2], [0]]
    """
    batch: list[int] = []
    for position in sorted(range(len(texts)), key=lambda each: (-len(texts[each]), texts[each])):
        if batch and (len(batch) + 1) * len(texts[batch[0]]) > most:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch
