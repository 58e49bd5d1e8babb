"""Answers of a language model where a rule does what it leaves: none of its errors ends the work."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from sage_ld.foundation.errors import InputError, LimitError, UnavailableError
from sage_ld.foundation.language_model.budget import BudgetError, CallBudget, Usage
from sage_ld.foundation.language_model.chat import Message
from sage_ld.foundation.language_model.json_answers import MalformedAnswerError, Schema
from sage_ld.foundation.language_model.model import LanguageModel

_CALLS: Final = 2
"""Calls that one question may take: the question, and one to repair the answer."""
_PAUSE: Final = 60.0
"""Seconds for which a model that does not answer is not asked again."""


class OptionalAnswers:
    """Answers to questions of one kind, each an object by a schema, or None where there is none.

    The model is asked `calls` times at most (the setting max_annotation_calls unless given); answers from the
    cache do not count. One that does not answer is left alone for a minute, so that a rule need not wait for
    each question.
    """

    def __init__(self, model: LanguageModel, name: str, calls: int | None = None) -> None:
        """`name` is that of the task, in messages and records. Raises LimitError for too many calls."""
        most = model.settings.max_annotation_calls
        if calls is not None and not 1 <= calls <= most:
            raise LimitError.of("calls", calls, most, "calls", "max_annotation_calls")
        self.name = name
        self.used = Usage()
        self.left = 0
        """Questions without an answer."""
        self.faults: Counter[str] = Counter()
        """Why there was none, and how often."""
        self._model, self._most = model, calls or most
        self._rests_until = 0.0

    def ask(self, messages: Sequence[Message], schema: Schema) -> dict[str, Any] | None:
        """The answer to a question, or None, which is counted."""
        answer = None
        if time.monotonic() >= self._rests_until:
            answer = self._asked(messages, schema)
        self.left += answer is None
        return answer

    def leave(self, fault: str) -> None:
        """Notes a question whose answer is of no use."""
        self.left += 1
        self.faults[fault] += 1

    def _asked(self, messages: Sequence[Message], schema: Schema) -> dict[str, Any] | None:
        settings = self._model.settings
        calls = min(_CALLS, self._most - self.used.calls)
        budget = CallBudget(calls, settings.language_tokens, settings.language_seconds)
        with self._model.task(self.name, budget) as task:
            try:
                return task.ask_json(messages, schema)
            except BudgetError as error:
                spent = self.used.calls + task.used.calls >= self._most
                self.faults[f"{self.name}: its {self._most:,} calls are spent" if spent else str(error)] += 1
            except (MalformedAnswerError, LimitError, InputError) as error:
                self.faults[str(error)] += 1
            except UnavailableError as error:
                self.faults[str(error)] += 1
                self._rests_until = time.monotonic() + _PAUSE
            finally:
                self.used.calls += task.used.calls
                self.used.tokens += task.used.tokens
                self.used.cached += task.used.cached
        return None
