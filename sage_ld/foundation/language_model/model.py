"""The language model that the settings name, and its answers where a rule does what it leaves.

None of the errors of an optional answer ends the work.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Final, TypeAlias

from sage_ld.foundation.caches import DiskCache, cache_folder
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import InputError, LimitError, UnavailableError
from sage_ld.foundation.language_model.budget import Account, BudgetError, CallBudget, Usage
from sage_ld.foundation.language_model.chat import Chat, Message
from sage_ld.foundation.language_model.json_answers import MalformedAnswerError, Schema
from sage_ld.foundation.language_model.model_task import Exchange, ModelTask
from sage_ld.foundation.openai_access import OpenAIAccess
from sage_ld.foundation.settings import Settings

_MOST_BYTES: Final = 16 * 2**20  # of one answer: 2,000 tokens with what stands around them are far below
Keep: TypeAlias = Callable[[str, Sequence[Exchange]], None]
"""Keeps the calls of a task, which it gets by name, when the task ends."""


class LanguageModel:
    """A language model behind an OpenAI-compatible API, as the settings `language_…` say.

    One object serves several threads. It asks nothing before a task does.

    >>> LanguageModel.is_set(Settings())
    False
    """

    def __init__(self, settings: Settings, keep: Keep | None = None) -> None:
        self.name = settings.language_model
        self.settings, self._keep = settings, keep

    @classmethod
    def is_set(cls, settings: Settings) -> bool:
        """Whether the settings name a model."""
        return bool(settings.language_model)

    @classmethod
    def of(cls, settings: Settings, purpose: str = "this", keep: Keep | None = None) -> LanguageModel:
        """The model that the settings name; `purpose` says for what, where they name none.

        Raises UnavailableError where they name none.
        """
        if not cls.is_set(settings):
            raise UnavailableError(
                f"{purpose} needs a language model, and none is set; set SAGE_LD_LANGUAGE_MODEL to its name "
                "and SAGE_LD_LANGUAGE_BASE_URL to the OpenAI-compatible API that serves it"
            )
        return cls(settings, keep)

    @contextmanager
    def task(self, name: str, budget: CallBudget, check: Check = unchecked) -> Iterator[ModelTask]:
        """A task, which asks the model within a budget, and within what the settings allow.

        `name` is a few words for messages and records. `check` ends the task by raising an error: it is
        called before each call, and at each piece of an answer that streams.
        """
        account = Account(name, budget.within(self.settings))
        task = ModelTask(account, self._chat, self._cache, self.settings, check)
        try:
            yield task
        finally:
            if self._keep is not None:
                self._keep(name, task.exchanges)

    @cached_property
    def _chat(self) -> Chat:
        settings = self.settings
        access = OpenAIAccess(
            f"answers of {self.name!r}",
            settings.language_base_url,
            "language_base_url",
            settings.language_timeout,
            settings.language_retries,
            "ask for less, or set another model",
            _MOST_BYTES,
        )
        return Chat(self.name, access)

    @cached_property
    def _cache(self) -> DiskCache:
        folder = cache_folder(self.settings)
        return DiskCache(folder / "answers.sqlite", "answer", self.settings.language_cache_bytes)


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
