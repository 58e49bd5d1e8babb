"""The link index: target, confidence and position of each chunk's links.

A question weighs the evidence of a hundred links. In the store each of them is three lookups in as many
places; here they lie next to each other. A target is kept as a number of 64 bits that follows from its IRI:
two targets of a chunk with a hundred links have the same one in a chunk of 10^15.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.indexes.hashed import text_number
from sage_ld.indexes.layout import Layout, RunIndex
from sage_ld.indexes.segments import Segment
from sage_ld.indexes.strings import Arrays
from sage_ld.model import DoubleArray, IntArray, LinkEvidence

_LAYOUT: Final = Layout(
    {"counts": np.int32},
    {
        "targets": ("counts", np.uint64),
        "confidences": ("counts", np.float64),
        "begins": ("counts", np.int32),
    },
)


class Links:
    """The links of all live rows, in row order; of a row, in order of target, confidence and offset."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        arrays = _LAYOUT.joined(segments)
        self._bounds = np.concatenate([[0], np.cumsum(arrays["counts"], dtype=np.int64)])
        self.targets: NDArray[np.uint64] = arrays["targets"]
        """(e,) the number of each link's target."""
        self.confidences: DoubleArray = arrays["confidences"]
        self.begins: NDArray[np.int32] = arrays["begins"]
        """(e,) the offset of each link in its chunk's document."""

    def runs(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """(m,) where the links of each row begin, and how many it has; row -1 has none."""
        begin = self._bounds[rows]
        return begin, np.where(rows >= 0, self._bounds[rows + 1] - begin, 0)


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
        """The links as they are now: the mapped files themselves after `merge`, else a copy."""
        return Links(self._directory.segments)
