"""How many connections each web process has, in memory that all of them see.

Whichever process wakes first takes a new connection, and a busy one is awake already: left to themselves,
one process ends up with most of the clients that stay, and another with none.
"""

from __future__ import annotations

import mmap
import struct
from typing import Final

_SLOTS: Final = 1024  # more than processes at any time, the replaced ones included
_SLOT: Final = struct.Struct("=I")


class Shares:
    """Connections by process, which has the number that gunicorn gave it. Made before the processes are.

    >>> shares = Shares()
    >>> shares.set(1, 3), shares.set(2, 1)
    (None, None)
    >>> shares.above_least(1), shares.above_least(2)
    (True, False)
    >>> shares.forget(2)
    >>> shares.above_least(1)
    False
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SLOTS * _SLOT.size)

    def set(self, process: int, connections: int) -> None:
        """The process has so many."""
        _SLOT.pack_into(self._memory, process % _SLOTS * _SLOT.size, connections + 1)

    def forget(self, process: int) -> None:
        """The process has ended, or takes no connections any more."""
        _SLOT.pack_into(self._memory, process % _SLOTS * _SLOT.size, 0)

    def above_least(self, process: int) -> bool:
        """Whether another process has fewer."""
        counts = memoryview(self._memory).cast("I").tolist()
        own = counts[process % _SLOTS]
        return any(0 < count < own for count in counts)
