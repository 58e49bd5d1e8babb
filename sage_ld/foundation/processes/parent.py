"""The parent of a worker process, as the worker sees it: a connection, and a deadline for each job."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sage_ld.foundation.processes import messages, sandbox

GRACE: Final = 2.0
"""Seconds after its deadline at which a worker that nobody killed (its parent died) ends itself."""


@contextmanager
def connection_to_parent(number: str) -> Iterator[socket.socket]:
    """The socket whose open file has a number. Where the parent closes its end, the block just ends.

    Where the parent itself ends, by whatever signal, so does this process, at once; likewise at any other
    error. What is typed at a terminal does not end it: that is the parent's to decide.
    """
    sandbox.end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    with socket.socket(fileno=int(number)) as connection:
        try:
            yield connection
        except (messages.ConnectionClosed, BrokenPipeError, ConnectionResetError):
            return
        except BaseException:  # a panic in Rust is no Exception
            sandbox.end_at_once()


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Ends the process by SIGALRM if the block takes longer than that, and `GRACE`."""
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
