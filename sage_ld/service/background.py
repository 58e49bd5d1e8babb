"""Background computation of a value for each revision; meanwhile the previous value is served."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from sage_ld.errors import SageError, UnavailableError

T = TypeVar("T")
_log = logging.getLogger("sage_ld.service")


class Latest(Generic[T]):
    """The latest value that was made, with the number of its revision; never more than one is being made.

    >>> latest = Latest(lambda: (7, "counted"))
    >>> latest.of(7, patience=5)
    (7, 'counted')
    """

    def __init__(self, make: Callable[[], tuple[int, T]]) -> None:
        self._make = make
        self._guard = threading.Lock()
        self._done = threading.Event()
        self._running = False
        self._latest: tuple[int, T] | None = None

    def of(self, number: int, patience: float) -> tuple[int, T]:
        """That of revision `number`, or of an earlier one as long as it is not there yet.

        Raises UnavailableError where there is none at all after `patience` seconds.
        """
        with self._guard:
            if (self._latest is None or self._latest[0] != number) and not self._running:
                self._running = True
                self._done.clear()
                threading.Thread(target=self._run, name="counting", daemon=True).start()
            found = self._latest
        if found is None:
            self._done.wait(patience)
            found = self._latest
        if found is None:
            raise UnavailableError("the graph is being counted for the first time; ask again in a minute")
        return found

    def _run(self) -> None:
        try:
            made = self._make()
        except (SageError, OSError, ValueError) as error:
            _log.error("a description could not be made", exc_info=error)
            made = None
        with self._guard:
            self._latest = self._latest if made is None else made
            self._running = False
            self._done.set()
