"""Packed strings: many strings in two arrays that can be memory-mapped."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray[Any, Any]]


def pack(strings: Iterable[str]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The UTF-8 of all strings one after another, and the n + 1 offsets between them."""
    parts = [string.encode("utf-8") for string in strings]
    offsets = np.fromiter(accumulate(map(len, parts), initial=0), dtype=np.int64, count=len(parts) + 1)
    return np.frombuffer(b"".join(parts), dtype=np.uint8), offsets


def unpack(blob: np.ndarray[Any, Any], offsets: np.ndarray[Any, Any]) -> list[str]:
    """The strings that `pack` packed.

    >>> unpack(*pack(["Ä", "", "b"]))
    ['Ä', '', 'b']
    """
    raw = blob.tobytes()
    return [raw[begin:end].decode("utf-8") for begin, end in pairwise(offsets.tolist())]


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Sorted strings, found by binary search where they lie: opening it reads nothing."""

    blob: memoryview
    offsets: memoryview

    @classmethod
    def of(cls, blob: np.ndarray[Any, Any], offsets: np.ndarray[Any, Any]) -> Dictionary:
        """The dictionary over two packed arrays of strings in code point order."""
        return cls(blob.data, offsets.data)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> bytes:
        return bytes(self.blob[self.offsets[index] : self.offsets[index + 1]])

    def find(self, string: str) -> int | None:
        """The position of `string`, or None. UTF-8 sorts as code points do.

        >>> Dictionary.of(*pack(["film", "robert", "series"])).find("robert")
        1
        """
        wanted = string.encode("utf-8")
        index = bisect_left(self, wanted)
        return index if index < len(self) and self[index] == wanted else None
