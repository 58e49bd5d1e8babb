"""The table of a revision's chunks, documents and titles, in the row order of the vector index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sage_ld.bounded_cache import BoundedCache
from sage_ld.channels import Hubs
from sage_ld.graph import Snapshot
from sage_ld.indexes.layout import concatenated_ranges
from sage_ld.indexes.positions import AskedTerms, Hashes, TokenRanges, term_presence
from sage_ld.model import DoubleArray, IntArray, PathStep
from sage_ld.retrieval.relations import FollowedRelations

MOST_TIED: Final = 5_000
"""Seeds of which it keeps the hops over other channels: some 40 MB."""


HopsKey: TypeAlias = tuple[str, tuple[str, ...], Hubs, FollowedRelations]
"""A seed's IRI, and what is followed from it."""


@dataclass(slots=True)
class ChunkTable:
    """The chunks of a revision, their documents, and the documents' titles."""

    rows: dict[str, int]
    """IRI -> row."""
    documents: IntArray
    """(n,) a number for each chunk's document."""
    iris: list[str]
    """The documents' IRIs, by number."""
    numbers: dict[str, int]
    """Document's IRI -> its number."""
    terms: Hashes
    """What `titles` are runs of."""
    titles: TokenRanges
    """(documents,) the terms of each title, each once."""
    channel_steps: BoundedCache[HopsKey, Sequence[PathStep]] = field(
        default_factory=lambda: BoundedCache(MOST_TIED)
    )
    """The hops from each seed."""
    _order: IntArray = field(init=False)
    _bounds: IntArray = field(init=False)

    def __post_init__(self) -> None:
        self._order = np.argsort(self.documents, kind="stable")
        self._bounds = np.searchsorted(self.documents[self._order], np.arange(len(self.iris) + 1))

    @classmethod
    def of(cls, snapshot: Snapshot) -> ChunkTable:
        """The table of a revision: read once, and kept as long as the revision is open."""
        return snapshot.derived(_read)

    def chunks(self, document: int) -> IntArray:
        """The rows of a document's chunks, ascending; the document is given by its number."""
        return self._order[self._bounds[document] : self._bounds[document + 1]]

    def chunks_of(self, documents: IntArray) -> tuple[IntArray, IntArray]:
        """The rows of the chunks of each document (m,), given by number, one after another, and how many."""
        begin = self._bounds[documents]
        counts = self._bounds[documents + 1] - begin
        return self._order[concatenated_ranges(begin, counts)], counts

    def in_titles(self, rows: IntArray, asked: AskedTerms) -> NDArray[np.bool_]:
        """(e, m) which of the m words asked for is in the title of each row's document."""
        numbers, back = np.unique(self.documents[rows], return_inverse=True)
        spans = TokenRanges(self.titles.begin[numbers], self.titles.end[numbers])
        return asked.by_word(term_presence(self.terms, spans, asked.hashes))[back]

    def title_lengths(self, rows: IntArray) -> DoubleArray:
        """(e,) how many different terms the title of each row's document has; at least 1."""
        numbers = self.documents[rows]
        lengths = self.titles.end[numbers] - self.titles.begin[numbers]
        return np.asarray(np.maximum(lengths, 1), np.float64)


def _read(snapshot: Snapshot) -> ChunkTable:
    rows = {iri: row for row, iri in enumerate(snapshot.vectors.iris)}
    positions, order = snapshot.positions, snapshot.position_rows
    numbers: dict[str, int] = {}
    names = [positions.documents[row] for row in order.tolist()]
    documents = np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)
    _, first = np.unique(documents, return_index=True)
    here = order[first]
    titles = TokenRanges(positions.title_bounds[here], positions.title_bounds[here + 1])
    return ChunkTable(rows, documents, list(numbers), numbers, positions.titles, titles)
