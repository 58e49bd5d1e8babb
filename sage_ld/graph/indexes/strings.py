"""Texts as arrays that can be memory-mapped: packed strings, tables of IRIs, numbers that stand for texts.

A text is known by 64 bits that follow from it: among ten million texts, two have the same ones in one of
400,000 graphs. So an index of exact words or names needs no dictionary: a lookup is a binary search.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import accumulate, pairwise
from typing import Any, Self, TypeAlias, overload
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation.model import IntArray
from sage_ld.graph.indexes.files import Arrays as Arrays
from sage_ld.graph.indexes.files import ascending, within


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


CommonPlaces: TypeAlias = tuple[IntArray, IntArray]
"""The places of the same IRIs in two tables."""


class IriTable:
    """Different IRIs in an order that never changes, and the place of each.

    >>> table = IriTable(["x:b", "x:a"])
    >>> table.place_of["x:a"], [places.tolist() for places in table.common(IriTable(["x:a", "x:c"]))]
    (1, [[1], [0]])
    """

    def __init__(self, iris: list[str]) -> None:
        self.iris = iris
        self.place_of = {iri: place for place, iri in enumerate(iris)}
        self._common: WeakKeyDictionary[IriTable, CommonPlaces] = WeakKeyDictionary()

    def common(self, other: IriTable) -> CommonPlaces:
        """The places of the IRIs that both tables have, here and there: computed once for two tables."""
        places = self._common.get(other)
        if places is None:
            places = self._common[other] = self._compared(other)
        return places

    def _compared(self, other: IriTable) -> CommonPlaces:
        if self.iris == other.iris:
            every = np.arange(len(self.iris))
            return every, every
        if len(self.iris) > len(other.iris):
            there, here = other._compared(self)
            return here, there
        of = other.place_of
        pairs = [(place, of[iri]) for iri, place in self.place_of.items() if iri in of]
        here, there = np.array(pairs, np.int64).reshape(-1, 2).T
        return here, there


def begins_of(sizes: Iterable[int]) -> list[int]:
    """The begin of each of several consecutive parts, and the end of the last.

    >>> begins_of([3, 0, 2])
    [0, 3, 3, 5]
    """
    return [0, *accumulate(sizes)]


class IriSequence(Sequence[str]):
    """Some IRIs of several tables, which lie one after another, by row.

    >>> IriSequence([IriTable(["x:a", "x:b"]), IriTable(["x:c"])], np.array([2, 0]))[0]
    'x:c'
    """

    def __init__(self, tables: Sequence[IriTable], places: IntArray) -> None:
        self._tables = tables
        self._begins = begins_of([len(table.iris) for table in tables])
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._at(place) for place in self._places[index].tolist()]
        return self._at(int(self._places[index]))

    def __iter__(self) -> Iterator[str]:
        return map(self._at, self._places.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def _at(self, place: int) -> str:
        number = bisect_right(self._begins, place) - 1
        return self._tables[number].iris[place - self._begins[number]]


class IriNumbers(Mapping[str, int]):
    """The number of each IRI of several tables, which lie one after another; -1 for one that is left out.

    An IRI that two tables have is looked up in the one where it has a number.

    >>> numbers = IriNumbers([IriTable(["x:a", "x:b"]), IriTable(["x:c"])], np.array([-1, 0, 1]))
    >>> numbers["x:c"], numbers.get("x:a"), dict(numbers)
    (1, None, {'x:b': 0, 'x:c': 1})
    """

    def __init__(self, tables: Sequence[IriTable], numbers: IntArray) -> None:
        self._tables = tables
        self._begins = begins_of([len(table.iris) for table in tables])
        self._numbers = numbers
        self._count = int(np.count_nonzero(numbers >= 0))

    def find(self, iri: str) -> int:
        """The number of an IRI; -1 for one that has none."""
        for begin, table in zip(self._begins, self._tables, strict=False):
            place = table.place_of.get(iri)
            if place is not None and (number := int(self._numbers[begin + place])) >= 0:
                return number
        return -1

    def __getitem__(self, iri: str) -> int:
        if (number := self.find(iri)) < 0:
            raise KeyError(iri)
        return number

    def __contains__(self, iri: object) -> bool:
        return isinstance(iri, str) and self.find(iri) >= 0

    def get(self, iri: str, default: int | None = None) -> int | None:  # type: ignore[override]
        """The number of an IRI, or the default."""
        number = self.find(iri)
        return default if number < 0 else number

    def __iter__(self) -> Iterator[str]:
        for begin, table in zip(self._begins, self._tables, strict=False):
            numbers = self._numbers[begin : begin + len(table.iris)].tolist()
            yield from (iri for iri, number in zip(table.iris, numbers, strict=True) if number >= 0)

    def __len__(self) -> int:
        return self._count
