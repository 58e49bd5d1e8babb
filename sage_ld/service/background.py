"""Background work: a loop that no error ends, and a value that is computed for each revision."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from sage_ld.foundation.errors import UnavailableError
from sage_ld.service.http import metrics

T = TypeVar("T")
_SHORTEST: Final = 0.5
_LONGEST: Final = 15.0
"""Seconds between a turn that failed and the next one, at first and at most."""
_log = logging.getLogger("sage_ld.service")


class PersistentLoop:
    """A thread that takes turns at a task for as long as the service runs.

    An error ends a turn and not the thread: the next turn comes after a pause, which grows with each failure.
    So work that was accepted goes on by itself after a full disk, too many open files, or too little memory.
    """

    def __init__(self, name: str, turn: Callable[[], object], idle: float | None = None) -> None:
        """`turn` does what there is to do; the next one comes when it is woken, or after `idle` seconds."""
        self.trouble = ""
        """The error of the last turn; empty where it had none."""
        self.closed = threading.Event()
        """Set once the service ends: a turn that takes long looks at it."""
        self._name, self._turn, self._idle = name, turn, idle
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begins to take turns."""
        self._thread.start()

    def wake(self) -> None:
        """Has a turn taken now."""
        self._woken.set()

    def close(self, patience: float | None = None) -> None:
        """Ends the loop; waits for the turn under way, `patience` seconds at most."""
        self.closed.set()
        self._woken.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(patience)

    def _run(self) -> None:
        pause = _SHORTEST
        while not self.closed.is_set():
            self._woken.clear()
            try:
                self._turn()
            except Exception as error:
                self._tell(str(error) or type(error).__name__)
                self.closed.wait(pause)
                pause = min(2 * pause, _LONGEST)
            else:
                self._tell("")
                pause = _SHORTEST
                self._woken.wait(self._idle)

    def _tell(self, trouble: str) -> None:
        if trouble and trouble != self.trouble:
            _log.error("%s: %s; it is tried again", self._name, trouble, exc_info=True)
        if trouble != self.trouble:
            metrics.FAILING.labels(self._name).set(1 if trouble else 0)
        self.trouble = trouble


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
