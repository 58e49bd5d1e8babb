"""The cache of vectors: an SQLite file, keyed by content hash and encoder, so that no text is encoded twice.

The cache is never required: a damaged file is replaced, and where it cannot be used the texts are encoded
without it; both are logged. Several processes may share a file (write-ahead log).
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

import numpy as np

from sage_ld.cache_files import cache_folder
from sage_ld.encoders import MINILM, Encoder, load_encoder
from sage_ld.model import FloatArray
from sage_ld.settings import Settings

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many texts have a vector, and how many there are."""

BATCH_TEXTS = 1024
"""Texts encoded between two commits: what an interruption loses at most."""
LOOKUP_KEYS = 500
BUSY_SECONDS = 30.0
EVICTED_SHARE = 0.1
"""Share of the vectors, the oldest, that goes when the file has outgrown its limit."""

_SCHEMA = "CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, vector BLOB)"
_log = logging.getLogger(__name__)


def default_path(settings: Settings) -> Path:
    """The cache's file under these settings."""
    return cache_folder(settings) / "vectors.sqlite"


def cached(encoder: Encoder, settings: Settings) -> CachedEncoder:
    """`encoder` with the cache that the settings name in front of it."""
    return CachedEncoder(encoder, default_path(settings), settings.cache_bytes)


def load_cached(name: str, settings: Settings) -> CachedEncoder:
    """The encoder that a graph records as `name`, with the cache in front of it. Raises InputError."""
    if name == MINILM:  # a graph of the time before precisions were recorded
        from sage_ld.encoders.minilm import former_precision

        name = f"{MINILM}:{former_precision()}"
    return cached(load_encoder(name, settings), settings)


class CachedEncoder:
    """An encoder with the cache in front of it. Questions are not cached: encoding one is quicker.

    A connection lives as long as one call, so one object serves several threads, and survives a fork.
    """

    def __init__(self, encoder: Encoder, path: Path, max_bytes: int = 2 * 2**30) -> None:
        self.encoder = encoder
        self.path = path
        self.max_bytes = max_bytes

    @property
    def name(self) -> str:
        """The encoder's."""
        return self.encoder.name

    @property
    def fingerprint(self) -> str:
        """The encoder's."""
        return self.encoder.fingerprint

    @property
    def dimensions(self) -> int:
        """The encoder's."""
        return self.encoder.dimensions

    @property
    def max_tokens(self) -> int | None:
        """The encoder's."""
        return self.encoder.max_tokens

    @property
    def unit_vectors(self) -> bool:
        """The encoder's."""
        return self.encoder.unit_vectors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """The encoder's count."""
        return self.encoder.count_tokens(texts)

    def encode_query(self, text: str) -> FloatArray:
        """The encoder's vector of a question."""
        return self.encoder.encode_query(text)

    def encode_queries(self, texts: Sequence[str]) -> FloatArray:
        """The encoder's vectors of several questions."""
        return self.encoder.encode_queries(texts)

    def similarity(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """The encoder's."""
        return self.encoder.similarity(left, right)

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> FloatArray:
        """Vectors (n, d), equal texts encoded once, each batch kept as soon as it is done."""
        keys = [_key(self.fingerprint, text) for text in texts]
        by_key = dict(zip(keys, texts, strict=True))
        found = self._find(list(by_key))
        missing = [key for key in by_key if key not in found]
        report = _reporter(progress, len(texts), len(missing))
        report(0)
        for begin in range(0, len(missing), BATCH_TEXTS):
            batch = missing[begin : begin + BATCH_TEXTS]
            vectors = self.encoder.encode([by_key[key] for key in batch])
            new = dict(zip(batch, vectors, strict=True))
            self._keep(new)
            found.update(new)
            report(begin + len(batch))
        return np.stack([found[key] for key in keys]) if keys else self.encoder.encode([])

    def _find(self, keys: Sequence[bytes]) -> dict[bytes, FloatArray]:
        found: dict[bytes, FloatArray] = {}
        if not self.max_bytes:
            return found
        with self._guarded(), closing(self._connect()) as database:
            for begin in range(0, len(keys), LOOKUP_KEYS):
                found.update(_lookup(database, keys[begin : begin + LOOKUP_KEYS], self.dimensions))
        return found

    def _keep(self, vectors: Mapping[bytes, FloatArray]) -> None:
        if not self.max_bytes:
            return
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
        with self._guarded(), closing(self._connect()) as database, database:
            database.executemany("INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)", rows)
            _evict(database, self.max_bytes)

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self.path, timeout=BUSY_SECONDS)
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute(_SCHEMA)
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
            _log.warning("%s: vectors are not cached (%s); check the setting cache_dir", self.path, error)
        except sqlite3.DatabaseError as error:
            _log.warning("%s: the cache is damaged (%s) and is created again", self.path, error)
            for suffix in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)


def _key(fingerprint: str, text: str) -> bytes:
    content = f"{fingerprint}\0{text}".encode("utf-8", "surrogatepass")
    return blake2b(content, digest_size=20).digest()


def _lookup(database: sqlite3.Connection, keys: Sequence[bytes], dimensions: int) -> dict[bytes, FloatArray]:
    places = ",".join("?" * len(keys))
    rows = database.execute(
        f"SELECT key, vector FROM vectors WHERE key IN ({places}) AND length(vector) = ?",
        [*keys, 4 * dimensions],
    )
    return {key: np.frombuffer(vector, dtype="<f4") for key, vector in rows}


def _evict(database: sqlite3.Connection, max_bytes: int) -> None:
    """Drop the oldest vectors while the pages in use are more than `max_bytes`."""
    while _used_bytes(database) > max_bytes:
        count = database.execute("SELECT count(*) FROM vectors").fetchone()[0]
        if not count:
            return
        oldest = max(1, int(count * EVICTED_SHARE))
        database.execute(
            "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY id LIMIT ?)", (oldest,)
        )


def _used_bytes(database: sqlite3.Connection) -> int:
    def pragma(name: str) -> int:
        return int(database.execute(f"PRAGMA {name}").fetchone()[0])

    return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")


def _reporter(progress: Progress | None, total: int, missing: int) -> Callable[[int], None]:
    """A function of how many missing texts are done; equal texts count as done from the start."""
    return lambda done: progress(total - missing + done, total) if progress else None
