"""The index of the vectors of abstracts, which a writer reads from the store; there may be none."""

from __future__ import annotations

from pathlib import Path

from sage_ld.build.encoders import Encoder
from sage_ld.build.encoders.stored import encode_stored
from sage_ld.foundation.errors import SageError
from sage_ld.graph.indexes.vectors import VectorIndex
from sage_ld.graph.store import reading
from sage_ld.graph.store.durable_files import remove
from sage_ld.graph.store.protocol import Store


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
