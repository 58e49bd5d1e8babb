"""Products with a matrix of integers of 8 bits, which give the same sums on every processor.

Not every processor has instructions that add up products of bytes. Without them torch multiplies number by
number, 30 times as slowly as in float32 (an AMD EPYC with AVX2), or cuts sums of two products off at 16 bits.
Whole numbers in float32 are exact up to 2^24, in any order, and are multiplied as fast as other numbers.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from sage_ld.build.encoders import libtorch
from sage_ld.build.encoders.libtorch import StridedView, Tensor

LARGEST: Final = 127
"""The largest absolute number."""
MOST_EXACT: Final = 2**24 // LARGEST**2
"""So many products add up to no more than what float32 has exactly: 1040."""
_ROUNDS: Final = 2
_PROBE: Final = (32, 384, 384)  # rows, inputs, outputs


class ByteProduct(NamedTuple):
    """Products by the processor's instructions for bytes."""

    weight: Tensor
    """int8, shape (inputs, outputs), stored by column."""

    @classmethod
    def from_numbers(cls, weight: Tensor, outputs: int, inputs: int) -> ByteProduct:
        """The product with whole numbers in float32 (outputs, inputs)."""
        by_column = StridedView((inputs, outputs), (1, inputs))
        return cls(by_column.of(libtorch.converted(weight, libtorch.INT8)))

    def of(self, rows: Tensor) -> Tensor:
        """The product with rows of whole numbers in float32, in float32."""
        return libtorch.integer_products(libtorch.converted(rows, libtorch.INT8), self.weight)


class NumberProduct(NamedTuple):
    """Products in float32, of at most `MOST_EXACT` inputs at a time."""

    parts: tuple[tuple[int, int, Tensor], ...]
    """First input, how many, and their weights, float32, shape (inputs, outputs)."""

    @classmethod
    def from_numbers(cls, weight: Tensor, outputs: int, inputs: int) -> NumberProduct:
        """The product with whole numbers in float32 (outputs, inputs), of at most 2 `MOST_EXACT` inputs.

        The sum of two exact parts is rounded once, as that of bytes is.
        """
        size = inputs if inputs <= MOST_EXACT else -(-inputs // 2)
        parts = ((begin, min(size, inputs - begin)) for begin in range(0, inputs, size))
        return cls(
            tuple(
                (begin, count, StridedView((count, outputs), (1, inputs), begin).of(weight))
                for begin, count in parts
            )
        )

    def of(self, rows: Tensor) -> Tensor:
        """The product with rows of whole numbers in float32, in float32."""
        first, *others = (
            libtorch.matmul(libtorch.columns(rows, begin, count), weight)
            for begin, count, weight in self.parts
        )
        for each in others:
            first = first + each
        return first


IntegerProduct: TypeAlias = ByteProduct | NumberProduct


def integer_product(weight: Tensor, outputs: int, inputs: int) -> IntegerProduct:
    """The product with whole numbers in float32 (outputs, inputs), that is the faster here."""
    kind = ByteProduct if inputs > 2 * MOST_EXACT or bytes_pay() else NumberProduct
    return kind.from_numbers(weight, outputs, inputs)


@cache
def bytes_pay() -> bool:
    """Whether this processor multiplies bytes without error, and faster than float32."""
    rows, inputs, outputs = _PROBE
    left = libtorch.tensor(np.full((rows, inputs), LARGEST, np.float32))
    right = libtorch.tensor(np.full((outputs, inputs), LARGEST, np.float32))
    in_bytes, in_numbers = (
        kind.from_numbers(right, outputs, inputs) for kind in (ByteProduct, NumberProduct)
    )
    product = libtorch.rows_of(in_bytes.of(left), rows, outputs)
    if (product != inputs * LARGEST**2).any():
        return False
    threads = libtorch.threads()
    libtorch.set_threads(1)  # several may wait for each other for longer than they work
    try:
        return _seconds(in_bytes, left) < _seconds(in_numbers, left)
    finally:
        libtorch.set_threads(threads)


def _seconds(product: IntegerProduct, rows: Tensor) -> float:
    """The least of some rounds, after one that is not counted."""
    product.of(rows)
    taken = []
    for _ in range(_ROUNDS):
        begin = time.perf_counter()
        product.of(rows)
        taken.append(time.perf_counter() - begin)
    return min(taken)
