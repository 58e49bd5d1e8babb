"""IRIs by place and places by IRI, over tables that several revisions share."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TypeAlias, overload
from weakref import WeakKeyDictionary

import numpy as np

from sage_ld.foundation.model import IntArray

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
