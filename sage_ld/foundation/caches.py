"""Caches: bounded ones of pure results in memory, and files of computed values on disk.

A value on disk is found by the hash of what it was computed from. A cache is never required: a damaged file
is replaced, and where it cannot be used nothing is found and nothing kept; both are logged. Several
processes may share a file (write-ahead log).
"""

from __future__ import annotations

import logging
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Generic, TypeVar, cast

import platformdirs

from sage_ld.foundation.settings import Settings

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


class BoundedCache(Generic[K, V]):
    """A cache of at most `most` values by key, emptied when more come; safe for several threads.

    >>> kept = BoundedCache[str, int](most=2)
    >>> kept.all(["a", "bb"], lambda missing: {each: len(each) for each in missing})
    {'a': 1, 'bb': 2}
    >>> kept.all(["bb", "a"], lambda missing: {})
    {'bb': 2, 'a': 1}
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        """The value of `key`, where it is kept."""
        return self._known.get(key)

    def known(self, keys: Iterable[K]) -> dict[K, V]:
        """The values of those of `keys` that are kept."""
        known = self._known
        return {key: known[key] for key in keys if key in known}

    def keep(self, values: Mapping[K, V]) -> None:
        """Keeps `values` too."""
        known = self._known
        if len(known) + len(values) > self._most:
            self._known = known = {}
        known.update(values)

    def all(self, keys: Iterable[K], read: Callable[[list[K]], Mapping[K, V]]) -> dict[K, V]:
        """The values of `keys`, in their order; `read` returns those of the keys that are not known."""
        wanted = list(keys)
        values = self.known(wanted)
        if missing := [key for key in wanted if key not in values]:
            fresh = read(missing)
            self.keep(fresh)
            values.update(fresh)
        return {key: values[key] for key in wanted}


@dataclass(slots=True)
class _OnceValue:
    guard: threading.RLock = field(default_factory=threading.RLock)
    askers: int = 0
    """Threads that wait for the value, or compute it."""
    full: bool = False
    value: Any = None


class ComputedOnce:
    """Values by key, computed once, however many threads ask for them at the same time.

    While one is computed, only those who ask for the same key wait. Of more values than `most`, those that
    nobody has asked for the longest are dropped. A computation that raises is not kept: the next caller
    computes it again.

    >>> values, calls = ComputedOnce(), []
    >>> values.get("a", lambda: calls.append(1) or "first"), values.get("a", lambda: "second"), calls
    ('first', 'first', [1])
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._guard = threading.Lock()
        self._slots: dict[Hashable, _OnceValue] = {}
        """What was asked for last is at the end."""

    def __len__(self) -> int:
        return len(self._slots)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of `key`, which `make` returns where there is none yet."""
        with self._guard:
            slot = self._slots.pop(key, None) or _OnceValue()
            self._slots[key] = slot
            slot.askers += 1
        try:
            with slot.guard:
                if not slot.full:
                    slot.value, slot.full = make(), True
            return cast("T", slot.value)
        finally:
            with self._guard:
                slot.askers -= 1
                self._drop(key, slot)

    def _drop(self, key: Hashable, slot: _OnceValue) -> None:
        """Drops a slot that nobody fills any more, and the oldest values above the limit."""
        if not (slot.full or slot.askers) and self._slots.get(key) is slot:
            del self._slots[key]
        if self._most is not None and len(self._slots) > self._most:
            idle = [each for each, other in self._slots.items() if not other.askers]
            for each in idle[: len(self._slots) - self._most]:
                del self._slots[each]


def cache_folder(settings: Settings) -> Path:
    """The folder of all that is kept between two runs and can be made again."""
    return Path(settings.cache_dir or platformdirs.user_cache_dir("sage-ld"))


def keep(path: Path, content: bytes) -> None:
    """Puts a file into the cache, in the place of an older one. Where that cannot be done, it is logged."""
    draft: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as file:
            draft = Path(file.name)
            file.write(content)
        draft.replace(path)
    except OSError as error:
        _log.warning("%s is not kept (%s); check the setting cache_dir", path, error)
        if draft is not None:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


LOOKUP_KEYS: Final = 500
BUSY_SECONDS: Final = 30.0
EVICTED_SHARE: Final = 0.1
"""Share of the values, the oldest, that goes when the file has outgrown its limit."""

_log = logging.getLogger(__name__)


def content_key(*texts: str) -> bytes:
    """The key of what depends on these texts alone: 20 bytes of a hash."""
    return blake2b("\0".join(texts).encode("utf-8", "surrogatepass"), digest_size=20).digest()


class DiskCache:
    """Values of bytes by their keys, in a table of the SQLite file `path` of at most `max_bytes`; 0: none.

    A connection lives as long as one call, so one object serves several threads, and survives a fork.

    >>> import tempfile
    >>> cache = DiskCache(Path(tempfile.mkdtemp()) / "answers.sqlite", "answer", 1 << 20)
    >>> cache.keep({content_key("Who?"): b"Astrid"})
    >>> cache.find([content_key("Who?"), content_key("When?")]).values()
    dict_values([b'Astrid'])
    """

    def __init__(self, path: Path, kind: str, max_bytes: int) -> None:
        """`kind` names the values: they lie in the column of that name, in the table of its plural."""
        self.path = path
        self.max_bytes = max_bytes
        self._column, self._table = kind, f"{kind}s"

    def find(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values of those keys that have one."""
        values: dict[bytes, bytes] = {}
        if not self.max_bytes:
            return values
        with self._guarded(), closing(self._connect()) as database:
            for begin in range(0, len(keys), LOOKUP_KEYS):
                values.update(self._lookup(database, keys[begin : begin + LOOKUP_KEYS]))
        return values

    def keep(self, values: Mapping[bytes, bytes]) -> None:
        """Keeps values, and drops the oldest ones where the file grows too large."""
        if not self.max_bytes:
            return
        statement = f"INSERT OR REPLACE INTO {self._table} (key, {self._column}) VALUES (?, ?)"
        with self._guarded(), closing(self._connect()) as database, database:
            database.executemany(statement, values.items())
            self._evict(database)

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self.path, timeout=BUSY_SECONDS)
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            columns = f"id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, {self._column} BLOB"
            database.execute(f"CREATE TABLE IF NOT EXISTS {self._table} ({columns})")
        except sqlite3.Error:
            database.close()
            raise
        return database

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Turn a fault of the cache into a log line; drop its file where the fault is in the file."""
        try:
            yield
        except (sqlite3.OperationalError, OSError) as error:  # locked, read-only, disk full
            _log.warning(
                "%s: %ss are not cached (%s); check the setting cache_dir", self.path, self._column, error
            )
        except sqlite3.DatabaseError as error:
            _log.warning("%s: the cache is damaged (%s) and is created again", self.path, error)
            for suffix in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def _lookup(self, database: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        places = ",".join("?" * len(keys))
        rows = database.execute(
            f"SELECT key, {self._column} FROM {self._table} WHERE key IN ({places})", [*keys]
        )
        return {key: value for key, value in rows if isinstance(value, bytes)}

    def _evict(self, database: sqlite3.Connection) -> None:
        """Drop the oldest values while the pages in use are more than `max_bytes`."""
        while _used_bytes(database) > self.max_bytes:
            count = database.execute(f"SELECT count(*) FROM {self._table}").fetchone()[0]
            if not count:
                return
            oldest = max(1, int(count * EVICTED_SHARE))
            database.execute(
                f"DELETE FROM {self._table} WHERE id IN (SELECT id FROM {self._table} ORDER BY id LIMIT ?)",
                (oldest,),
            )


def _used_bytes(database: sqlite3.Connection) -> int:
    def pragma(name: str) -> int:
        return int(database.execute(f"PRAGMA {name}").fetchone()[0])

    return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
