"""Values that are computed once, however many threads ask for them at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

T = TypeVar("T")


@dataclass(slots=True)
class _OnceValue:
    guard: threading.RLock = field(default_factory=threading.RLock)
    full: bool = False
    value: Any = None


class ComputedOnce:
    """Values by key. While one is computed, only those who ask for the same key wait.

    What raises is not kept: who asks next computes it again.

    >>> values, calls = ComputedOnce(), []
    >>> values.get("a", lambda: calls.append(1) or "first"), values.get("a", lambda: "second"), calls
    ('first', 'first', [1])
    """

    def __init__(self) -> None:
        self._slots: dict[Hashable, _OnceValue] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of `key`, which `make` gives where there is none yet."""
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots.setdefault(key, _OnceValue())
        if not slot.full:
            with slot.guard:
                if not slot.full:
                    slot.value, slot.full = make(), True
        return cast(T, slot.value)
