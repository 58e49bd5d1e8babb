"""What clients were told of their writes, and what a graph must therefore hold."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Collection
from enum import StrEnum


class Outcome(StrEnum):
    """What a client knows of a write."""

    DONE = "acknowledged"
    NOT_DONE = "refused"
    UNKNOWN = "without an answer"


class Ledger:
    """Numbers that are added to a graph in one way or another, each once, and removed from it.

    A number that was acknowledged has to be there until its removal begins; one that was refused, or whose
    removal was acknowledged, may not be there. What came of a write without an answer, nobody can know.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._ways: list[str] = []
        self._must: set[int] = set()
        self._may: set[int] = set()
        self.outcomes: Counter[str] = Counter()

    def begin_adding(self, way: str) -> int:
        """A new number, which is about to be added."""
        with self._guard:
            number = len(self._ways)
            self._ways.append(way)
            self._may.add(number)
            return number

    def added(self, number: int, outcome: Outcome) -> None:
        """Takes down how adding a number ended."""
        with self._guard:
            self.outcomes[outcome.value] += 1
            if outcome is Outcome.DONE:
                self._must.add(number)
            elif outcome is Outcome.NOT_DONE:
                self._may.discard(number)

    def begin_removing(self, chance: random.Random, ways: Collection[str]) -> tuple[int, str] | None:
        """One of the numbers that are there, about to be removed, and the way in which it was added."""
        with self._guard:
            numbers = [each for each in sorted(self._must) if self._ways[each] in ways]
            if not numbers:
                return None
            number = chance.choice(numbers)
            self._must.discard(number)
            return number, self._ways[number]

    def removed(self, number: int, outcome: Outcome) -> None:
        """Takes down how removing a number ended."""
        with self._guard:
            self.outcomes[outcome.value] += 1
            if outcome is Outcome.DONE:
                self._may.discard(number)
            elif outcome is Outcome.NOT_DONE:
                self._must.add(number)

    def check(self, read: Callable[[], set[int]]) -> None:
        """Reads the numbers, and compares them with those that must or may be there.

        Others may write meanwhile.
        """
        must, may = self._state()
        numbers = read()
        must_now, may_now = self._state()
        assert must & must_now <= numbers, f"lost: {sorted((must & must_now) - numbers)}"
        assert numbers <= may | may_now, f"there against all answers: {sorted(numbers - (may | may_now))}"

    def _state(self) -> tuple[set[int], set[int]]:
        with self._guard:
            return set(self._must), set(self._may)
