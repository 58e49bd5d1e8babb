"""Budgets of what a task may ask of a language model: calls, tokens, seconds."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.settings import Settings


class BudgetError(LimitError):
    """A task has asked as much of a language model as it may."""


@dataclass(frozen=True, slots=True)
class CallBudget:
    """The most that one task may ask for: calls, tokens of prompts and answers together, seconds in all."""

    calls: int
    tokens: int
    seconds: float

    def within(self, settings: Settings) -> CallBudget:
        """The budget, or what the settings allow where that is less.

        >>> CallBudget(4, 10**9, 60.0).within(Settings(language_calls=2))
        CallBudget(calls=2, tokens=60000, seconds=60.0)
        """
        return CallBudget(
            min(self.calls, settings.language_calls),
            min(self.tokens, settings.language_tokens),
            min(self.seconds, settings.language_seconds),
        )


@dataclass(slots=True)
class Usage:
    """The usage of a language model by a task so far. Answers from the cache cost nothing."""

    calls: int = 0
    tokens: int = 0
    """Of prompts and answers."""
    cached: int = 0
    """Answers that came from the cache."""


@dataclass(slots=True)
class Account:
    """A budget, and what has been used of it since its task began."""

    name: str
    """The task's, as messages name it."""
    budget: CallBudget
    used: Usage = field(default_factory=Usage)
    begin: float = field(default_factory=time.monotonic)

    def seconds_left(self) -> float:
        """Raises BudgetError when the time is over."""
        left = self.begin + self.budget.seconds - time.monotonic()
        if left <= 0:
            raise self._spent(f"{self.budget.seconds:g} s", "language_seconds")
        return left

    def tokens_left(self, prompt: int) -> int:
        """Tokens that remain for the answer to a prompt of some tokens. Raises BudgetError without any."""
        left = self.budget.tokens - self.used.tokens - prompt
        if left <= 0:
            raise self._spent(f"{self.budget.tokens:,} tokens", "language_tokens")
        return left

    def take_call(self) -> None:
        """Counts a call. Raises BudgetError where it would be one too many."""
        if self.used.calls >= self.budget.calls:
            raise self._spent(f"{self.budget.calls} calls", "language_calls")
        self.used.calls += 1

    def _spent(self, what: str, setting: str) -> BudgetError:
        return BudgetError(
            f"{self.name}: its budget of {what} of the language model is spent; ask for less, or give it "
            f"more (setting {setting} is the most)"
        )
