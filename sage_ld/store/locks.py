"""Locks on open files, the same on every platform: a thin layer over portalocker.

A lock belongs to the open file: it ends when the file is closed, and with its process however that ends.
"""

from __future__ import annotations

from typing import IO, Any

import portalocker
from portalocker import LockFlags


def lock_shared(handle: IO[Any]) -> None:
    """Takes a lock that any number may hold at once; waits while another process holds the exclusive one.

    Raises OSError where the file system has no locks.
    """
    try:
        portalocker.lock(handle, LockFlags.SHARED)
    except portalocker.LockException as error:
        raise OSError(f"{handle.name} cannot be locked: {error}") from error


def try_lock_exclusive(handle: IO[Any]) -> bool:
    """Takes a lock that only one may hold; False at once where another holds any lock on the file.

    Raises OSError where the file system has no locks.
    """
    try:
        portalocker.lock(handle, LockFlags.EXCLUSIVE | LockFlags.NON_BLOCKING)
    except portalocker.AlreadyLocked:
        return False
    except portalocker.LockException as error:
        raise OSError(f"{handle.name} cannot be locked: {error}") from error
    return True
