"""Retention: how long retrievals are kept, how many, and in how many bytes."""

from __future__ import annotations

import sqlite3
import time
from typing import Final

from sage_ld.provenance.database import shrink, size, transaction
from sage_ld.provenance.rows import total
from sage_ld.settings import Settings

_AT_ONCE: Final = 500
"""Retrievals that one transaction deletes: other processes write between two."""
_DAY: Final = 86_400


def prune(connection: sqlite3.Connection, settings: Settings) -> int:
    """Deletes what is older than the settings allow, or beyond their number and bytes; gives how many.

    The oldest go first, and the file shrinks.
    """
    old = remove_before(connection, time.time() - settings.retrievals_days * _DAY)
    count = total(connection)
    gone = _remove_oldest(connection, count - settings.max_retrievals)
    while gone < count and is_too_large(connection, settings):
        gone += _remove_oldest(connection, max((count - gone) // 20, 1))
    if old + gone:
        shrink(connection)
    return old + gone


def is_too_large(connection: sqlite3.Connection, settings: Settings) -> bool:
    """Whether the retrievals take more bytes than the settings allow; costs no look at the rows."""
    return size(connection) > settings.max_retrievals_bytes


def remove_before(connection: sqlite3.Connection, moment: float) -> int:
    """Deletes the retrievals that were answered before a moment, in seconds since 1970; gives how many."""
    (count,) = connection.execute("SELECT count(*) FROM retrieval WHERE time < ?", (moment,)).fetchone()
    return _remove(connection, "time < ? ORDER BY time", moment, count)


def _remove_oldest(connection: sqlite3.Connection, count: int) -> int:
    return _remove(connection, "number > ? ORDER BY number", 0, count)


def _remove(connection: sqlite3.Connection, which: str, value: float, count: int) -> int:
    removed = 0
    while removed < count:
        with transaction(connection):
            gone = connection.execute(
                f"DELETE FROM retrieval WHERE number IN (SELECT number FROM retrieval WHERE {which} LIMIT ?)",
                (value, min(count - removed, _AT_ONCE)),
            ).rowcount
        if not gone:
            break
        removed += gone
    return removed
