"""Caches of answers, each valid as long as the state of the graph that it was given for.

Only what follows from state and request alone is kept, so an answer from here is the one that would be
computed. Nothing else than time is saved by it. One cache has answers to SPARQL queries, another those to
questions.
"""

from __future__ import annotations

import hashlib
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Final, Generic, NamedTuple, TypeVar

from sage_ld.foundation.question import Answer
from sage_ld.service.http import metrics

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_SHARE = 16  # no answer takes more than this part of the room
_OVERHEAD = 1000  # bytes that keeping an answer takes beside it and its key
_OF_A_CHARACTER = 4  # bytes at most, which CPython may keep once more as UTF-8 where it is not ASCII


class QueryKey(NamedTuple):
    """All that an answer follows from, beside the revision."""

    text: str
    base: str
    graphs: tuple[tuple[str, ...], tuple[str, ...]] | None
    """Default and named graphs that the protocol gives in place of those in the text."""
    format: str
    version: str


class CachedContent(NamedTuple):
    """An answer and its entity tag."""

    content: bytes
    etag: str


def kept(content: bytes) -> CachedContent:
    """`content` with the tag that follows from it.

    >>> kept(b"{}").etag
    '2afb9b83f9314e5d029766197f539792'
    """
    return CachedContent(content, hashlib.blake2b(content, digest_size=16).hexdigest())


NOTHING: Final = kept(b"")


@dataclass(frozen=True, slots=True)
class CacheLimits:
    """The limits of a cache: how much it keeps, and for how long."""

    room: int
    """Bytes; 0: nothing."""
    entries: int = 10_000
    seconds: float = 3600.0


class CacheObserver:
    """Counts what a cache of answers tells."""

    def __init__(self, cache: str) -> None:
        self._results = [metrics.CACHE_REQUESTS.labels(cache, result) for result in ("miss", "hit")]
        self._entries, self._bytes = metrics.CACHE_ENTRIES.labels(cache), metrics.CACHE_BYTES.labels(cache)
        self.holds(0, 0)

    def asked(self, is_hit: bool) -> None:
        """Counts an answer that was looked for."""
        self._results[is_hit].inc()

    def holds(self, entries: int, size: int) -> None:
        """Records what the cache holds."""
        self._entries.set(entries)
        self._bytes.set(size)


class AnswerCache(Generic[K, V]):
    """The answers that were asked for last, all of one state of the graph, within limits.

    `size` says how many bytes a key with its answer takes; `observer` counts what the cache does.

    >>> answers = AnswerCache[str, bytes](CacheLimits(100_000), lambda key, content: len(content))
    >>> answers.put(7, "ASK {}", b"true")
    >>> answers.get(7, "ASK {}"), answers.get(8, "ASK {}")
    (b'true', None)
    """

    def __init__(
        self, limits: CacheLimits, size: Callable[[K, V], int], observer: CacheObserver | None = None
    ) -> None:
        self._limits, self._size, self._observer = limits, size, observer
        self._bytes = 0
        self._state: Hashable = None
        self._kept: OrderedDict[K, tuple[V, float, int]] = OrderedDict()
        """Each answer with the moment at which it is too old, and its bytes."""
        self._guard = threading.Lock()

    def get(self, state: Hashable, key: K) -> V | None:
        """The answer to what is asked of a state of the graph, if it is here."""
        with self._guard:
            found = self._kept.get(key) if state == self._state else None
            if found is not None and time.monotonic() > found[1]:
                self._drop(key)
                found = None
            if found is not None:
                self._kept.move_to_end(key)
        if self._observer is not None:
            self._observer.asked(found is not None)
        return None if found is None else found[0]

    def put(self, state: Hashable, key: K, answer: V) -> None:
        """Keeps an answer, in place of those of other states and, where room is short, of older ones."""
        size = self._size(key, answer) + _OVERHEAD
        if size > self._limits.room // _SHARE:
            return
        with self._guard:
            if state != self._state:
                self._empty()
                self._state = state
            if key in self._kept:
                self._drop(key)
            self._kept[key] = answer, time.monotonic() + self._limits.seconds, size
            self._bytes += size
            while self._bytes > self._limits.room or len(self._kept) > self._limits.entries:
                self._drop(next(iter(self._kept)))
            self._tell()

    def clear(self) -> None:
        """Drops all answers."""
        with self._guard:
            self._empty()
            self._tell()

    def _empty(self) -> None:
        self._kept.clear()
        self._bytes = 0

    def _drop(self, key: K) -> None:
        self._bytes -= self._kept.pop(key)[2]

    def _tell(self) -> None:
        if self._observer is not None:
            self._observer.holds(len(self._kept), self._bytes)


def query_bytes(key: QueryKey, answer: CachedContent) -> int:
    """The memory of a query, with its base and its graphs, and its answer."""
    return held_bytes(key) + held_bytes(answer)


def retrieval_bytes(key: str, answer: Answer) -> int:
    """The memory of the answer to a question, with all that it says of how it was asked."""
    return held_bytes(key) + held_bytes(answer)


def held_bytes(value: object) -> int:
    """The bytes of memory at most that `value` takes with all that it holds.

    Data are walked: dataclasses, mappings, tuples and lists. What is held twice counts twice.

    >>> held_bytes(("a" * 1000, ["b" * 1000])) > 2000
    True
    """
    size = sys.getsizeof(value)
    if isinstance(value, str):
        return size if value.isascii() else size + _OF_A_CHARACTER * len(value)
    return size + sum(map(held_bytes, _parts(value)))


def _parts(value: object) -> Iterable[object]:
    if is_dataclass(value):
        return [getattr(value, each.name) for each in fields(value)]
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    return value if isinstance(value, tuple | list) else ()
