"""Locks on open files, the same on every platform: a thin layer over portalocker.

A lock belongs to the open file: it ends when the file is closed, and with its process however that ends.
portalocker is imported with the first lock, since its 25 ms are a tenth of a worker's start.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from sage_ld.foundation.errors import ConflictError


def lock_shared(handle: IO[Any]) -> None:
    """Takes a lock that any number may hold at once; waits while another process holds the exclusive one.

    Raises OSError if the file system has no locks.
    """
    import portalocker

    try:
        portalocker.lock(handle, portalocker.LockFlags.SHARED)
    except portalocker.LockException as error:
        raise OSError(f"{handle.name} cannot be locked: {error}") from error


def try_lock_exclusive(handle: IO[Any]) -> bool:
    """Takes a lock that only one may hold; False at once where another holds any lock on the file.

    Raises OSError if the file system has no locks.
    """
    import portalocker

    try:
        portalocker.lock(handle, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.AlreadyLocked:
        return False
    except portalocker.LockException as error:
        raise OSError(f"{handle.name} cannot be locked: {error}") from error
    return True


@contextmanager
def holding(file: Path, refusal: str) -> Iterator[None]:
    """Holds the lock of a file. Raises ConflictError(refusal) at once where another process holds it."""
    with file.open("a") as handle:
        if not try_lock_exclusive(handle):
            raise ConflictError(refusal)
        with unlocking(handle):
            yield


@contextmanager
def unlocking(handle: IO[Any]) -> Iterator[None]:
    """Gives back the lock of an open file at the end, before the file is closed.

    A process that is being started holds a copy of each open file until it runs its own program, so that
    closing the file here alone would release the lock only then.
    """
    import portalocker

    try:
        yield
    finally:
        portalocker.unlock(handle)
