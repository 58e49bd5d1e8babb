"""Small functions on arrays of vectors."""

from __future__ import annotations

import numpy as np

from sage_ld.foundation.model import FloatArray


def unit_rows(vectors: FloatArray) -> FloatArray:
    """Rows of an array (n, d) divided by their length, so that a matrix product is the cosine.

    A row of zeros stays as it is.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def cosine(left: FloatArray, right: FloatArray) -> FloatArray:
    """Cosines (a, b) of unit rows (a, d) and (b, d), kept within -1..1 against rounding."""
    product: FloatArray = left @ right.T
    return np.clip(product, -1.0, 1.0, out=product)
