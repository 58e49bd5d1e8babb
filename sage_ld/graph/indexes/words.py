"""The word index: which chunks hold the words of a name, and refer to a file of some name.

Linking asks it for the chunks that a new document may concern; what it lets through is then read from the
store and compared word for word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.annotators.hyperlinks import ReferenceIndex, reference_names
from sage_ld.build.annotators.targets import Target
from sage_ld.build.annotators.titles import aliases, forms
from sage_ld.build.annotators.words import STOP_WORDS
from sage_ld.graph.indexes.files import Arrays, Manifest
from sage_ld.graph.indexes.layout import SegmentIndex
from sage_ld.graph.indexes.positions import ChunkInDocument
from sage_ld.graph.indexes.segments import Segment, live_keys
from sage_ld.graph.indexes.strings import (
    HashedLists,
    array_names,
    contained,
    grouped,
    listed,
    lists_fit,
    text_number,
    text_numbers,
)


class WordIndex(SegmentIndex):
    """The terms of all chunks. One process writes; any number read its published copies.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     index = WordIndex.create(folder)
    ...     index.update({"x:1": ["quarry", "lodz"], "x:2": ["lodz"]}, [])
    ...     sorted(index.holding(["lodz", "quarry"])), sorted(index.holding_any(["lodz", "quarry"]))
    (['x:1'], ['x:1', 'x:2'])
    """

    kind = "words"

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the arrays of a segment."""
        return array_names("")

    @classmethod
    def fits(cls, segment: Segment, manifest: Manifest) -> bool:
        """Whether the lists belong together by their lengths."""
        return lists_fit(segment.arrays, len(segment.keys))

    @classmethod
    def join(cls, segments: Sequence[Segment]) -> tuple[list[str], Arrays]:
        """The live rows of all segments as those of one, in order of key."""
        return _join(segments)

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

    def holding_any(self, terms: Iterable[str]) -> set[str]:
        """The chunks (IRIs) that hold one of some terms."""
        found: set[str] = set()
        wanted = np.unique(text_numbers(terms))
        for segment in self._directory.segments:
            lists = HashedLists.of(segment.arrays)
            rows = np.unique(lists.rows[contained(wanted, lists.expanded())])
            found.update(segment.keys[row] for row in rows[segment.live[rows]].tolist())
        return found

    def update(self, add: Mapping[str, Iterable[str]], remove: Iterable[str]) -> None:
        """Take `remove` out, put `add` (IRI -> terms) in, replacing what those IRIs had: all or nothing.

        An IRI to remove that is not indexed is no error.
        """
        iris = sorted(add)
        arrays = listed([list(map(text_number, add[iri])) for iri in iris])
        self._replace(iris, arrays, remove)


def _common(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.intersect1d(one, other, assume_unique=True) if len(one) else one


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


_REFERENCE: Final = "href "  # no word has a space


def chunk_terms(placed: ChunkInDocument) -> set[str]:
    """The words of a chunk's text, and the names of what its links refer to."""
    source = Target(placed.chunk.document, placed.title, url=placed.url)
    referred = (name for link in placed.chunk.links for name in reference_names(link.target, source))
    return {*forms(placed.chunk.text), *(_REFERENCE + name for name in referred)}


def may_name(words: WordIndex, targets: Iterable[Target]) -> set[str]:
    """The chunks (IRIs) that hold all words of a name of some documents, in whatever order."""
    names = (aliases(each.title, each.text) for each in targets)
    return {chunk for each in names for name in each for chunk in words.holding(set(name))}


def may_link(words: WordIndex, targets: Sequence[Target]) -> set[str]:
    """The chunks (IRIs) that hold a telling word of a name of some documents, or may refer to one."""
    names = (name for each in targets for name in (forms(each.title), *aliases(each.title, each.text)))
    telling = {word for name in names for word in name} - STOP_WORDS
    referred = (_REFERENCE + name for name in ReferenceIndex(targets).names)
    return words.holding_any(chain(telling, referred))


def may_refer(words: WordIndex, targets: Sequence[Target]) -> set[str]:
    """The chunks (IRIs) with a link whose last name is one of those of some documents."""
    names = ReferenceIndex(targets).names
    return {chunk for name in sorted(names) for chunk in words.holding((_REFERENCE + name,))}
