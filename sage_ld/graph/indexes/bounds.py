"""Bounds of the values of arrays that come from a file, whose lengths may agree while their values lie."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

LARGEST: Final = float(np.finfo(np.float32).max)
"""The largest number of a finite vector."""


def within(array: NDArray[Any], least: float, most: float = LARGEST) -> bool:
    """Whether all values are between two bounds; NaN is not.

    >>> within(np.array([0.5, 1]), 0, 1), within(np.array([np.nan]), 0, 1), within(np.zeros(0), 1, 2)
    (True, False, True)
    """
    return not array.size or bool(array.min() >= least and array.max() <= most)


def ascending(places: NDArray[Any], end: int) -> bool:
    """Whether places begin with 0, never go back, and lead to `end`.

    >>> ascending(np.array([0, 2, 2, 5]), 5), ascending(np.array([0, 7, 5]), 5)
    (True, False)
    """
    is_number = places.ndim == 1 and places.dtype.kind in "iu" and len(places) > 0
    return is_number and bool(places[0] == 0 and places[-1] == end and (places[1:] >= places[:-1]).all())


def counted(counts: NDArray[Any]) -> bool:
    """Whether all values are counts: whole numbers that are not negative."""
    return counts.dtype.kind in "iu" and within(counts, 0)
