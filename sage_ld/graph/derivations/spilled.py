"""Values that are gone through several times, kept in a file and not in memory."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from typing import IO, Generic, TypeVar

T = TypeVar("T")


class Spilled(Generic[T]):
    """Batches of values in a file without a name, which nobody else reads; all of them in their order.

    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     spilled = Spilled(file, [["a", "b"], ["c"]])
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
