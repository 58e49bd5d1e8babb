"""One direction of a search for pairs: chunks of one side, and all of the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.edges.signals import Aspect, EdgeInput
from sage_ld.foundation.edge_kinds import ENTITY, EdgeKindRow, EdgeRule
from sage_ld.foundation.model import FloatArray, IntArray
from sage_ld.foundation.recipes import Edges


@dataclass(frozen=True, slots=True)
class ScannedPairs:
    """The pairs that one block of rows gave."""

    left: IntArray
    right: IntArray
    signals: FloatArray
    """(k, s)"""
    nearest: NDArray[np.bool_]
    sample: FloatArray
    """Weighted sums of signals over pairs of the kind, if they were asked for."""

    def without_pairs(self) -> ScannedPairs:
        """Only the sample."""
        none = slice(0, 0)
        return ScannedPairs(
            self.left[none], self.right[none], self.signals[none], self.nearest[none], self.sample
        )


@dataclass(frozen=True, slots=True)
class Scan:
    """One direction: every chunk of one side against all of the other."""

    chunks: EdgeInput
    row: EdgeKindRow
    rule: EdgeRule
    edges: Edges
    far: IntArray
    swapped: bool

    def compared(self) -> list[str]:
        """The rule's signals that compare vectors which the caller gave."""
        return [
            signal
            for signal in self.rule.signals
            if signal in self.row.compared
            and all(name in self.chunks.aspects for name in self.row.compared[signal])
        ]

    def near_vectors(self, signal: str, near: IntArray) -> FloatArray:
        """(a, d) what the signal compares of `near`."""
        return self.chunks.aspects[self.row.compared[signal][1 if self.swapped else 0]].of(near)

    def far_aspect(self, signal: str) -> Aspect:
        """The aspect of the other side that the signal compares."""
        return self.chunks.aspects[self.row.compared[signal][0 if self.swapped else 1]]

    def far_vectors(self) -> dict[str, FloatArray]:
        """The vectors of the other side that each signal compares, (b, d)."""
        return {signal: self.far_aspect(signal).of(self.far) for signal in self.compared()}

    def values(self, signal: str, near: IntArray, far_vectors: Mapping[str, FloatArray]) -> FloatArray:
        """(a, b) one signal of each of `near` against each of `far`, in 0..1.

        Without `far_vectors`, those of the other side are compared where they lie.
        """
        if signal == ENTITY:
            return self.chunks.shared.block(near, self.far)
        if signal not in self.compared():
            return np.zeros((len(near), len(self.far)), np.float32)
        vectors, similarity = self.near_vectors(signal, near), self.chunks.similarity
        if signal in far_vectors:
            values = similarity(vectors, far_vectors[signal])
        else:
            values = self.far_aspect(signal).similar_to(vectors, self.far, similarity)
        return np.clip(values, 0.0, 1.0, out=values)

    def excluded(self, near: IntArray) -> NDArray[np.bool_]:
        """(a, b) the excluded pairs: a chunk with itself, and two of one document where so asked."""
        own = self.owners()
        same: NDArray[np.bool_] = np.equal(own[near][:, None], own[self.far][None, :])
        return same

    def without_largest_document(self, near: IntArray) -> Iterator[tuple[Scan, IntArray]]:
        """The scan with `near`; or two, where one document has half of the other side or more.

        Its own chunks are then compared with those of others alone: comparing a book of a million words with
        itself, for excluded pairs, would take most of the time. Neither side of a scan is empty.
        """
        own = self.owners()
        documents, counts = np.unique(own[self.far], return_counts=True)
        largest = documents[counts.argmax()]
        is_other = own[self.far] != largest
        if 2 * np.count_nonzero(is_other) > len(self.far):
            yield self, near
            return
        is_own = own[near] == largest
        for scan, rows in ((self, near[~is_own]), (replace(self, far=self.far[is_other]), near[is_own])):
            if len(rows) and len(scan.far):
                yield scan, rows

    def owners(self) -> NDArray[np.integer]:
        """(n,) what two chunks may not have in common: the document, or where that may be, the position."""
        documents = self.chunks.documents
        return np.arange(len(documents)) if self.edges.within_documents else documents
