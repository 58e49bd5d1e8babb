"""The database of kept retrievals, `KG/retrievals.sqlite`: how it is opened, and what its tables are.

Calls of the language model and approvals of calls of tools are kept there, too.

SQLite in WAL mode: several processes append at once, readers wait for nobody, and a process that is killed
leaves the database as it was after the last whole transaction. It lies beside the revisions and changes none.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sage_ld.foundation.errors import ConflictError, InputError, StorageError, UnavailableError
from sage_ld.graph.provenance import model_calls
from sage_ld.graph.store.graph_files import RETRIEVALS

FILE: Final = RETRIEVALS
VERSION: Final = 3
"""Of the tables, as `PRAGMA user_version` has it."""
_NAMES: Final = ("caller_name", "decider_name")
"""Columns of approvals that version 2 did not have."""
_WAIT: Final = 5.0  # seconds for which a write waits for that of another process
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS retrieval (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    identifier TEXT NOT NULL UNIQUE,
    time REAL NOT NULL,
    seconds REAL NOT NULL,
    question TEXT NOT NULL,
    revision INTEGER NOT NULL,
    best REAL,
    parameters TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS retrieval_time ON retrieval (time);
CREATE TABLE IF NOT EXISTS result (
    retrieval INTEGER NOT NULL REFERENCES retrieval ON DELETE CASCADE,
    rank INTEGER NOT NULL,
    score REAL NOT NULL,
    role TEXT NOT NULL,
    chunk TEXT NOT NULL,
    PRIMARY KEY (retrieval, rank)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS judgement (
    retrieval INTEGER NOT NULL REFERENCES retrieval ON DELETE CASCADE,
    chunk TEXT NOT NULL,
    client TEXT NOT NULL,
    number INTEGER NOT NULL,
    helped INTEGER NOT NULL,
    comment TEXT NOT NULL,
    time REAL NOT NULL,
    PRIMARY KEY (retrieval, chunk, client)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS secret (key BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS approval (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    identifier TEXT NOT NULL UNIQUE,
    key BLOB NOT NULL,
    created REAL NOT NULL,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,
    result TEXT,
    role TEXT NOT NULL,
    caller TEXT NOT NULL,
    decided REAL,
    approved INTEGER NOT NULL DEFAULT 0,
    decider TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    used REAL,
    caller_name TEXT NOT NULL DEFAULT '',
    decider_name TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS approval_key ON approval (key);
"""


def open_for_appending(file: Path) -> sqlite3.Connection:
    """The database, which is made where there is none; only its owner may read it.

    Raises what SQLite raises, and OSError.
    """
    new = not file.exists()
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(file, timeout=_WAIT, isolation_level=None, check_same_thread=False)
    try:
        if new or _version(connection) < VERSION:
            _create(connection)
        _check_version(connection, file)
        connection.execute("PRAGMA synchronous = NORMAL")  # a killed process loses nothing of what is written
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
    except BaseException:
        connection.close()
        raise
    return connection


def open_for_reading(file: Path) -> sqlite3.Connection:
    """The database as it is; FileNotFoundError if there is none. Raises what SQLite raises."""
    file.stat()
    try:
        return _opened(file, "mode=ro")
    except sqlite3.OperationalError:
        if file.with_name(file.name + "-wal").exists():
            raise
        return _opened(file, "mode=ro&immutable=1")  # in a folder where nothing can be written


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Has the block written as a whole, or not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def writing(file: Path) -> Iterator[sqlite3.Connection]:
    """A connection for one transaction. Raises StorageError, UnavailableError, InputError, ConflictError."""
    with errors(file), closing(open_for_appending(file)) as connection, transaction(connection):
        yield connection


@contextmanager
def reading(file: Path) -> Iterator[sqlite3.Connection | None]:
    """A connection that only reads; None if nothing has been kept. Raises UnavailableError, InputError."""
    with errors(file):
        try:
            opened = open_for_reading(file)
        except FileNotFoundError:
            yield None
            return
        with closing(opened) as connection:
            yield connection


@contextmanager
def errors(file: Path) -> Iterator[None]:
    """Raises SQLite's errors, and the system's, as ours."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise StorageError(
                f"{file.name}: the disk is full; nothing was changed; free some space"
            ) from error
        raise UnavailableError(
            f"{file.name} cannot be used ({error}); make the folder and the file writable, or try again later"
        ) from error
    except sqlite3.DatabaseError as error:
        raise InputError(f"{file.name} is damaged ({error}); move it away, and a new one is made") from error
    except OSError as error:
        raise UnavailableError(
            f"{file.name} cannot be used ({error.strerror}); check its permissions"
        ) from error


def secret_of(connection: sqlite3.Connection) -> bytes:
    """The random key by which this log makes names of clients that cannot be traced back."""
    row: tuple[bytes] = connection.execute("SELECT key FROM secret").fetchone()
    return row[0]


def forget(connection: sqlite3.Connection) -> None:
    """Empties the log of writes, which holds what was deleted, unless another process reads now."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def shrink(connection: sqlite3.Connection) -> None:
    """Gives free pages back to the disk, unless the file is of a former version, which reuses them."""
    connection.executescript("PRAGMA incremental_vacuum")  # `execute` would end it after one page
    forget(connection)


def has_tools(connection: sqlite3.Connection) -> bool:
    """Whether the file has the table of model calls: one of version 1 has none."""
    return _version(connection) > 1


def has_approvals(connection: sqlite3.Connection) -> bool:
    """Whether the file has the table of approvals as it is now; a former one gets it by the next write."""
    return _version(connection) > 2


def size(connection: sqlite3.Connection) -> int:
    """The bytes that the rows take in the file, free pages not counted."""
    pages, free, page = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * page


def _opened(file: Path, options: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(file.resolve()))}?{options}"
    connection = sqlite3.connect(uri, uri=True, timeout=_WAIT, isolation_level=None)
    try:
        _check_version(connection, file)
        if _version(connection) == 0:  # another process is about to make its tables
            raise FileNotFoundError(file)
    except BaseException:
        connection.close()
        raise
    return connection


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only before anything is written
    connection.execute("PRAGMA journal_mode = WAL")
    with transaction(connection):
        for statement in (_SCHEMA + model_calls.SCHEMA).split(";\n"):
            connection.execute(statement)
        if _version(connection) == 2:
            for name in _NAMES:
                connection.execute(f"ALTER TABLE approval ADD COLUMN {name} TEXT NOT NULL DEFAULT ''")
        if connection.execute("SELECT count(*) FROM secret").fetchone()[0] == 0:
            connection.execute("INSERT INTO secret VALUES (?)", (secrets.token_bytes(32),))
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _check_version(connection: sqlite3.Connection, file: Path) -> None:
    if (version := _version(connection)) > VERSION:
        raise ConflictError(
            f"{file.name} has version {version}, this sage-ld reads up to {VERSION}; upgrade sage-ld"
        )
