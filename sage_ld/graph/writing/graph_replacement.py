"""The replacement of all that a named graph says, which touches only the statements that differ.

What is to be said is gone through several times, and kept in a file and not in memory.

Quads that come from Python are loaded with the interpreter's lock held, and as one batch of a million. As
N-Quads, the text of a batch is parsed, sorted and written without the lock, on another core.

Whatever else is done with the store waits until they are there. So it may be kept by anyone, for as long as
its writer lasts, and nobody sees half of a batch.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from io import BytesIO
from itertools import chain, islice
from typing import IO, Any, Final, Generic, TypeVar

import numpy as np
from pyoxigraph import NamedNode, Quad, RdfFormat

from sage_ld.graph.indexes.strings import Numbers, contained
from sage_ld.graph.store.nquads import line
from sage_ld.graph.store.protocol import WritableStore

BATCH_LINES: Final = 200_000
"""Lines in one batch: some 45 MB of text, and 200 MB while it is loaded."""
_log = logging.getLogger(__name__)


class LoadingStore:
    r"""A `WritableStore` that also loads quads in the background; for one thread.

    At most one batch is being loaded while one more waits.

    >>> from sage_ld.graph.store.oxigraph import in_memory
    >>> store = LoadingStore(in_memory())
    >>> store.load_in_background(["<urn:a> <urn:b> <urn:c> <urn:d> .\n"])
    >>> len(store)
    1
    >>> store.close()
    """

    def __init__(self, store: WritableStore) -> None:
        self._store: WritableStore | None = store
        self._thread = ThreadPoolExecutor(1, "bulk-loader")
        self._loading: Future[None] | None = None
        self._raised: BaseException | None = None

    def load_in_background(self, lines: Iterable[str]) -> None:
        """Loads lines of N-Quads with legal terms, and without blank nodes, which a text would rename.

        Raises what an earlier batch raised.
        """
        waiting = iter(lines)
        while text := _joined(islice(waiting, BATCH_LINES)):
            load = self._settled().bulk_load
            self._loading = self._thread.submit(load, text, RdfFormat.N_QUADS, lenient=True)

    def close(self) -> None:
        """Ends the thread, which has loaded what was begun, and releases the store.

        The failure of a batch that nobody has been told of is logged: another error ended the write.
        """
        self._thread.shutdown()
        self._store = None
        failure = None if self._loading is None else self._loading.exception()
        if failure is not None and failure is not self._raised:  # as text: an error keeps its frames
            _log.warning("statements could not be loaded into the store: %s", str(failure))
        self._loading = self._raised = None

    def _settled(self) -> WritableStore:
        """The store with all quads in it. Raises what a batch raised, again and again."""
        if self._loading is not None:
            self._raised = self._loading.exception()
            self._loading.result()
            self._loading = None
        if self._store is None:
            raise ValueError("the store is closed: its writer has ended; take another writer")
        return self._store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._settled(), name)

    def __contains__(self, quad: Quad) -> bool:
        return quad in self._settled()

    def __iter__(self) -> Iterator[Quad]:
        return iter(self._settled())

    def __len__(self) -> int:
        return len(self._settled())


def _joined(lines: Iterable[str]) -> bytes:
    text = BytesIO()
    text.writelines(map(str.encode, lines))
    return text.getvalue()


T = TypeVar("T")


class FileBackedBatches(Generic[T]):
    """Batches of values in a file without a name, which nobody else reads; all of them in their order.

    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     spilled = FileBackedBatches(file, [["a", "b"], ["c"]])
    ...     len(spilled), list(spilled), [len(each) for each in spilled.batches()]
    (3, ['a', 'b', 'c'], [2, 1])
    """

    def __init__(self, file: IO[bytes], batches: Iterable[list[T]] = ()) -> None:
        self._file = file
        self._size = 0
        self._begins: list[int] = []
        for batch in batches:
            self.append(batch)

    def append(self, batch: list[T]) -> None:
        """Adds a batch at the end; not while they are being read."""
        self._size += len(batch)
        self._begins.append(self._file.tell())
        pickle.dump(batch, self._file, pickle.HIGHEST_PROTOCOL)

    def close(self) -> None:
        """Closes the file, which is gone then."""
        self._file.close()

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
