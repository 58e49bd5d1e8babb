"""Packed strings: many strings in two arrays that can be memory-mapped."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Self, overload

import numpy as np

from sage_ld.graph.indexes.files import Arrays as Arrays
from sage_ld.graph.indexes.files import ascending


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


class Keys(Sequence[str]):
    """Sorted strings as they are packed: one is decoded when it is asked for, all when all are.

    >>> keys = Keys.of(["x:1", "x:2"])
    >>> keys[1], keys.find("x:2"), keys.find("x:3"), list(keys)
    ('x:2', 1, None, ['x:1', 'x:2'])
    """

    def __init__(self, blob: np.ndarray[Any, Any], offsets: np.ndarray[Any, Any]) -> None:
        self.blob = blob
        self.offsets = offsets
        self._dictionary = Dictionary.of(blob, offsets)

    @classmethod
    def of(cls, strings: Iterable[str]) -> Self:
        """The strings, which are sorted."""
        return cls(*pack(strings))

    @classmethod
    def checked(cls, blob: np.ndarray[Any, Any], offsets: np.ndarray[Any, Any]) -> Self:
        """The strings that two arrays of a file hold. Raises ValueError where these do not fit together."""
        if blob.ndim != 1 or offsets.ndim != 1 or not len(offsets) or offsets[-1] != len(blob):
            raise ValueError("the keys are cut off")
        if not ascending(offsets, len(blob)):
            raise ValueError("the keys are not in order")
        blob.tobytes().decode("utf-8")
        return cls(blob, offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return self.every[index]
        return self._dictionary[index].decode("utf-8")

    @cached_property
    def every(self) -> list[str]:
        """All of them."""
        return unpack(self.blob, self.offsets)

    def __iter__(self) -> Any:
        return iter(self.every)

    def find(self, string: str) -> int | None:
        """The position of `string`, or None: a binary search."""
        return self._dictionary.find(string)
