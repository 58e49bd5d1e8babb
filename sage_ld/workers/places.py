"""Places that clients share: one that takes many leaves others room."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Hashable


class Places:
    """A number of places, of which one client holds at most as many as it leaves free.

    So a client can take half of them, a second one half of the rest, and so on, and whoever comes next finds
    one: the dynamic threshold of shared buffers (Choudhury and Hahne, IEEE/ACM Transactions on Networking
    6(2), 1998), with the factor 1. None is no client, and takes what is free.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._free = count
        self._held: Counter[Hashable] = Counter()
        self._changed = threading.Condition()

    def take(self, client: Hashable | None, seconds: float = 0) -> bool:
        """Takes a place; False where there is none for the client, nor comes to be within `seconds`."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._is_open_to(client), seconds):
                return False
            self._free -= 1
            self._held[client] += 1
            return True

    def release(self, client: Hashable | None) -> None:
        """Gives back a place that the client holds."""
        with self._changed:
            self._free += 1
            self._held[client] -= 1
            if not self._held[client]:
                del self._held[client]
            self._changed.notify_all()

    @property
    def taken(self) -> int:
        """How many places are held."""
        return self.count - self._free

    def _is_open_to(self, client: Hashable | None) -> bool:
        return self._free > (0 if client is None else self._held[client])
