"""The table of a revision's chunks, documents and titles, in the row order of the vector index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import Literal

from sage_ld.foundation.caches import BoundedCache
from sage_ld.foundation.channels import Hubs
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import ChunkView, DoubleArray, IntArray, PathStep
from sage_ld.foundation.rdf_values import best_label, integer_of, iri_of, text_of
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.layout import concatenated_ranges
from sage_ld.graph.indexes.positions import AskedTerms, Positions, SegmentDocuments
from sage_ld.graph.indexes.segments import live_of
from sage_ld.graph.indexes.strings import IriNumbers, IriSequence, IriTable, Numbers, begins_of
from sage_ld.graph.store import queries
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.queries import first_rows, select
from sage_ld.graph.store.reading import CHUNK_KINDS, abstracts
from sage_ld.retrieval.channels.relations import FollowedRelations

MOST_TIED: Final = 5_000
"""Seeds of which it keeps the hops over other channels: some 40 MB."""


HopsKey: TypeAlias = tuple[str, tuple[str, ...], Hubs, FollowedRelations]
"""A seed's IRI, and what is followed from it."""


@dataclass(slots=True)
class ChunkTable:
    """The chunks of a revision, their documents, and the documents' titles."""

    rows: IriNumbers
    """IRI -> row."""
    documents: IntArray
    """(n,) a number for each chunk's document, in the order of first rows."""
    iris: IriSequence
    """The documents' IRIs, by number."""
    numbers: IriNumbers
    """Document's IRI -> its number."""
    positions: Positions
    position_rows: IntArray
    """(documents,) a row of `positions` of each document."""
    segments: Sequence[SegmentDocuments]
    """The documents of each segment of `positions`."""
    segment_numbers: Sequence[IntArray]
    """The number of each document of these; -1 for one that has been removed."""
    channel_steps: BoundedCache[HopsKey, Sequence[PathStep]] = field(
        default_factory=lambda: BoundedCache(MOST_TIED)
    )
    """The hops from each seed."""
    _order: IntArray = field(init=False)
    _bounds: IntArray = field(init=False)

    def __post_init__(self) -> None:
        self._order = _stable_order(self.documents)
        counts = np.bincount(self.documents, minlength=len(self.iris))
        self._bounds = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])

    @classmethod
    def of(cls, snapshot: Snapshot) -> ChunkTable:
        """The table of a revision: made once, and kept as long as the revision is open."""
        return snapshot.derived(_read)

    def chunks(self, document: int) -> IntArray:
        """The rows of a document's chunks, ascending; the document is given by its number."""
        return self._order[self._bounds[document] : self._bounds[document + 1]]

    def chunks_of(self, documents: IntArray) -> tuple[IntArray, IntArray]:
        """The rows of the chunks of each document (m,), given by number, one after another, and how many."""
        begin = self._bounds[documents]
        counts = self._bounds[documents + 1] - begin
        return self._order[concatenated_ranges(begin, counts)], counts

    def numbered(self, hashes: Numbers) -> IntArray:
        """(m,) the number of the document whose IRI each `text_number` stands for; -1 where there is none."""
        found = np.full(len(hashes), -1, np.int64)
        for documents, numbers in zip(self.segments, self.segment_numbers, strict=True):
            places = documents.find(hashes)
            found = np.where(places >= 0, numbers[places], found)
        return found

    def in_titles(self, rows: IntArray, asked: AskedTerms) -> NDArray[np.bool_]:
        """(e, m) which of the m words asked for is in the title of each row's document."""
        numbers, back = np.unique(self.documents[rows], return_inverse=True)
        present = self.positions.title_presence(self.position_rows[numbers], asked.hashes)
        return asked.by_word(present)[back]

    def title_lengths(self, rows: IntArray) -> DoubleArray:
        """(e,) how many different terms the title of each row's document has; at least 1."""
        lengths = self.positions.title_lengths(self.position_rows[self.documents[rows]])
        return np.asarray(np.maximum(lengths, 1), np.float64)


def _read(snapshot: Snapshot) -> ChunkTable:
    """A few passes over arrays: the names are those that the segments have in common with other revisions."""
    positions, order = snapshot.positions, snapshot.position_rows
    segments = [each.computed(SegmentDocuments.of) for each in positions.segments]
    tables = [each.table for each in segments]
    begins = begins_of([len(each.iris) for each in tables])
    stored = [begin + each.places for begin, each in zip(begins, segments, strict=False)]
    same = _first_places(tables)
    places = same[np.concatenate([np.zeros(0, np.int64), *stored])][live_of(positions.segments)][order]
    first = _first_rows(places, begins[-1])
    numbers = np.full(begins[-1], -1, np.int64)
    numbers[places[first]] = np.arange(len(first))
    return ChunkTable(
        snapshot.vectors.row_of,
        numbers[places],
        IriSequence(tables, places[first]),
        IriNumbers(tables, numbers),
        positions,
        order[first],
        segments,
        [numbers[same[begin:end]] for begin, end in pairwise(begins)],
    )


