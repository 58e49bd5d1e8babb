"""Deadlines for work in this process: a check that the work itself calls between its steps.

Work in a thread cannot be stopped from outside. So whoever bounds it hands it a check, and the work ends at
the first step after the deadline, or after its result is no longer needed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias, TypeVar

from sage_ld.foundation.errors import AbandonedError, TimeLimitError

Check: TypeAlias = Callable[[], None]
"""Returns while the work may go on; raises the SageError that ends it."""

T = TypeVar("T")
_ROWS: Final = 256


def unchecked() -> None:
    """The check of work that nobody bounds."""


def deadline(seconds: float, setting: str, gone: Callable[[], bool] | None = None) -> Check:
    """A check that raises TimeLimitError `seconds` from now, and AbandonedError once `gone` is true.

    `setting` is the one that the message names.

    >>> check = deadline(60, "retrieve_timeout", gone=lambda: True)
    >>> check()
    Traceback (most recent call last):
    sage_ld.foundation.errors.AbandonedError: the client has disconnected; the answer is no longer needed
    """
    end = time.monotonic() + seconds

    def check() -> None:
        if gone is not None and gone():
            raise AbandonedError("the client has disconnected; the answer is no longer needed")
        if time.monotonic() > end:
            raise TimeLimitError(f"stopped after {seconds:g} s; ask for less, or raise the setting {setting}")

    return check


async def in_thread(work: Callable[[Check], T], check: Check = unchecked) -> T:
    """The result of some work in a thread of its own, which takes a check.

    Where the task that waits for it is cancelled, the work ends at its next check.
    """
    import asyncio

    cancelled = threading.Event()

    def check_both() -> None:
        if cancelled.is_set():
            raise AbandonedError("the task was cancelled; the answer is no longer needed")
        check()

    try:
        return await asyncio.to_thread(work, check_both)
    except asyncio.CancelledError:
        cancelled.set()
        raise


def each_checked(rows: Iterable[T], check: Check) -> Iterator[T]:
    """`rows`, with a check at the first one and again after some hundreds."""
    for number, row in enumerate(rows):
        if number % _ROWS == 0:
            check()
        yield row
