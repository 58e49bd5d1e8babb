"""One revision, open for reading: the store and the indexes as they were at the same moment."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Hashable
from functools import cached_property
from types import TracebackType
from typing import IO, TypeVar

from sage_ld.foundation.bounded_cache import ComputedOnce
from sage_ld.foundation.model import IntArray
from sage_ld.foundation.settings import Settings
from sage_ld.graph.indexes.links import Links
from sage_ld.graph.indexes.mentions import Mentions
from sage_ld.graph.indexes.positions import Positions
from sage_ld.graph.indexes.segments import aligned_rows, aligned_stored_rows
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.stores import Stores
from sage_ld.graph.upkeep.rebuilding import open_indexes

T = TypeVar("T")


class Snapshot:
    """A published revision. As long as it is open, nobody deletes it."""

    def __init__(
        self,
        directory: Directory,
        number: int,
        pin: IO[bytes],
        settings: Settings,
        distrusted: Collection[str] = (),
    ) -> None:
        self.directory = directory
        self.number = number
        self.configuration = directory.configuration(number)
        """Its base IRI and its encoder are those of this revision."""
        self._derived = ComputedOnce()
        self._let_go = weakref.finalize(self, pin.close)
        self.stores = Stores.open(directory.revision(number))
        indexes = open_indexes(directory, number, self.store, settings, distrusted)
        self.lexical, self.vectors = indexes.lexical, indexes.vectors
        self._positions, self._links = indexes.positions, indexes.links
        self.mention_index = indexes.mentions
        self.summaries = indexes.summaries
        """The vectors of the abstracts of documents and sections; None where the graph has none."""
        self.rebuilt = indexes.rebuilt
        """The reason why an index was rebuilt for this process, by the index's name."""

    @property
    def store(self) -> Store:
        """Every statement once: the merge of all graphs. `stores.named` has each graph whole."""
        return self.stores.merged

    @cached_property
    def lexical_rows(self) -> IntArray:
        """The row of the lexical index for each row of the vector index: scores[lexical_rows] are aligned."""
        return aligned_rows(self.vectors.segments, self.lexical.segments)

    @cached_property
    def positions(self) -> Positions:
        """The terms of each chunk and their offsets, by row of the position index."""
        return self._positions.positions()

    @cached_property
    def position_rows(self) -> IntArray:
        """The row of the position index for each row of the vector index."""
        return aligned_rows(self.vectors.segments, self._positions.segments)

    @cached_property
    def links(self) -> Links:
        """Confidence and position of each chunk's links, by stored row of the link index."""
        return self._links.links()

    @cached_property
    def link_rows(self) -> IntArray:
        """The stored row of the link index for each row of the vector index; -1 for a chunk without links."""
        return aligned_stored_rows(self.vectors.segments, self._links.segments)

    @cached_property
    def mentions(self) -> Mentions:
        """The entities of each chunk and the chunks of each entity, by row of the mention index."""
        return self.mention_index.mentions()

    @cached_property
    def mention_rows(self) -> IntArray:
        """The row of the mention index for each row of the vector index; -1 for a chunk without mentions."""
        return aligned_rows(self.vectors.segments, self.mention_index.segments)

    @cached_property
    def mentioning_rows(self) -> IntArray:
        """The row of the vector index for each row of the mention index; -1 for a row without one."""
        return aligned_rows(self.mention_index.segments, self.vectors.segments)

    def derived(self, make: Callable[[Snapshot], T], key: Hashable = None) -> T:
        """The result of `make` for this revision, computed once and kept as long as the snapshot.

        It is kept under `key`, or under `make` itself, which then has to be one and the same function.
        """
        return self._derived.get(make if key is None else key, lambda: make(self))

    @classmethod
    def newest(
        cls,
        directory: Directory,
        settings: Settings,
        distrusted: Callable[[int], Collection[str]] = lambda number: (),
    ) -> Snapshot:
        """The current revision, or an earlier one where its store is damaged.

        `distrusted` returns the names of indexes that are to be rebuilt, from the number of a revision.
        Raises NotFoundError if nothing has been published yet.
        """
        return directory.open_newest(
            lambda number, pin: cls(directory, number, pin, settings, distrusted(number))
        )

    def close(self) -> None:
        """Release the revision, so that it may be deleted once there is a newer one."""
        self._let_go()

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
