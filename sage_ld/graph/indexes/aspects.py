"""The aspect index: what similarity edges compare of each chunk beside its content, as vectors.

Each chunk has a kind, a number that stands for its document, and up to one vector of each aspect; chunks of a
segment with equal text share one. The rows are those of the vector index, in the same order, as long as both
take the same chunks in the same updates. `is_beside` tells whether they are; the writer asks it before new
chunks get similarity edges (`Writer.align_indexes`), and merges both indexes whole where they are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.edges import kind_codes
from sage_ld.foundation.edge_kinds import AspectName
from sage_ld.foundation.model import ChunkKind, FloatArray, IntArray
from sage_ld.graph.indexes.files import Arrays, Manifest, taken_rows
from sage_ld.graph.indexes.layout import SegmentIndex
from sage_ld.graph.indexes.segments import Segment, live_keys
from sage_ld.graph.indexes.strings import Numbers, text_number, text_numbers

ENCODED: Final = tuple(name for name in AspectName if name is not AspectName.CONTENT)
"""The aspects that it holds; the content is in the vector index."""
_OF_ROWS: Final = ("kinds", "documents", *(f"{name}_rows" for name in ENCODED))
_OF_TEXTS: Final = tuple(f"{name}_{what}" for name in ENCODED for what in ("texts", "vectors"))


@dataclass(frozen=True, slots=True)
class ChunkAspects:
    """The aspects by which one chunk is compared."""

    kind: ChunkKind
    document: str
    """The document's IRI."""
    texts: Mapping[AspectName, str]
    """The texts of `ENCODED`; an empty one is similar to none."""


class AspectIndex(SegmentIndex):
    """The aspects of all chunks. One process writes; any number read its published copies."""

    kind = "aspects"

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the arrays of a segment."""
        return (*_OF_ROWS, *_OF_TEXTS)

    @classmethod
    def fits(cls, segment: Segment, manifest: Manifest) -> bool:
        """Whether there is one value a row, and one vector of the dimension a text."""
        return _fits(segment, manifest)

    @classmethod
    def join(cls, segments: Sequence[Segment]) -> tuple[list[str], Arrays]:
        """The live rows of all segments as those of one, in order of key."""
        return _join(segments)

    def iri(self, stored_row: int) -> str:
        """The IRI of a stored row (`indexes/segments.py`). Raises IndexError."""
        return self._directory.key_at(stored_row)

    def positions(self, iris: Iterable[str]) -> IntArray:
        """The stored rows of those of some chunks that are there, ascending."""
        return self._directory.stored_rows(iris)

    def is_beside(self, others: Sequence[Segment]) -> bool:
        """Whether the segments of another index have the same rows in the same order."""
        return len(self.segments) == len(others) and all(
            np.array_equal(ours.keys.blob, theirs.keys.blob) and np.array_equal(ours.live, theirs.live)
            for ours, theirs in zip(self.segments, others, strict=True)
        )

    def update(
        self,
        add: Mapping[str, ChunkAspects],
        vectors: Mapping[str, FloatArray],
        remove: Iterable[str],
    ) -> None:
        """Take `remove` out, put `add` (by IRI) in, replacing what those IRIs had: all or nothing.

        `vectors` are those of the texts. An IRI to remove that is not indexed is no error.
        """
        iris = sorted(add)
        arrays = _built([add[iri] for iri in iris], vectors, self.dimension)
        self._replace(iris, arrays, remove)


def _built(chunks: Sequence[ChunkAspects], vectors: Mapping[str, FloatArray], dimension: int) -> Arrays:
    arrays: Arrays = {
        "kinds": kind_codes(each.kind for each in chunks),
        "documents": text_numbers(each.document for each in chunks),
    }
    for name in ENCODED:
        texts = [each.texts.get(name, "") for each in chunks]
        by_number = sorted((text_number(text), text) for text in set(texts) if text)
        row_of = {text: row for row, (_, text) in enumerate(by_number)}
        own = [vectors[text] for _, text in by_number]
        arrays[f"{name}_rows"] = np.array([row_of.get(text, -1) for text in texts], np.int32)
        arrays[f"{name}_texts"] = np.array([number for number, _ in by_number], np.uint64)
        arrays[f"{name}_vectors"] = (
            np.stack(own).astype(np.float32) if own else np.zeros((0, dimension), np.float32)
        )
    return arrays


def _join(segments: Sequence[Segment]) -> tuple[list[str], Arrays]:
    keys = live_keys(segments)
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    arrays = {
        name: np.concatenate([each.arrays[name][each.live] for each in segments])[order]
        for name in _OF_ROWS[:2]
    }
    for name in ENCODED:
        arrays.update(_joined(segments, name, order))
    return [keys[row] for row in order.tolist()], arrays


def _joined(segments: Sequence[Segment], name: AspectName, order: NDArray[np.int64]) -> Arrays:
    """One aspect of the live rows of all segments, each text once, in the order of the texts' numbers."""
    texts: list[Numbers] = []
    for segment in segments:
        rows = segment.arrays[f"{name}_rows"][segment.live]
        known = np.append(segment.arrays[f"{name}_texts"], np.uint64(0))
        texts.append(known[rows])
    has = np.concatenate([each.arrays[f"{name}_rows"][each.live] >= 0 for each in segments])[order]
    wanted = np.concatenate(texts)[order]
    distinct = np.unique(wanted[has])
    stored, begin = np.zeros(len(distinct), np.int64), 0
    for segment in segments:
        own = segment.arrays[f"{name}_texts"]
        at = np.searchsorted(distinct, own)
        used = at < len(distinct)
        used[used] = distinct[at[used]] == own[used]
        stored[at[used]] = begin + np.flatnonzero(used)
        begin += len(own)
    vectors = taken_rows([segment.arrays[f"{name}_vectors"] for segment in segments], stored)
    rows = np.where(has, np.searchsorted(distinct, wanted), -1).astype(np.int32)
    return {f"{name}_rows": rows, f"{name}_texts": distinct, f"{name}_vectors": vectors}


def _fits(segment: Segment, manifest: Manifest) -> bool:
    """Whether there is one value a row, and one vector of the index's dimension a text."""
    arrays, count = segment.arrays, len(segment.keys)
    return all(arrays[name].shape == (count,) for name in _OF_ROWS) and all(
        arrays[f"{name}_vectors"].shape == (len(arrays[f"{name}_texts"]), manifest.dimension)
        and (not count or int(arrays[f"{name}_rows"].max()) < len(arrays[f"{name}_texts"]))
        for name in ENCODED
    )
