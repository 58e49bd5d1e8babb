"""What is said of the links of each chunk: where each leads, its confidence, and where it stands.

A question weighs the evidence of a hundred links. In the store each of them is three lookups in as many
places; here they lie next to each other. A target is kept as a number of 64 bits that follows from its IRI:
two targets of a chunk with a hundred links have the same one in a chunk of 10^15.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sage_ld.indexes.layout import Layout
from sage_ld.indexes.selection import ranges
from sage_ld.indexes.shelf import Segment, Shelf
from sage_ld.indexes.strings import Arrays
from sage_ld.model import DoubleArray, IntArray, LinkEvidence

KIND: Final = "links"


class Between(NamedTuple):
    """The links of some pairs of a chunk and a target, pair after pair, as arrays."""

    counts: IntArray
    """(m,) how many each pair has."""
    confidence: DoubleArray
    """(e,)"""
    begin: IntArray
    """(e,) the offset in the chunk's document."""


@lru_cache(maxsize=1 << 16)
def target_number(iri: str) -> int:
    """The number by which a target is known."""
    return int.from_bytes(blake2b(iri.encode(), digest_size=8).digest(), "little")


class Links:
    """The links of all live rows, in row order; of a row, in order of target, confidence and offset."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        arrays = _LAYOUT.joined(segments)
        self._bounds = np.concatenate([[0], np.cumsum(arrays["counts"], dtype=np.int64)])
        self._targets: NDArray[np.uint64] = arrays["targets"]
        self._confidences: DoubleArray = arrays["confidences"]
        self._begins: NDArray[np.int32] = arrays["begins"]

    def between(self, rows: IntArray, targets: Sequence[str]) -> Between:
        """The links from each row (m,) to the target (an IRI) beside it; row -1 has none."""
        numbers = np.array([target_number(iri) for iri in targets], np.uint64)
        begin = self._bounds[rows]
        counts = np.where(rows >= 0, self._bounds[rows + 1] - begin, 0)
        at, pair = ranges(begin, counts), np.repeat(np.arange(len(rows)), counts)
        meant = self._targets[at] == numbers[pair]
        at = at[meant]
        return Between(
            np.bincount(pair[meant], minlength=len(rows)),
            self._confidences[at],
            self._begins[at].astype(np.int64),
        )


class LinkIndex:
    """The links of all chunks that have some, in a directory. One process writes; any number read copies."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    @classmethod
    def create(cls, path: str | Path) -> LinkIndex:
        """An empty index in `path`; what an earlier index left there is dropped."""
        return cls(Shelf.create(Path(path), KIND))

    @classmethod
    def open(cls, path: str | Path, *, read_only: bool = True) -> LinkIndex:
        """The index in `path`.

        Raises NotFoundError where there is none, ConflictError for a newer format, InputError where it
        is damaged; in each case it can be created anew from the store.
        """
        return cls(Shelf.open(Path(path), KIND, _LAYOUT.names, read_only))

    @property
    def iris(self) -> list[str]:
        """The IRI of every row, in row order."""
        return self._shelf.keys

    def rows(self, iris: Iterable[str]) -> IntArray:
        """The row of each IRI; -1 for one that has no links."""
        return self._shelf.rows(iris)

    def links(self) -> Links:
        """The links as they are now: the mapped files themselves after `merge`, else a copy."""
        return Links(self._shelf.segments)

    def update(self, add: Mapping[str, Iterable[LinkEvidence]], remove: Iterable[str], stamp: str) -> None:
        """Take `remove` out, put `add` (IRI -> its links) in, replacing what those IRIs had: all or nothing.

        An IRI to remove that is not indexed is no error.
        """
        iris = sorted(add)
        self._shelf = self._shelf.update(
            iris, _build([add[iri] for iri in iris]), remove, stamp, _LAYOUT.join
        )

    def merge(self) -> None:
        """Bring all rows into one segment in order of IRI: the form of a fresh build."""
        self._shelf = self._shelf.merge(_LAYOUT.join)


def _build(links: Sequence[Iterable[LinkEvidence]]) -> Arrays:
    sorted_ = [
        sorted({(target_number(link.target), link.confidence, link.begin) for link in each}) for each in links
    ]
    flat = [link for each in sorted_ for link in each]
    return {
        "counts": np.array([len(each) for each in sorted_], np.int32),
        "targets": np.array([target for target, _, _ in flat], np.uint64),
        "confidences": np.array([confidence for _, confidence, _ in flat], np.float64),
        "begins": np.array([begin for _, _, begin in flat], np.int32),
    }


_LAYOUT: Final = Layout(
    ("counts",), dict.fromkeys(("targets", "confidences", "begins"), "counts"), _build(())
)