def _first_places(tables: Sequence[IriTable]) -> IntArray:
    """The place of each name of several tables, which lie one after another, in the first that has it."""
    begins = begins_of([len(each.iris) for each in tables])
    places = np.arange(begins[-1])
    for number, table in enumerate(tables):
        for other in reversed(range(number)):
            here, there = table.common(tables[other])
            places[begins[number] + here] = places[begins[other] + there]
    return places


def _first_rows(places: IntArray, count: int) -> IntArray:
    """The first row of each place that occurs in `places`, ascending; all are below `count`.

    >>> _first_rows(np.array([4, 2, 4, 0]), 5).tolist()
    [0, 1, 3]
    """
    rows = np.arange(len(places))
    first = np.full(count, len(places))
    first[places[::-1]] = rows[::-1]  # of several values for one place, the last stays
    return np.flatnonzero(first[places] == rows)


def _stable_order(numbers: IntArray) -> IntArray:
    """The order that sorts some numbers below 2^32, equal ones as they are: in time linear in them.

    NumPy sorts integers of 16 bits by their digits, and all others by comparisons.

    >>> _stable_order(np.array([70000, 3, 70000, 1])).tolist()
    [3, 1, 0, 2]
    """
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    return np.asarray(order[np.argsort((numbers >> 16).astype(np.uint16)[order], kind="stable")])


_BATCH: Final = 100
"""Chunks that are read at once."""


def chunk_views(store: Store, chunks: Sequence[str], check: Check = unchecked) -> dict[str, ChunkView]:
    """Chunk IRI -> view, of those that are chunks; `check` is called before some of them are read."""
    shown: dict[str, ChunkView] = {}
    for begin in range(0, len(chunks), _BATCH):
        check()
        shown |= _views(store, chunks[begin : begin + _BATCH])
    return shown


def with_abstracts(store: Store, views: Mapping[str, ChunkView], longest: int) -> dict[str, ChunkView]:
    """The views, by the IRIs of their chunks, with the abstracts of the sections and documents.

    Of an abstract, which a user's RDF may state, its first `longest` characters.
    """
    around = {iri for each in views.values() for iri in (each.document, each.section) if iri is not None}
    texts = {iri: text[:longest] for iri, text in abstracts(store, around).items()}
    return {
        iri: replace(
            each,
            document_abstract=texts.get(each.document),
            section_abstract=None if each.section is None else texts.get(each.section),
        )
        for iri, each in views.items()
    }


def _views(store: Store, chunks: Sequence[str]) -> dict[str, ChunkView]:
    mentions: dict[str, set[str]] = defaultdict(set)
    labels: dict[str, set[Literal]] = defaultdict(set)
    for row in select(store, queries.bind("mentions", chunk=chunks)):
        entity, label = iri_of(row["entity"]), row["label"]
        if entity is not None and isinstance(label, Literal) and label.value:
            mentions[row["chunk"].value].add(entity)
            labels[entity].add(label)
    names = {entity: best_label(each) for entity, each in labels.items()}
    shown = {}
    rows = (row for row in select(store, queries.bind("chunks", chunk=chunks)) if iri_of(row["document"]))
    for row in first_rows(rows, "chunk", "identifier"):
        iri, document = row["chunk"].value, row["document"].value
        identifier, section = text_of(row["identifier"]), iri_of(row["section"])
        shown[iri] = ChunkView(
            iri=iri,
            kind=CHUNK_KINDS[row["kind"].value],
            name=text_of(row["name"]),
            text=text_of(row["text"]),
            document=document,
            identifier=identifier,
            title=text_of(row["title"]) or identifier,
            url=text_of(row["url"]) or None,
            section=section,
            section_name=None if section is None else text_of(row["heading"]) or None,
            place=text_of(row["place"]) or None,
            begin=integer_of(row["begin"]),
            end=integer_of(row["end"]),
            mentions=tuple(
                (each, names[each]) for each in sorted(mentions[iri], key=lambda e: (names[e], e))
            ),
        )
    return shown
