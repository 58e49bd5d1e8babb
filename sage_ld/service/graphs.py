"""The graph that a web process asks: one encoder and recipe, each request at the revision that it holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sage_ld.errors import ConflictError
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.service.context import Service


class ServedGraph(KnowledgeGraph):
    """The graph of a service. Its snapshot is that of the request, so an answer and its ETag agree."""

    def __init__(self, opened: Service) -> None:
        super().__init__(opened.directory)
        self.settings = opened.settings
        self._held: ContextVar[Snapshot] = ContextVar("snapshot")

    @contextmanager
    def at(self, snapshot: Snapshot) -> Iterator[None]:
        """Has the block see `snapshot`."""
        token = self._held.set(snapshot)
        try:
            yield
        finally:
            self._held.reset(token)

    def snapshot(self) -> Snapshot:
        """The one that the request holds. Raises ConflictError outside `at`."""
        try:
            return self._held.get()
        except LookupError:
            raise ConflictError("no revision is held; use ServedGraph.at") from None
