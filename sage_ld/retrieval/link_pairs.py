"""Which chunk links to which document, in both directions: arrays made of the link index once a revision."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sage_ld.graph import Snapshot
from sage_ld.indexes.hashed import text_number
from sage_ld.indexes.layout import concatenated_ranges
from sage_ld.model import IntArray
from sage_ld.retrieval.chunk_table import ChunkTable


@dataclass(slots=True)
class LinkPairs:
    """The pairs of a chunk and a document that it links to, as parallel arrays of length p.

    They are sorted by chunk and document, and each has at least one link.
    """

    rows: IntArray
    """The chunk's row in the vector index."""
    documents: IntArray
    """The document's number in the table of chunks."""
    first: IntArray
    """Where the pair's links begin in the arrays of `Links`."""
    counts: IntArray
    """How many links the pair has."""
    _by_document: IntArray = field(init=False)
    """The numbers of the pairs in the order of their documents, `_ordered`."""
    _ordered: IntArray = field(init=False)

    def __post_init__(self) -> None:
        self._by_document = np.argsort(self.documents, kind="stable")
        self._ordered = self.documents[self._by_document]

    @classmethod
    def of(cls, snapshot: Snapshot) -> LinkPairs:
        """The pairs of a revision: computed once, and kept as long as the revision is open."""
        return snapshot.derived(_read)

    def of_chunks(self, rows: IntArray) -> IntArray:
        """The numbers of the pairs whose chunk is one of `rows`."""
        begin = np.searchsorted(self.rows, rows)
        return concatenated_ranges(begin, np.searchsorted(self.rows, rows, side="right") - begin)

    def to_documents(self, documents: IntArray, most: int) -> tuple[IntArray, IntArray]:
        """The numbers of the pairs whose document is one of `documents`, and each one's place in these.

        A document to which more than `most` chunks link is left out.
        """
        begin = np.searchsorted(self._ordered, documents)
        counts = np.searchsorted(self._ordered, documents, side="right") - begin
        counts[counts > most] = 0
        places = np.repeat(np.arange(len(documents)), counts)
        return self._by_document[concatenated_ranges(begin, counts)], places


def _read(snapshot: Snapshot) -> LinkPairs:
    chunk_table, links = ChunkTable.of(snapshot), snapshot.links
    known = np.array([text_number(iri) for iri in chunk_table.iris], np.uint64)
    order = np.argsort(known)
    begin, counts = links.runs(snapshot.link_rows)
    at, row = concatenated_ranges(begin, counts), np.repeat(np.arange(len(counts)), counts)
    targets = links.targets[at]
    place = np.minimum(np.searchsorted(known[order], targets), len(known) - 1)
    document = order[place]
    is_first = np.ones(len(at), np.bool_)
    is_first[1:] = (np.diff(row) != 0) | (targets[1:] != targets[:-1])  # of one pair they are neighbours
    start = np.flatnonzero(is_first)
    lengths = np.diff(np.append(start, len(at)))
    is_document = known[document[start]] == targets[start]
    start, lengths = start[is_document], lengths[is_document]
    chosen = np.lexsort((document[start], row[start]))
    start = start[chosen]
    return LinkPairs(row[start], document[start], at[start], lengths[chosen])
