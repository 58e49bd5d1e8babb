"""Small functions over arrays."""

from __future__ import annotations

import numpy as np

from sage_ld.foundation.arrays import unit_rows


def test_rows_get_the_length_one_and_a_row_of_zeros_stays() -> None:
    rows = unit_rows(np.array([[3, 4], [0, 0]], np.float32))
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0, 0]], rtol=1e-6)
