"""The link index: target, confidence and position of each chunk's links.

A question weighs the evidence of a hundred links. In the store each of them is three lookups in as many
places; here they lie next to each other. A target is kept as a number of 64 bits that follows from its IRI:
two targets of a chunk with a hundred links have the same one in a chunk of 10^15.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from sage_ld.foundation.model import IntArray, LinkEvidence
from sage_ld.graph.indexes.layout import ArrayChain, Layout, RunIndex
from sage_ld.graph.indexes.segments import Segment
from sage_ld.graph.indexes.strings import Arrays, Numbers, text_number

_LAYOUT: Final = Layout(
    {"counts": np.int32},
    {
        "targets": ("counts", np.uint64),
        "confidences": ("counts", np.float64),
        "begins": ("counts", np.int32),
    },
)


@dataclass(frozen=True, slots=True)
class SegmentPairs:
    """The p pairs of a row and a target of one segment, in the order of its links."""

    rows: IntArray
    """(p,) the stored row of each."""
    targets: Numbers
    first: IntArray
    """(p,) where the links of each begin in the segment's arrays."""
    counts: IntArray
    """(p,) how many links each has."""
    bounds: IntArray
    """(n + 1,) where the pairs of each stored row begin."""
    by_target: IntArray
    """(p,) the pairs in the order of their targets."""
    sorted_targets: Numbers
    """(p,) the targets in that order."""

    @classmethod
    def of(cls, arrays: Arrays) -> SegmentPairs:
        """The pairs of a segment, from its arrays."""
        counts, targets = arrays["counts"], arrays["targets"]
        row = np.repeat(np.arange(len(counts)), counts)
        is_first = np.ones(len(targets), np.bool_)
        is_first[1:] = (np.diff(row) != 0) | (targets[1:] != targets[:-1])  # of one pair they are neighbours
        first = np.flatnonzero(is_first)
        lengths = np.diff(np.append(first, len(targets)))
        rows, own = row[first], targets[first]
        by_target = np.argsort(own, kind="stable")
        bounds = np.searchsorted(rows, np.arange(len(counts) + 1))
        return cls(rows, own, first, lengths, bounds, by_target, own[by_target])

    def to_targets(self, targets: Numbers) -> tuple[IntArray, IntArray]:
        """(m,) where the pairs of each target begin in `by_target`, and how many it has."""
        begin = np.searchsorted(self.sorted_targets, targets)
        return begin, np.searchsorted(self.sorted_targets, targets, side="right") - begin


class Links:
    """The links of all stored rows. Nothing is copied."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = segments
        self.pairs = [each.computed(SegmentPairs.of) for each in segments]
        """The pairs of each segment."""
        self.confidences = ArrayChain([each.arrays["confidences"] for each in segments])
        self.begins = ArrayChain([each.arrays["begins"] for each in segments])
        """The offset of each link in its chunk's document."""


class LinkIndex(RunIndex[Iterable[LinkEvidence]]):
    """The links of all chunks that have some."""

    kind = "links"
    layout = _LAYOUT

    @staticmethod
    def build(values: Sequence[Iterable[LinkEvidence]]) -> Arrays:
        """The arrays of a segment with a row for each chunk's links."""
        rows = [
            sorted({(text_number(link.target), link.confidence, link.begin) for link in links})
            for links in values
        ]
        flat = [link for row in rows for link in row]
        return {
            "counts": np.array([len(row) for row in rows], np.int32),
            "targets": np.array([target for target, _, _ in flat], np.uint64),
            "confidences": np.array([confidence for _, confidence, _ in flat], np.float64),
            "begins": np.array([begin for _, _, begin in flat], np.int32),
        }

    def links(self) -> Links:
        """The links as they are now."""
        return Links(self._directory.segments)
