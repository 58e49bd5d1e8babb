"""The replacement of all that a named graph says, which touches only the statements that differ.

What is to be said is gone through several times, and kept in a file and not in memory.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import IO, Final, Generic, TypeVar

import numpy as np
from pyoxigraph import NamedNode

from sage_ld.graph.indexes.strings import Numbers, contained
from sage_ld.graph.store.background_loading import LoadingStore
from sage_ld.graph.store.nquads import line

T = TypeVar("T")


class FileBackedBatches(Generic[T]):
    """Batches of values in a file without a name, which nobody else reads; all of them in their order.

    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     spilled = FileBackedBatches(file, [["a", "b"], ["c"]])
    ...     len(spilled), list(spilled), [len(each) for each in spilled.batches()]
    (3, ['a', 'b', 'c'], [2, 1])
    """

    def __init__(self, file: IO[bytes], batches: Iterable[list[T]]) -> None:
        self._file = file
        self._size = 0
        self._begins: list[int] = []
        for batch in batches:
            self._size += len(batch)
            self._begins.append(file.tell())
            pickle.dump(batch, file, pickle.HIGHEST_PROTOCOL)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[T]:
        for batch in self.batches():
            yield from batch

    def batches(self) -> Iterator[list[T]]:
        """The batches as they were given."""
        for begin in self._begins:
            self._file.seek(begin)
            yield pickle.load(self._file)


_BATCH: Final = 50_000
_NONE: Final = np.zeros(0, np.uint64)


def replace_statements(store: LoadingStore, graph: NamedNode, lines: Iterable[str], file: IO[bytes]) -> None:
    """Has the graph say what lines of N-Quads say, without blank nodes.

    Statements are compared by Python's hashes of their lines, numbers of 64 bits. One that the store
    writes otherwise than a line does, such as "1" for "1.0", is removed and added. `file` has the lines
    meanwhile, as what goes must have gone before anything comes.
    """
    there = iter(store.quads_for_pattern(None, None, None, graph))
    if (first := next(there, None)) is None:
        store.load_in_background(lines)
        return
    numbers: list[Numbers] = []
    spilled = FileBackedBatches(file, _numbered(lines, numbers))
    wanted, staying = np.unique(np.concatenate([_NONE, *numbers])), []
    there = chain([first], there)
    while batch := list(islice(there, _BATCH)):
        found = _numbers(map(line, batch))
        stays = contained(wanted, found)
        for place in np.flatnonzero(~stays).tolist():
            store.remove(batch[place])
        staying.append(found[stays])
    kept = np.unique(np.concatenate(staying))
    new = [~contained(kept, each) for each in numbers]
    store.load_in_background(
        text
        for batch, is_new in zip(spilled.batches(), new, strict=True)
        for text, is_wanted in zip(batch, is_new.tolist(), strict=True)
        if is_wanted
    )


def _numbered(lines: Iterable[str], numbers: list[Numbers]) -> Iterator[list[str]]:
    """The lines in batches, whose numbers are appended to a list."""
    waiting = iter(lines)
    while batch := list(islice(waiting, _BATCH)):
        numbers.append(_numbers(batch))
        yield batch


def _numbers(lines: Iterable[str]) -> Numbers:
    return np.fromiter(map(hash, lines), np.int64).view(np.uint64)
