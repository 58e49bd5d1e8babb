"""Retention: how long retrievals and calls of a model are kept, how many, and in how many bytes."""

from __future__ import annotations

import sqlite3
import time
from typing import Final

from sage_ld.foundation.settings import Settings
from sage_ld.graph.provenance.approvals import remove_finished
from sage_ld.graph.provenance.database import shrink, size, transaction

_AT_ONCE: Final = 500
"""Rows that one transaction deletes: other processes write between two."""
_DAY: Final = 86_400
_TABLES: Final = ("retrieval", "model_call")


def prune(connection: sqlite3.Connection, settings: Settings) -> int:
    """Deletes what is older than the settings allow, or beyond number and bytes; returns how many rows.

    The oldest go first, approvals beyond their part before retrievals, and the file shrinks.
    """
    gone = remove_before(connection, time.time() - settings.retrievals_days * _DAY)
    if is_too_large(connection, settings):
        with transaction(connection):
            gone += remove_finished(connection, settings)
    for table in _TABLES:
        gone += _remove_oldest(connection, table, _total(connection, table) - settings.max_retrievals)
    while (counts := [_total(connection, table) for table in _TABLES]) != [0, 0]:
        if not is_too_large(connection, settings):
            break
        for table, count in zip(_TABLES, counts, strict=True):
            gone += _remove_oldest(connection, table, -(-count // 20))
    if gone:
        shrink(connection)
    return gone


def is_too_large(connection: sqlite3.Connection, settings: Settings) -> bool:
    """Whether all that is kept takes more bytes than the settings allow; costs no look at the rows."""
    return size(connection) > settings.max_retrievals_bytes


def remove_before(connection: sqlite3.Connection, moment: float) -> int:
    """Deletes what was answered before a moment, in seconds since 1970; returns how many rows."""
    gone = 0
    for table in _TABLES:
        (count,) = connection.execute(f"SELECT count(*) FROM {table} WHERE time < ?", (moment,)).fetchone()
        gone += _remove(connection, table, "time < ? ORDER BY time", moment, count)
    return gone


def _total(connection: sqlite3.Connection, table: str) -> int:
    (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(count)


def _remove_oldest(connection: sqlite3.Connection, table: str, count: int) -> int:
    return _remove(connection, table, "number > ? ORDER BY number", 0, count)


def _remove(connection: sqlite3.Connection, table: str, which: str, value: float, count: int) -> int:
    removed = 0
    while removed < count:
        with transaction(connection):
            gone = connection.execute(
                f"DELETE FROM {table} WHERE number IN (SELECT number FROM {table} WHERE {which} LIMIT ?)",
                (value, min(count - removed, _AT_ONCE)),
            ).rowcount
        if not gone:
            break
        removed += gone
    return removed
