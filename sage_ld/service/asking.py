"""How a web process asks the graph: one encoder and recipe, each request at the revision that it holds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

from flask import Flask, current_app, request

from sage_ld.errors import ConflictError
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.model import Answer
from sage_ld.retrieval import Retriever
from sage_ld.service.context import Service, service
from sage_ld.service.middleware import MODE

T = TypeVar("T")
_KEY = "sage_ld.asking"


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


def attach(app: Flask, opened: Service) -> None:
    """Makes the graph of `opened` the one that `app` asks."""
    app.extensions[_KEY] = ServedGraph(opened)


def served_graph() -> ServedGraph:
    """The graph that the current request asks."""
    return cast(ServedGraph, current_app.extensions[_KEY])


def ask(snapshot: Snapshot, parameters: Mapping[str, Any]) -> Answer:
    """The answer to `parameters["q"]`; the other parameters are those of `Retriever.retrieve`.

    Raises InputError, LimitError, NotFoundError.
    """
    graph = served_graph()
    others = {name: value for name, value in parameters.items() if name != "q"}
    request.environ[MODE] = str(others.get("mode", "sage"))
    with graph.at(snapshot):
        return Retriever(graph).retrieve(parameters["q"], **others)


def ask_newest(parameters: Mapping[str, Any]) -> Answer:
    """What `ask` says of the newest revision."""
    with held() as snapshot:
        return ask(snapshot, parameters)


@contextmanager
def held() -> Iterator[Snapshot]:
    """The newest revision, for as long as the block lasts. Raises NotFoundError where there is none yet."""
    with service().snapshots.use() as snapshot:
        yield snapshot


def once_a_revision(make: Callable[[Snapshot], T]) -> Callable[[Snapshot], T]:
    """`make`, called once for each revision: its value is kept as long as the revision is open.

    >>> class Opened: pass
    >>> now, calls = Opened(), []
    >>> count = once_a_revision(lambda snapshot: calls.append(snapshot) or len(calls))
    >>> count(now), count(now), count(Opened())
    (1, 1, 2)
    """
    kept: WeakKeyDictionary[Snapshot, T] = WeakKeyDictionary()
    guard = threading.Lock()

    def of(snapshot: Snapshot) -> T:
        with guard:
            if snapshot not in kept:
                kept[snapshot] = make(snapshot)
            return kept[snapshot]

    return of
