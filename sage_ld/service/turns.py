"""Connections that one thread serves in turn, as long as each request on them takes but a moment.

A thread for each would be the simpler way, and takes twice the time: only one thread of a process runs Python
code at once, and with every call of the system it stands back behind another one that waits for its own.
"""

from __future__ import annotations

import contextlib
import select
import threading
import time
from typing import Any, Final

_QUIET: Final = 0.01
"""Seconds without a request of any of them, after which the thread has better things to do."""
_LONGEST: Final = 1.0
"""Seconds after which all are given back, so that whoever closes idle connections sees them."""


class Turns:
    """The connections of one process that are served in turn, and the thread that does it: the host.

    A connection has a `sock`. Whoever takes a connection out has to see to it.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._poller = select.epoll()
        self._members: dict[int, Any] = {}
        self._host: int | None = None
        self._until = 0.0
        self._number = -1

    def join(self, connection: Any) -> bool:
        """Takes a connection in; gives whether the calling thread is the host now."""
        number = connection.sock.fileno()
        with self._guard:
            self._members[number] = connection
            self._poller.register(number, select.EPOLLIN)
            if self._host is not None:
                return False
            self._host, self._until = threading.get_ident(), time.monotonic() + _LONGEST
            return True

    @property
    def hosting(self) -> bool:
        """Whether the calling thread is the host."""
        return self._host == threading.get_ident()

    def next(self) -> Any | None:
        """The connection whose turn it is; None where no client asks, or it has gone on for long."""
        if time.monotonic() > self._until or not (events := self._poller.poll(_QUIET, 1)):
            return None
        self._number = events[0][0]
        return self._members[self._number]

    def leave(self) -> None:
        """Takes out the connection whose turn it is."""
        with self._guard:
            self._take_out(self._number)

    def end(self, *, but_one: bool = False) -> list[Any]:
        """Takes all out, after which there is no host; gives them, but for the one whose turn it is."""
        with self._guard:
            self._host = None
            left = [each for number, each in self._members.items() if not but_one or number != self._number]
            for number in list(self._members):
                self._take_out(number)
            return left

    def _take_out(self, number: int) -> None:
        del self._members[number]
        with contextlib.suppress(OSError):  # it is closed, and so out of it
            self._poller.unregister(number)
