"""Bulk loading of a store by a thread of its own: while it writes one batch, the next is made.

Quads that come from Python are loaded with the interpreter's lock held, and as one batch of a million. As
N-Quads, the text of a batch is parsed, sorted and written without the lock, on another core.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Final

from pyoxigraph import Quad, RdfFormat, serialize

from sage_ld.store.protocol import WritableStore

BATCH_QUADS: Final = 200_000
"""Quads in one batch: some 45 MB of text, and 200 MB while it is loaded."""


class BackgroundLoader:
    """Loads quads into a store, at most one batch at a time while one more waits; for one thread.

    >>> from pyoxigraph import NamedNode
    >>> from sage_ld.store.oxigraph import in_memory
    >>> store, loader, name = in_memory(), BackgroundLoader(), NamedNode("http://example.org/a")
    >>> loader.add(store, [Quad(name, name, name, name)])
    >>> loader.settle()
    >>> len(store)
    1
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "bulk-loader")
        self._loading: Future[None] | None = None

    def add(self, store: WritableStore, quads: Iterable[Quad]) -> None:
        """Has quads without blank nodes loaded, which a text would rename; they are there after `settle`.

        Raises what an earlier batch raised.
        """
        waiting = iter(quads)
        while text := serialize(islice(waiting, BATCH_QUADS), format=RdfFormat.N_QUADS):
            self.settle()
            self._loading = self._thread.submit(store.bulk_load, text, RdfFormat.N_QUADS, lenient=True)

    def settle(self) -> None:
        """Returns when all quads are in the store. Raises what a batch raised, again and again."""
        if self._loading is not None:
            self._loading.result()
            self._loading = None

    def close(self) -> None:
        """Ends the thread, which has loaded what was begun; the loader is of no more use."""
        self._thread.shutdown()
        self._loading = None
