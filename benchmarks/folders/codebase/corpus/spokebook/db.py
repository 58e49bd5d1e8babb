"""Connections. One pool per process, psycopg underneath.

`transaction()` is the only way in; nobody calls commit by hand. The statement
timeout is set on the connection, not in postgresql.conf, because the nightly
dump runs as another role and has to be allowed to take longer.
"""

import contextlib
import queue
import threading

from . import config
from .errors import MigrationPending, PoolExhausted

SCHEMA_VERSION = 58

_pool = None
_guard = threading.Lock()


class _Pool:
    def __init__(self, size, connect):
        self._idle = queue.LifoQueue()
        for _ in range(size):
            self._idle.put(None)            # opened at first use
        self._connect = connect

    def take(self, wait_seconds):
        try:
            conn = self._idle.get(timeout=wait_seconds)
        except queue.Empty:
            raise PoolExhausted(f"no connection within {wait_seconds} s") from None
        return conn or self._connect()

    def give(self, conn):
        self._idle.put(conn)


def _connect():
    import psycopg

    conn = psycopg.connect(config.get("db.dsn"))
    timeout = config.get_int("db.statement_timeout_ms")
    conn.execute(f"set statement_timeout = {timeout}")
    return conn


def pool():
    global _pool
    with _guard:
        if _pool is None:
            _pool = _Pool(config.get_int("db.pool_size"), _connect)
    return _pool


@contextlib.contextmanager
def transaction():
    """Yield a cursor; commit at the end, roll back on any exception."""
    source = pool()
    conn = source.take(config.get_int("db.acquire_timeout_ms") / 1000)
    try:
        with conn.cursor() as cur:
            yield cur
        conn.commit()
    except BaseException:
        conn.rollback()
        raise
    finally:
        source.give(conn)


def check_schema():
    """Called at start-up; refuses to serve against an older schema."""
    with transaction() as cur:
        cur.execute("select max(version) from schema_step")
        found = cur.fetchone()[0]
    if found < SCHEMA_VERSION:
        raise MigrationPending(f"schema is {found}, code wants {SCHEMA_VERSION}")
