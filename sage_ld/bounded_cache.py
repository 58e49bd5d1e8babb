"""A bounded cache of pure results, such as what questions read from a revision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


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
        """The values of `keys`, in their order; `read` gives those of the keys that are not known."""
        wanted = list(keys)
        found = self.known(wanted)
        if missing := [key for key in wanted if key not in found]:
            fresh = read(missing)
            self.keep(fresh)
            found.update(fresh)
        return {key: found[key] for key in wanted}
