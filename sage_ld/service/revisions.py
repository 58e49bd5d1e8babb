"""The revision of a request: the newest when it arrives, kept open until it is done."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Generic, Protocol, TypeVar

from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.graph.store.digests import lost_files
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.graph_files import CURRENT, current_or_unknown


class Closable(Protocol):
    """A resource that is closed when no request uses it any more."""

    def close(self) -> None:
        """Lets go of it."""


T = TypeVar("T", bound=Closable)


def file_mark(path: str) -> tuple[int, int] | None:
    """A mark of a file, another one once another file has taken its place; None where there is none."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns


class CurrentNumber:
    """The number of a graph's newest revision, read again only where its file has been replaced.

    It is UNKNOWN, as `current_or_unknown` has it, where that file is damaged.

    >>> CurrentNumber(Path("missing"))()
    0
    """

    def __init__(self, graph: Path) -> None:
        self._graph, self._file = graph, str(graph / CURRENT)
        self._seen: tuple[tuple[int, int] | None, int] = (None, 0)

    def __call__(self) -> int:
        """The number; 0 before the first revision."""
        mark = file_mark(self._file)
        seen, number = self._seen
        if mark is None or mark != seen:
            number = current_or_unknown(self._graph)
            self._seen = (mark, number)
        return number


@dataclass(slots=True)
class _Held(Generic[T]):
    number: int
    value: T
    users: int = 0
    replaced: bool = False


class Newest(Generic[T]):
    """A resource of the newest revision (a pin, a `Snapshot`), shared by the threads of a web process.

    It is opened when a request first sees a new revision, and closed when the last request that used it is
    done.
    """

    def __init__(self, number: Callable[[], int], open_newest: Callable[[], T]) -> None:
        self._number = number
        self._open = open_newest
        self._guard = threading.Lock()
        self._opening = threading.Lock()
        """Taken before the guard; a request that ends needs the guard alone, and waits for no opening."""
        self._held: _Held[T] | None = None

    @contextmanager
    def use(self) -> Iterator[T]:
        """The newest, for as long as the block lasts. Raises what opening it raises."""
        held = self._take()
        try:
            yield held.value
        finally:
            with self._guard:
                held.users -= 1
                self._close_unused(held)

    def renew(self, is_right: Callable[[T], bool]) -> None:
        """Opens the newest again, unless what is held is right; requests go on with that meanwhile."""
        with self._opening:
            with self._guard:
                held = self._held
            if held is None or is_right(held.value):
                return
            fresh = _Held(self._number(), self._open())
            with self._guard:
                self._drop()
                self._held = fresh

    def close(self) -> None:
        """Lets go of it, once nobody uses it."""
        with self._guard:
            self._drop()

    def _take(self) -> _Held[T]:
        if (held := self._held_as(self._number())) is not None:
            return held
        with self._opening:
            number = self._number()
            if (held := self._held_as(number)) is not None:  # another request has opened it meanwhile
                return held
            fresh = _Held(number, self._open(), users=1)
            with self._guard:
                self._drop()
                self._held = fresh
            return fresh

    def _held_as(self, number: int) -> _Held[T] | None:
        """The held value, for one user more; None if it is not of revision `number`."""
        with self._guard:
            if self._held is None or self._held.number != number:
                return None
            self._held.users += 1
            return self._held

    def _drop(self) -> None:
        if self._held is not None:
            self._held.replaced = True
            self._close_unused(self._held)
            self._held = None

    def _close_unused(self, held: _Held[T]) -> None:
        if held.replaced and held.users == 0:
            held.value.close()


@dataclass(frozen=True, slots=True)
class Pin:
    """A revision that is not deleted while this is open; number 0, without a folder, before the first."""

    number: int
    folder: Path | None
    handle: IO[bytes] | None

    @classmethod
    def newest(cls, directory: Directory) -> Pin:
        """A pin on the current revision, or on an earlier one where its store is damaged."""

        def pinned(number: int, handle: IO[bytes]) -> Pin:
            folder = directory.revision(number)
            if (lost := next(lost_files(folder, ("store", "merged")), None)) is not None:
                raise InputError(f"revision {number}: {lost}; see sage-ld doctor")
            return cls(number, folder, handle)

        try:
            return directory.open_newest(pinned)
        except NotFoundError:
            return cls(0, None, None)

    @property
    def path(self) -> str | None:
        """The folder, as a job names it."""
        return None if self.folder is None else str(self.folder)

    def close(self) -> None:
        """Lets go of the revision."""
        if self.handle is not None:
            self.handle.close()
