"""Background computation of a value for each revision; meanwhile the previous value is served."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from sage_ld.foundation.errors import UnavailableError

T = TypeVar("T")
_log = logging.getLogger("sage_ld.service")


class Latest(Generic[T]):
    """The latest value that was made, with the number of its revision; never more than one is being made.

    >>> latest = Latest(lambda: (7, "counted"))
    >>> latest.of(7, patience=5)
    (7, 'counted')
    """

    def __init__(
        self,
        make: Callable[[], tuple[int, T]],
        rest: Callable[[], float] = lambda: 0.0,
        most_waiting: int = 16,
    ) -> None:
        """`rest` says how many times as long as one took to make, the next one is not begun.

        No more than `most_waiting` threads wait for a value: each belongs to a request.
        """
        self._make = make
        self._rest = rest
        self._waiting = threading.BoundedSemaphore(most_waiting)
        self._next = 0.0
        self._guard = threading.Lock()
        self._done = threading.Event()
        self._running = False
        self._latest: tuple[int, T] | None = None

    def begin(self, number: int) -> None:
        """Has the value of revision `number` made, if it is not there; waits for nothing."""
        self._started(number)

    def renew(self, number: int) -> None:
        """Has the value of revision `number` made if one of an earlier revision was; waits for nothing."""
        if self._latest is not None:
            self._started(number)

    def of(self, number: int, patience: float, *, newest: bool = False) -> tuple[int, T]:
        """The value of revision `number`; until it is there, that of an earlier one, unless `newest`.

        Raises UnavailableError if there is none after `patience` seconds, or too many wait for it.
        """
        deadline = time.monotonic() + patience
        latest = self._started(number)
        for _ in range(2 if newest else 1):  # what is being made may be of an earlier revision
            if latest is None or (newest and latest[0] != number):
                self._wait(deadline - time.monotonic())
                latest = self._started(number) if newest else self._latest
        if latest is None or (newest and latest[0] != number):
            raise UnavailableError("the graph is being counted; try again in a minute")
        return latest

    def _wait(self, seconds: float) -> None:
        """Waits until what is being made is there; not at all where too many do."""
        if self._waiting.acquire(blocking=False):
            try:
                self._done.wait(max(0.0, seconds))
            finally:
                self._waiting.release()

    def _started(self, number: int) -> tuple[int, T] | None:
        """The latest value; one of revision `number` is being made if that is another."""
        with self._guard:
            is_there = self._latest is not None and self._latest[0] == number
            if not is_there and not self._running and time.monotonic() >= self._next:
                self._running = True
                self._done.clear()
                try:
                    threading.Thread(target=self._run, name="counting", daemon=True).start()
                except BaseException:  # the system starts no thread now: the next request tries again
                    self._running = False
                    raise
            return self._latest

    def _run(self) -> None:
        made, begun = None, time.monotonic()
        try:
            made = self._make()
        except Exception as error:
            _log.error("a description could not be made", exc_info=error)
        finally:
            with self._guard:
                self._latest = self._latest if made is None else made
                self._next = time.monotonic() + self._rest() * (time.monotonic() - begun)
                self._running = False
                self._done.set()
