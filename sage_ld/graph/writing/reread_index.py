"""An index that a writer reads from the store: all of it, or only what a change may have touched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from sage_ld.foundation.errors import SageError
from sage_ld.graph.indexes.layout import RunIndex
from sage_ld.graph.store.protocol import Store

T = TypeVar("T")


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
