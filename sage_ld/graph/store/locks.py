"""Locks on open files, the same on every platform: `flock` on POSIX, portalocker on Windows.

A lock belongs to the open file: it ends when the file is closed, and with its process however that ends.
portalocker would do for POSIX, too, but looks its own version up when it is imported: 80 ms of each start.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from sage_ld.foundation.errors import ConflictError

try:
    import fcntl
except ImportError:

    def _lock(handle: IO[Any], *, shared: bool) -> None:
        """Takes a lock. Raises BlockingIOError where another holds it, OSError where there are none."""
        import portalocker

        flags = portalocker.LockFlags
        try:
            portalocker.lock(handle, flags.SHARED if shared else flags.EXCLUSIVE | flags.NON_BLOCKING)
        except portalocker.AlreadyLocked as error:
            raise BlockingIOError(str(error)) from error
        except portalocker.LockException as error:
            raise OSError(str(error)) from error

    def _unlock(handle: IO[Any]) -> None:
        import portalocker

        portalocker.unlock(handle)
else:

    def _lock(handle: IO[Any], *, shared: bool) -> None:
        """Takes a lock. Raises BlockingIOError where another holds it, OSError where there are none."""
        fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(handle: IO[Any]) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)


def lock_shared(handle: IO[Any]) -> None:
    """Takes a lock that any number may hold at once; waits while another process holds the exclusive one.

    Raises OSError if the file system has no locks.
    """
    try:
        _lock(handle, shared=True)
    except OSError as error:
        raise OSError(f"{handle.name} cannot be locked: {error}") from error


def try_lock_exclusive(handle: IO[Any]) -> bool:
    """Takes a lock that only one may hold; False at once where another holds any lock on the file.

    Raises OSError if the file system has no locks.
    """
    try:
        _lock(handle, shared=False)
    except BlockingIOError:
        return False
    except OSError as error:
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
    try:
        yield
    finally:
        _unlock(handle)
