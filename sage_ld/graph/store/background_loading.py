"""A store into which a thread loads quads: while it writes one batch, the next is made.

Quads that come from Python are loaded with the interpreter's lock held, and as one batch of a million. As
N-Quads, the text of a batch is parsed, sorted and written without the lock, on another core.

Whatever else is done with the store waits until they are there. So it may be kept by anyone, for as long as
its writer lasts, and nobody sees half of a batch.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from io import BytesIO
from itertools import islice
from typing import Any, Final

from pyoxigraph import Quad, RdfFormat

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

    def __iter__(self) -> Iterator[Quad]:
        return iter(self._settled())

    def __len__(self) -> int:
        return len(self._settled())


def _joined(lines: Iterable[str]) -> bytes:
    text = BytesIO()
    text.writelines(map(str.encode, lines))
    return text.getvalue()
