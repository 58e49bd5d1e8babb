"""The language model that the settings name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Final, TypeAlias

from sage_ld.foundation.cache_files import cache_folder
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.disk_cache import DiskCache
from sage_ld.foundation.errors import UnavailableError
from sage_ld.foundation.language_model.budget import Account, CallBudget
from sage_ld.foundation.language_model.chat import Chat
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
