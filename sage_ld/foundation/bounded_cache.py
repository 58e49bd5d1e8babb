"""Caches of pure results, such as what questions read from a revision."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

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
            return cast(T, slot.value)
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
