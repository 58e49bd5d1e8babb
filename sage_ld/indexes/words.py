"""The word index: which chunks hold the words of a name, and refer to a file of some name.

Linking asks it for the chunks that a new document may concern; what it lets through is then read from the
store and compared word for word. The caller says what the terms of a chunk are (`sage_ld.graph.chunk_terms`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.indexes.files import Arrays, Manifest
from sage_ld.indexes.hashed import HashedLists, array_names, grouped, listed, lists_fit, text_number
from sage_ld.indexes.iri_tables import IriSequence
from sage_ld.indexes.segments import Segment, SegmentDirectory, live_keys

KIND: Final = "words"


class WordIndex:
    """The terms of all chunks. One process writes; any number read its published copies.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     index = WordIndex.create(folder)
    ...     index.update({"x:1": ["quarry", "lodz"], "x:2": ["lodz"]}, [])
    ...     sorted(index.holding(["lodz", "quarry"])), sorted(index.holding(["lodz"]))
    (['x:1'], ['x:1', 'x:2'])
    """

    def __init__(self, directory: SegmentDirectory) -> None:
        self._directory = directory

    @classmethod
    def create(cls, path: str | Path) -> WordIndex:
        """An empty index in `path`; what an earlier index left there is dropped."""
        return cls(SegmentDirectory.create(Path(path), KIND))

    @classmethod
    def open(cls, path: str | Path, *, read_only: bool = True) -> WordIndex:
        """The index in `path`.

        Raises NotFoundError if there is none, ConflictError for a newer format, InputError if it
        is damaged; in each case it can be created anew from the store.
        """
        return cls(SegmentDirectory.open(Path(path), KIND, array_names(""), read_only, _fits))

    @property
    def iris(self) -> IriSequence:
        """The IRI of every row, in row order."""
        return self._directory.keys

    @property
    def digest(self) -> str:
        """What follows from the set of its keys."""
        return self._directory.digest

    def holding(self, terms: Collection[str]) -> set[str]:
        """The chunks (IRIs) that hold all of some terms; none for no terms."""
        found: set[str] = set()
        numbers = sorted(map(text_number, terms))
        for segment in self._directory.segments if numbers else ():
            lists = HashedLists.of(segment.arrays)
            each = sorted((lists.rows[lists.find(number)] for number in numbers), key=len)
            rows = reduce(_common, each)
            found.update(segment.keys[row] for row in rows[segment.live[rows]].tolist())
        return found

    def update(self, add: Mapping[str, Iterable[str]], remove: Iterable[str]) -> None:
        """Take `remove` out, put `add` (IRI -> terms) in, replacing what those IRIs had: all or nothing.

        An IRI to remove that is not indexed is no error.
        """
        iris = sorted(add)
        arrays = listed([list(map(text_number, add[iri])) for iri in iris])
        self._directory = self._directory.update(iris, arrays, remove, _join)

    def merge(self) -> None:
        """Bring all rows into one segment in order of IRI: the form of a fresh build."""
        self._directory = self._directory.merge(_join)


def _common(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.intersect1d(one, other, assume_unique=True) if len(one) else one


def _fits(segment: Segment, _manifest: Manifest) -> bool:
    return lists_fit(segment.arrays, len(segment.keys))


def _join(segments: Sequence[Segment]) -> tuple[list[str], Arrays]:
    keys = sorted(live_keys(segments))
    row_of = {key: row for row, key in enumerate(keys)}
    numbers, rows = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    for segment in segments:
        lists = HashedLists.of(segment.arrays)
        new = np.array(
            [row_of[key] if live else -1 for key, live in zip(segment.keys, segment.live, strict=True)]
        )
        moved = new[lists.rows]
        numbers.append(lists.expanded()[moved >= 0])
        rows.append(moved[moved >= 0])
    return keys, grouped(np.concatenate(numbers), np.concatenate(rows))
