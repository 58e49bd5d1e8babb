import numpy as np
import pytest

from sage_ld.build.encoders import libtorch
from sage_ld.build.encoders.integer_products import (
    LARGEST,
    MOST_EXACT,
    ByteProduct,
    NumberProduct,
    bytes_pay,
    integer_product,
)

ROWS, OUTPUTS = 16, 48


def product_of(kind, rows, weight):
    """The product of whole numbers, (n, inputs) by (outputs, inputs), as one of the two ways gives it."""
    outputs, inputs = weight.shape
    made = kind.from_numbers(libtorch.tensor(weight.astype(np.float32)), outputs, inputs)
    return libtorch.rows_of(made.of(libtorch.tensor(rows.astype(np.float32))), len(rows), outputs)


@pytest.mark.parametrize("inputs", [384, MOST_EXACT, MOST_EXACT + 1, 1536, 2 * MOST_EXACT])
def test_sums_are_exact_and_rounded_once(inputs):
    chance = np.random.default_rng(inputs)
    rows = chance.integers(-LARGEST, LARGEST + 1, (ROWS, inputs))
    weight = chance.integers(-LARGEST, LARGEST + 1, (OUTPUTS, inputs))
    rows[0], weight[0] = LARGEST, LARGEST
    rows[1], weight[1] = LARGEST, -LARGEST
    weight[2], weight[2, -1] = LARGEST, LARGEST - 1  # beyond 2^24 an odd sum has no float32 of its own
    expected = (rows @ weight.T).astype(np.float32)
    assert (product_of(NumberProduct, rows, weight) == expected).all()
    if bytes_pay():
        assert (product_of(ByteProduct, rows, weight) == expected).all()


def test_more_inputs_than_two_exact_sums_take_are_multiplied_as_bytes():
    inputs = 2 * MOST_EXACT + 1
    weight = libtorch.tensor(np.ones((OUTPUTS, inputs), np.float32))
    assert isinstance(integer_product(weight, OUTPUTS, inputs), ByteProduct)


def test_what_is_taken_is_faster_than_the_other_way_or_exact_where_that_is_not():
    kind = ByteProduct if bytes_pay() else NumberProduct
    assert isinstance(integer_product(libtorch.tensor(np.ones((8, 16), np.float32)), 8, 16), kind)
