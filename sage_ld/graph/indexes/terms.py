"""The term index: the vocabulary that concepts are made of, and by what its terms find each other.

A change asks it for the terms that have an entity's name, for those that a rule may join to a term, and for
those of one concept of a thesaurus. The caller gives these as numbers
(`sage_ld.graph.derivations.concept_indexes`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from sage_ld.foundation.model import IntArray
from sage_ld.graph.indexes.files import Arrays
from sage_ld.graph.indexes.layout import ListedLayout, RunIndex, concatenated_ranges
from sage_ld.graph.indexes.segments import Segment
from sage_ld.graph.indexes.strings import HashedLists, Numbers, contained

LOOKUPS: Final = "lookups"
RECORDS: Final = "records"
_LAYOUT: Final = ListedLayout(
    {"counts": np.int32, "lengths": np.int32},
    {LOOKUPS: ("counts", np.uint64), RECORDS: ("lengths", np.uint8)},
    LOOKUPS,
)


class IndexedTerm(NamedTuple):
    """A term of the vocabulary, whose key is its text in lower case."""

    text: str
    """As a thesaurus writes it, or else the entity with this name."""
    entities: tuple[str, ...]
    """IRIs of the entities with this name, sorted."""
    stated: str = ""
    """IRI of the user's concept that it is a label of; '' for none."""


class TermRow(NamedTuple):
    """A row of the index."""

    term: IndexedTerm
    lookups: Sequence[int]
    """Numbers by which it is found."""


class TermIndex(RunIndex[TermRow]):
    """The terms of a vocabulary by their text in lower case.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     index = TermIndex.create(folder)
    ...     index.update({"who": TermRow(IndexedTerm("WHO", ("x:who",)), [7, 9])}, [])
    ...     index.found(np.array([9], np.uint64))["who"].text, index.among(["who", "opera"]).keys()
    ('WHO', dict_keys(['who']))
    """

    kind = "terms"
    layout = _LAYOUT

    @staticmethod
    def build(values: Sequence[TermRow]) -> Arrays:
        """The arrays of a segment with a row for each term."""
        lookups = [sorted(set(each.lookups)) for each in values]
        records = [json.dumps(each.term, ensure_ascii=False).encode() for each in values]
        return _LAYOUT.with_lists(
            {
                "counts": np.array([len(each) for each in lookups], np.int32),
                "lengths": np.array([len(each) for each in records], np.int32),
                LOOKUPS: np.array([number for each in lookups for number in each], np.uint64),
                RECORDS: np.frombuffer(b"".join(records), np.uint8),
            }
        )

    def among(self, keys: Iterable[str]) -> dict[str, IndexedTerm]:
        """The terms among some that are in the index."""
        wanted, terms = sorted(set(keys)), dict[str, IndexedTerm]()
        for segment in self._directory.segments:
            rows = [row for key in wanted if (row := segment.keys.find(key)) is not None]
            terms |= _terms(segment, np.array(rows, np.int64))
        return terms

    def found(self, lookups: Numbers) -> dict[str, IndexedTerm]:
        """The terms that have one of some numbers."""
        wanted, terms = np.unique(lookups), dict[str, IndexedTerm]()
        for segment in self._directory.segments:
            lists = HashedLists.of(segment.arrays)
            at = np.searchsorted(lists.numbers, wanted[contained(lists.numbers, wanted)])
            begin = lists.starts[at]
            rows = lists.rows[concatenated_ranges(begin, lists.starts[at + 1] - begin)]
            terms |= _terms(segment, np.unique(rows))
        return terms


def records(segment: Segment) -> list[IndexedTerm]:
    """The terms of all rows of a segment, removed ones too. Raises ValueError, TypeError."""
    return list(_terms(segment, np.arange(len(segment.keys)), live=False).values())


def _terms(segment: Segment, rows: IntArray, *, live: bool = True) -> dict[str, IndexedTerm]:
    """The terms of some rows, by their keys."""
    ends = segment.computed(_ends)
    content = segment.arrays[RECORDS]
    result = {}
    for row in rows[segment.live[rows]].tolist() if live else rows.tolist():
        begin = int(ends[row - 1]) if row else 0
        text, entities, stated = json.loads(content[begin : int(ends[row])].tobytes())
        result[segment.keys[row]] = IndexedTerm(text, tuple(entities), stated)
    return result


def _ends(arrays: Arrays) -> IntArray:
    return np.cumsum(arrays["lengths"], dtype=np.int64)
