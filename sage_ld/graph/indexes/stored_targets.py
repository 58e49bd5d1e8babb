"""The targets of links, read where the document index has them: a lookup costs what it finds.

The numbers of targets are the stored rows of the index (`indexes/segments.py`); no lookup gives a removed
one. Statistics are those of the documents that are there now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.annotators.targets import (
    Alias,
    Match,
    TargetIndex,
    inverse_frequencies,
    inverse_frequency,
    lead_words,
    type_words,
)
from sage_ld.build.annotators.titles import AliasKind, forms
from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.graph.indexes.documents import (
    IDENTIFIER,
    LEAD,
    LISTS,
    NAME,
    PLACE,
    PREFIXES,
    TITLE,
    DocumentIndex,
    IndexedDocument,
    record,
)
from sage_ld.graph.indexes.segments import Segment
from sage_ld.graph.indexes.strings import HashedLists, chained_number, contained, text_number

T = TypeVar("T")


class _Computed(Sequence[T]):
    """Values by number, each computed when it is first asked for."""

    def __init__(self, size: int, value: Callable[[int], T]) -> None:
        self._size, self._value = size, value
        self._values: dict[int, T] = {}

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(self._size))]
        if not 0 <= index < self._size:
            raise IndexError(index)
        if index not in self._values:
            self._values[index] = self._value(index)
        return self._values[index]


class _LookedUp(Mapping[str, T], Generic[T]):
    """Values by text, each looked up when it is first asked for; a text without one is not there."""

    def __init__(self, value: Callable[[str], T | None]) -> None:
        self._value = value
        self._values: dict[str, T | None] = {}

    def __getitem__(self, key: str) -> T:
        if key not in self._values:
            self._values[key] = self._value(key)
        value = self._values[key]
        if value is None:
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[str]:
        raise TypeError("it is for lookups, and does not list what it holds")

    def __len__(self) -> int:
        raise TypeError("it is for lookups, and does not count what it holds")


@dataclass(frozen=True, slots=True)
class _DocumentsPart:
    """One segment, and the stored row with which it begins."""

    begin: int
    segment: Segment
    lists: Mapping[str, HashedLists]

    def live(self, name: str, number: int) -> tuple[IntArray, slice]:
        """The live stored rows with a number, and where they and the removed ones are in the list."""
        here = self.lists[name].find(number)
        rows = self.lists[name].rows[here]
        return rows[self.segment.live[rows]].astype(np.int64) + self.begin, here


class StoredTargets:
    """The documents of an index as targets of links, for as long as the index is not changed.

    >>> from tempfile import TemporaryDirectory
    >>> from sage_ld.build.annotators.targets import Target
    >>> with TemporaryDirectory() as folder:
    ...     documents = DocumentIndex.create(folder)
    ...     documents.update({"x:b": IndexedDocument(Target("b.md", "Bath Rugby"))}, [])
    ...     index = StoredTargets(documents).index
    ...     [(match.begin, match.end) for match in index.matches(["bath", "rugby"])], index.places["b.md"]
    ([(0, 2)], 0)
    """

    def __init__(self, documents: DocumentIndex) -> None:
        self._directory = documents.directory
        segments = self._directory.segments
        begins = np.cumsum([0, *(len(each.keys) for each in segments)]).tolist()
        self._parts = [
            _DocumentsPart(begin, each, {name: HashedLists.of(each.arrays, name) for name in LISTS})
            for begin, each in zip(begins, segments, strict=False)
        ]
        self._size = begins[-1]
        self._live = sum(each.segment.size for each in self._parts)
        self.documents: Sequence[IndexedDocument] = _Computed(self._size, self._record)
        """By number; that of a removed one is of no use."""

    @cached_property
    def index(self) -> TargetIndex:
        """All that linking looks up."""
        return TargetIndex(
            targets=_Computed(self._size, lambda at: self.documents[at].target),
            titles=_Computed(self._size, lambda at: tuple(forms(self.documents[at].target.title))),
            leads=_Computed(self._size, lambda at: lead_words(self.documents[at].target.text)),
            types=_Computed(self._size, lambda at: type_words(self.documents[at].target.text)),
            title_idf=_LookedUp(lambda word: self._idf(TITLE, word)),
            lead_idf=_LookedUp(lambda word: self._idf(LEAD, word)),
            mass=_StoredMasses(self._parts, self._live),
            postings=_LookedUp(lambda word: self._rows(TITLE, text_number(word))),
            names=_StoredNames(self._parts),
            places=_LookedUp(lambda place: self._at(place, 1)),
            numbers=_LookedUp(lambda place: self._at(place, IDENTIFIER)),
        )

    def iri(self, number: int) -> str:
        """The IRI of a document."""
        return self._directory.key_at(number)

    def numbers(self, iris: Iterable[str]) -> IntArray:
        """The numbers of those of some documents (IRIs) that are there, ascending."""
        return self._directory.stored_rows(iris)

    def _record(self, number: int) -> IndexedDocument:
        return record(*self._directory.segment_at(number))

    def _rows(self, name: str, number: int) -> IntArray | None:
        rows = [part.live(name, number)[0] for part in self._parts]
        joined = np.concatenate([np.zeros(0, np.int64), *rows])
        return joined if len(joined) else None

    def _idf(self, name: str, word: str) -> float | None:
        rows = self._rows(name, text_number(word))
        return None if rows is None else inverse_frequency(len(rows), self._live)

    def _at(self, place: str, worst: int) -> int | None:
        """The document to which a reference leads: first that whose identifier it is."""
        places = []
        for part in self._parts:
            rows, here = part.live(PLACE, text_number(place))
            every = part.lists[PLACE].rows[here]
            grades = part.segment.arrays[f"{PLACE}grades"][here][part.segment.live[every]]
            places += [pair for pair in zip(grades.tolist(), rows.tolist(), strict=True) if pair[0] <= worst]
        best = min(
            places, key=lambda pair: (pair[0], self.documents[pair[1]].target.identifier), default=None
        )
        return None if best is None else best[1]


class _StoredNames:
    """The names of all documents, found word after word."""

    def __init__(self, parts: Sequence[_DocumentsPart]) -> None:
        self._parts = parts

    def find(self, words: Sequence[str]) -> list[Match]:
        """All names in a sequence of words, those inside others too, in the order of their ends."""
        matches: list[Match] = []
        begins, numbers = list(range(len(words))), [chained_number(0, word) for word in words]
        length = 1
        while begins:
            known = np.array(numbers, np.uint64)
            for at in _any(part.lists[NAME].contain(known) for part in self._parts):
                if aliases := self._aliases(numbers[at]):
                    matches.append(Match(begins[at], begins[at] + length, aliases))
            goes_on = _any(contained(part.segment.arrays[PREFIXES], known) for part in self._parts)
            going = [at for at in goes_on if begins[at] + length < len(words)]
            numbers = [chained_number(numbers[at], words[begins[at] + length]) for at in going]
            begins = [begins[at] for at in going]
            length += 1
        return sorted(matches, key=lambda match: (match.end, match.begin))

    def _aliases(self, number: int) -> tuple[Alias, ...]:
        aliases: list[Alias] = []
        for part in self._parts:
            rows, here = part.live(NAME, number)
            every = part.lists[NAME].rows[here]
            kinds = part.segment.arrays[f"{NAME}grades"][here][part.segment.live[every]]
            aliases += (
                Alias(row, AliasKind(kind)) for row, kind in zip(rows.tolist(), kinds.tolist(), strict=True)
            )
        return tuple(aliases)


def _any(tests: Iterable[NDArray[np.bool_]]) -> list[int]:
    """The mask where one of some tests, all of the same values, holds."""
    each = list(tests)
    return np.flatnonzero(np.logical_or.reduce(each)).tolist() if each else []


@dataclass(slots=True)
class _StoredMasses:
    """The summed IDF of each title's words: added up over all titles when first asked for."""

    parts: Sequence[_DocumentsPart]
    live: int
    _masses: DoubleArray | None = field(default=None, init=False)

    def __getitem__(self, targets: int | IntArray, /) -> Any:
        if self._masses is None:
            self._masses = np.concatenate([np.zeros(0), *map(self._of, self.parts)])
        return self._masses[targets]

    def _of(self, part: _DocumentsPart) -> DoubleArray:
        own = part.lists[TITLE]
        counts = np.zeros(len(own.numbers))
        for other in self.parts:
            lists = other.lists[TITLE]
            if len(lists.numbers):
                at = np.minimum(np.searchsorted(lists.numbers, own.numbers), len(lists.numbers) - 1)
                counts += np.where(
                    lists.numbers[at] == own.numbers, lists.live_counts(other.segment.live)[at], 0
                )
        weights = np.repeat(inverse_frequencies(counts, self.live), np.diff(own.starts))
        return np.asarray(
            np.bincount(own.rows, weights=weights, minlength=len(part.segment.keys)), np.float64
        )
