"""The table of a writer's indexes: how each is opened, what it takes of chunks, and how it is read again.

An index with a row for each chunk is a row of `CHUNK_INDEXES`. Others are read from the store: those of what
is said of chunks (`RereadIndex`), and that of abstracts (`SummaryIndex`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import numpy as np

from sage_ld.build.chunkers import lexical_text
from sage_ld.build.encoders import Encoder
from sage_ld.build.encoders.cache import CachedEncoder
from sage_ld.build.encoders.stored import encode_stored
from sage_ld.foundation.errors import SageError
from sage_ld.foundation.model import FloatArray
from sage_ld.graph.derivations.edge_input import chunk_aspects, encoded_texts
from sage_ld.graph.indexes.aspects import AspectIndex
from sage_ld.graph.indexes.layout import RunIndex, SegmentIndex
from sage_ld.graph.indexes.lexical import LexicalIndex
from sage_ld.graph.indexes.positions import ChunkInDocument, PositionIndex
from sage_ld.graph.indexes.vectors import VectorIndex
from sage_ld.graph.indexes.words import WordIndex, chunk_terms
from sage_ld.graph.store import reading
from sage_ld.graph.store.durable_files import remove
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.upkeep.rebuilding import languages_of

T = TypeVar("T")
Index = TypeVar("Index", bound=SegmentIndex)


@dataclass(frozen=True, slots=True)
class ChunkBatch:
    """Chunks that the indexes are to take, by IRI in order, each with its vector."""

    placed: Mapping[str, ChunkInDocument]
    vectors: Mapping[str, FloatArray]
    encoder: CachedEncoder

    @classmethod
    def of(
        cls, chunks: Mapping[str, tuple[ChunkInDocument, FloatArray]], encoder: CachedEncoder
    ) -> ChunkBatch:
        """The batch of some chunks with their vectors."""
        ordered = sorted(chunks)
        placed = {iri: chunks[iri][0] for iri in ordered}
        return cls(placed, {iri: chunks[iri][1] for iri in ordered}, encoder)


@dataclass(frozen=True, slots=True)
class ChunkIndex:
    """A row of the table: an index with a row for each chunk."""

    name: str
    """The name of its folder."""
    kind: type[SegmentIndex]
    take: Callable[[Any, ChunkBatch, Collection[str]], None]
    """Has the index take the chunks of a batch, and leave others out."""
    encoded: bool = False
    """Whether it holds vectors of the graph's encoder."""

    def opened(self, live: Path, dimensions: int) -> SegmentIndex:
        """The index as it is, or an empty one where it is missing or damaged: it is filled from the store."""
        return opened(self.kind, live / self.name, dimensions if self.encoded else 0)

    def created(self, live: Path, dimensions: int) -> SegmentIndex:
        """An empty index in the place of what was there."""
        return self.kind.create(live / self.name, dimensions if self.encoded else 0)


def opened(kind: type[Index], folder: Path, dimension: int = 0) -> Index:
    """An index as it is, or an empty one where it is missing or damaged: it is filled from the store."""
    try:
        return kind.open(folder, read_only=False)
    except SageError:
        return kind.create(folder, dimension)


def _take_lexical(index: LexicalIndex, batch: ChunkBatch, removed: Collection[str]) -> None:
    texts = ((iri, lexical_text(each.chunk)) for iri, each in batch.placed.items())
    index.update(texts, removed, languages_of(batch.placed))


def _take_positions(index: PositionIndex, batch: ChunkBatch, removed: Collection[str]) -> None:
    index.update(batch.placed, removed)


def _take_vectors(index: VectorIndex, batch: ChunkBatch, removed: Collection[str]) -> None:
    rows = list(batch.vectors.values())
    matrix = np.stack(rows) if rows else np.zeros((0, batch.encoder.dimensions), np.float32)
    index.update(list(batch.placed), matrix, removed)


def _take_aspects(index: AspectIndex, batch: ChunkBatch, removed: Collection[str]) -> None:
    aspects = {iri: chunk_aspects(each) for iri, each in batch.placed.items()}
    index.update(aspects, encoded_texts(aspects.values(), batch.encoder), removed)


def _take_words(index: WordIndex, batch: ChunkBatch, removed: Collection[str]) -> None:
    index.update({iri: chunk_terms(each) for iri, each in batch.placed.items()}, removed)


CHUNK_INDEXES: Final = (
    ChunkIndex("lexical", LexicalIndex, _take_lexical),
    ChunkIndex("positions", PositionIndex, _take_positions),
    ChunkIndex("vectors", VectorIndex, _take_vectors, encoded=True),
    ChunkIndex("aspects", AspectIndex, _take_aspects, encoded=True),
    ChunkIndex("words", WordIndex, _take_words),
)


class RereadIndex(Generic[T]):
    """An index with a row for each chunk of which the store says something, and what of it is stale.

    One that is missing or damaged is empty at first, and all of it is stale.
    """

    def __init__(
        self,
        kind: type[RunIndex[T]],
        folder: Path,
        read: Callable[[Store, Iterable[str] | None], Mapping[str, T]],
    ) -> None:
        """`read` returns what the store says of some chunks (IRIs), or of all, if it says anything."""
        self._kind, self._folder, self._read = kind, folder, read
        self.index: RunIndex[T]
        self.stale: set[str] = set()
        """IRIs of the chunks to read again."""
        self.all_stale = False
        try:
            self.index = kind.open(folder, read_only=False)
        except SageError:
            self.index, self.all_stale = kind.create(folder), True

    def refresh(self, store: Store) -> None:
        """Reads from the store what is stale."""
        if self.all_stale:
            self.index = self._kind.create(self._folder)
            self.index.update(self._read(store, None), ())
        elif self.stale:
            rows = self._read(store, self.stale)
            self.index.update(rows, self.stale - rows.keys())
        self.stale, self.all_stale = set(), False


class SummaryIndex:
    """The vectors of the abstracts of documents and sections, by their IRIs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.index: VectorIndex | None
        self.stale: set[str] = set()
        """IRIs of the documents and sections to read again."""
        self.all_stale = False
        try:
            self.index = VectorIndex.open(folder, read_only=False)
        except SageError:
            self.index = None

    @property
    def digest(self) -> str:
        """A digest of the set of its keys; empty where there is no index."""
        return "" if self.index is None else self.index.digest

    def read_all(self) -> None:
        """Has `refresh` read all abstracts, if there is an index."""
        self.all_stale |= self.index is not None

    def refresh(self, store: Store, encoder: Encoder) -> None:
        """Reads from the store what is stale, and encodes it."""
        if self.all_stale:
            self.index = None
            remove(self._folder)
        if self.all_stale or self.stale:
            texts = reading.abstracts(store, None if self.all_stale else self.stale)
            if self.index is None and texts:
                self.index = VectorIndex.create(self._folder, encoder.dimensions)
            if self.index is not None:
                vectors = encode_stored(encoder, list(texts.values()))
                self.index.update(list(texts), vectors, self.stale - texts.keys())
        self.stale, self.all_stale = set(), False
