"""Places that clients share: each client leaves room for others, and waiting clients are served in turn."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """A wait for a place."""

    client: Hashable | None
    its_turn: threading.Condition


class Places:
    """A number of places; a client takes one only while it holds fewer than are free.

    So a client alone gets half of them, rounded up, a second one half of the rest, and so on, and whoever
    comes next finds one: the dynamic threshold of shared buffers (Choudhury and Hahne, IEEE/ACM Transactions
    on Networking 6(2), 1998), with the factor 1. Of those who wait, the client who was served least recently
    comes first. None is no client, and takes what is free.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._free = count
        self._held: Counter[Hashable] = Counter()
        self._served: dict[Hashable, int] = {}
        """When a client who holds places or waits was last served, as a number that grows."""
        self._turn = 0
        self._waiting: list[_Waiting] = []
        self._guard = threading.Lock()

    def take(self, client: Hashable | None, wait: Callable[[], float] | None = None) -> bool:
        """Takes a place; False where there is none for the client.

        With `wait` it waits until there is one: `wait` returns the seconds until it is to be called again,
        and what it raises ends the wait.
        """
        with self._guard:
            if self._is_open_to(client) and self._next() is None:
                self._hold(client)
                return True
            if wait is None:
                return False
            self._queue(_Waiting(client, threading.Condition(self._guard)), wait)
            return True

    def release(self, client: Hashable | None) -> None:
        """Gives back a place that the client holds."""
        with self._guard:
            self._free += 1
            self._held[client] -= 1
            self._forget(client)
            self._wake()

    @property
    def taken(self) -> int:
        """The number of places taken."""
        return self.count - self._free

    def _queue(self, waiting: _Waiting, wait: Callable[[], float]) -> None:
        self._waiting.append(waiting)
        try:
            while self._next() is not waiting:
                waiting.its_turn.wait(wait())
            self._hold(waiting.client)
        finally:
            self._waiting.remove(waiting)
            self._forget(waiting.client)
            self._wake()

    def _wake(self) -> None:
        """Has the next one that waits look again: only that one, or all threads would race for one place."""
        if (waiting := self._next()) is not None:
            waiting.its_turn.notify()

    def _next(self) -> _Waiting | None:
        """The next of the waiting clients that may take a place; the first of a client's own."""
        open_to = [each for each in self._waiting if self._is_open_to(each.client)]
        return min(open_to, key=lambda each: self._served.get(each.client, 0), default=None)

    def _hold(self, client: Hashable | None) -> None:
        self._free -= 1
        self._held[client] += 1
        self._turn += 1
        self._served[client] = self._turn

    def _forget(self, client: Hashable | None) -> None:
        """Keeps nothing about a client who holds no place and waits for none."""
        if not self._held[client]:
            del self._held[client]
            if all(each.client != client for each in self._waiting):
                self._served.pop(client, None)

    def _is_open_to(self, client: Hashable | None) -> bool:
        return self._free > (0 if client is None else self._held.get(client, 0))
