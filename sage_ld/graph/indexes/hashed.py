"""Numbers that stand for texts, and lists of rows by such a number, as arrays that can be memory-mapped.

A text is known by 64 bits that follow from it: among ten million texts, two have the same ones in one of
400,000 graphs. So an index of exact words or names needs no dictionary: a lookup is a binary search.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.model import IntArray
from sage_ld.graph.indexes.files import Arrays, ascending, within

Numbers: TypeAlias = NDArray[np.uint64]


@lru_cache(maxsize=1 << 16)
def text_number(text: str) -> int:
    """The number by which a text is known."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def chained_number(before: int, word: str) -> int:
    """The number of a sequence of words, from that of all but the last: 0 for none."""
    content = before.to_bytes(8, "little") + word.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "little")


def text_numbers(texts: Iterable[str]) -> Numbers:
    """The numbers of several texts, in their order."""
    return np.array([text_number(each) for each in texts], np.uint64)


@dataclass(frozen=True, slots=True)
class HashedLists:
    """Lists of rows: that of the number `numbers[i]` is `rows[starts[i]:starts[i + 1]]`, ascending."""

    numbers: Numbers
    """(k,) ascending."""
    starts: IntArray
    """(k + 1,)"""
    rows: NDArray[np.int32]
    """(e,)"""

    @classmethod
    def of(cls, arrays: Arrays, name: str = "") -> HashedLists:
        """The lists called `name` among some arrays."""
        return cls(*(arrays[each] for each in array_names(name)))

    def find(self, number: int) -> slice:
        """The slice of `rows` with the list of a number; an empty one where it has none."""
        at = int(np.searchsorted(self.numbers, np.uint64(number)))
        if at == len(self.numbers) or self.numbers[at] != number:
            return slice(0, 0)
        return slice(int(self.starts[at]), int(self.starts[at + 1]))

    def contain(self, numbers: Numbers) -> NDArray[np.bool_]:
        """(m,) which of some numbers have a list, an empty one too."""
        return contained(self.numbers, numbers)

    def live_counts(self, live: NDArray[np.bool_]) -> IntArray:
        """(k,) how many of each list's rows are live; `live` says it of each row."""
        if live.all():
            return np.diff(self.starts)
        ends = np.concatenate([[0], np.cumsum(live[self.rows], dtype=np.int64)])
        return np.diff(ends[self.starts])

    def expanded(self) -> Numbers:
        """(e,) the number of each entry of `rows`."""
        return np.repeat(self.numbers, np.diff(self.starts))


def contained(known: Numbers, numbers: Numbers) -> NDArray[np.bool_]:
    """(m,) which of some numbers are among the `known` ones, which are ascending."""
    if not len(known):
        return np.zeros(len(numbers), np.bool_)
    return np.asarray(known[np.minimum(np.searchsorted(known, numbers), len(known) - 1)] == numbers)


def array_names(name: str) -> tuple[str, str, str]:
    """The names of the arrays of lists called `name`."""
    return f"{name}numbers", f"{name}starts", f"{name}rows"


def listed(rows: Sequence[Iterable[int]], name: str = "") -> Arrays:
    """The arrays of lists, from the numbers of each row.

    >>> lists = HashedLists.of(listed([[7], [9, 7]]))
    >>> lists.rows[lists.find(7)].tolist(), lists.rows[lists.find(8)].tolist()
    ([0, 1], [])
    """
    held = [sorted(set(each)) for each in rows]
    numbers = np.array([number for each in held for number in each], np.uint64)
    row_of = np.repeat(np.arange(len(held)), [len(each) for each in held])
    return grouped(numbers, row_of, name)


def grouped(numbers: Numbers, rows: IntArray, name: str = "") -> Arrays:
    """The arrays of lists, from pairs of a number and a row."""
    return _grouped(numbers, rows, np.lexsort((rows, numbers)), name)


def graded(pairs: Sequence[tuple[int, int, int]], name: str) -> Arrays:
    """The arrays of lists whose entries have a grade, from triples of a number, a row and a grade."""
    numbers = np.array([number for number, _, _ in pairs], np.uint64)
    rows, grades = (np.array([each[at] for each in pairs], np.int64) for at in (1, 2))
    order = np.lexsort((grades, rows, numbers))
    return {**_grouped(numbers, rows, order, name), f"{name}grades": grades[order].astype(np.uint8)}


def _grouped(numbers: Numbers, rows: IntArray, order: IntArray, name: str) -> Arrays:
    distinct, first = np.unique(numbers[order], return_index=True)
    starts = np.append(first, len(numbers)).astype(np.int64)
    return dict(zip(array_names(name), (distinct, starts, rows[order].astype(np.int32)), strict=True))


def lists_fit(arrays: Arrays, rows: int, name: str = "") -> bool:
    """Whether the arrays of lists of an index with `rows` rows belong together, each list with its rows."""
    numbers, starts, listed_rows = (arrays[each] for each in array_names(name))
    if numbers.ndim != 1 or starts.ndim != 1 or listed_rows.ndim != 1 or len(starts) != len(numbers) + 1:
        return False
    return ascending(starts, len(listed_rows)) and within(listed_rows, 0, rows - 1)
