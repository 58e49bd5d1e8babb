"""A task that asks a language model: each call counted, each answer checked, cached and recorded."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sage_ld.foundation.caches import DiskCache, content_key
from sage_ld.foundation.deadline import Check
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.language_model.budget import Account, Usage
from sage_ld.foundation.language_model.chat import Chat, Message, Reply, Request
from sage_ld.foundation.language_model.json_answers import MalformedAnswerError, Schema, read_object
from sage_ld.foundation.settings import Settings
from sage_ld.foundation.token_estimates import approximate_tokens

_QUOTED: Final = 4_000
"""Characters of a malformed answer that the model sees again."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call: what was asked, what was answered, by which model, when, and what it took."""

    model: str
    messages: tuple[Message, ...]
    answer: str
    begin: float
    """Seconds since 1970."""
    seconds: float
    tokens: int
    """Of prompt and answer; 0 for an answer from the cache."""
    cached: bool


class ModelTask:
    """One piece of work for which a model is asked, within a budget. For one thread at a time.

    All methods raise BudgetError where the budget is spent, UnavailableError where the model does not answer,
    LimitError for a prompt that is too long, InputError for one that it refuses.
    """

    def __init__(
        self, account: Account, chat: Chat, cache: DiskCache, settings: Settings, check: Check
    ) -> None:
        self.exchanges: list[Exchange] = []
        """What was asked and answered so far."""
        self._account, self._chat, self._cache = account, chat, cache
        self._settings, self._check = settings, check

    @property
    def used(self) -> Usage:
        """The usage of the model so far."""
        return self._account.used

    def ask(self, messages: Sequence[Message]) -> str:
        """The model's answer as text; what it said when it was cut off at `language_answer_tokens`."""
        key = self._key(messages, None)
        if (kept := self._cached(key, messages)) is not None:
            return kept
        reply = self._call(messages)
        if reply.whole:
            self._cache.keep({key: reply.text.encode()})
        return reply.text

    def ask_json(self, messages: Sequence[Message], schema: Schema) -> dict[str, Any]:
        """The model's answer as an object by a schema; a faulty one is sent back once, to be repaired.

        Raises MalformedAnswerError if it is faulty then, too.
        """
        key = self._key(messages, schema)
        if (kept := self._cached(key, messages)) is not None:
            value, faults = read_object(kept, schema)
            if not faults:
                return value
        reply = self._call(messages, schema)
        value, faults = _checked(reply, schema)
        if faults:
            reply = self._call([*messages, *_repair(reply, faults)], schema)
            value, faults = _checked(reply, schema)
        if faults:
            raise MalformedAnswerError(
                f"{self._account.name}: the answer of {self._chat.model!r} is not the JSON that was asked "
                f"for ({faults[:300]}); try again, or set another model (SAGE_LD_LANGUAGE_MODEL)"
            )
        self._cache.keep({key: json.dumps(value).encode()})
        return value

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """The model's answer, piece by piece; an answer from the cache in one."""
        key = self._key(messages, None)
        if (kept := self._cached(key, messages)) is not None:
            yield kept
            return
        request, begin = self._request(messages), time.time()
        reply: Reply | None = None
        for piece in self._chat.pieces(request, self._check_time):
            if isinstance(piece, str):
                yield piece
            else:
                reply = piece
        assert reply is not None  # a stream ends with the whole, or raises
        self._record(request, reply, begin)
        if reply.whole:
            self._cache.keep({key: reply.text.encode()})

    def _call(self, messages: Sequence[Message], schema: Schema | None = None) -> Reply:
        request, begin = self._request(messages, schema), time.time()
        reply = self._chat.answer(request, self._check)
        self._record(request, reply, begin)
        return reply

    def _request(self, messages: Sequence[Message], schema: Schema | None = None) -> Request:
        """The next call, counted."""
        self._check_time()
        size = sum(len(each["content"]) for each in messages)
        most = self._settings.language_prompt_characters
        if size > most:
            raise LimitError.of(
                f"{self._account.name}: a prompt", size, most, "characters", "language_prompt_characters"
            )
        left = self._account.tokens_left(sum(approximate_tokens(each["content"]) for each in messages))
        self._account.take_call()
        return Request(
            messages=tuple(messages),
            tokens=min(left, self._settings.language_answer_tokens),
            seconds=self._account.seconds_left(),
            schema=schema,
            name=self._account.name,
        )

    def _check_time(self) -> None:
        self._check()
        self._account.seconds_left()

    def _record(self, request: Request, reply: Reply, begin: float) -> None:
        tokens = reply.tokens
        if tokens is None:
            texts = [*(each["content"] for each in request.messages), reply.text]
            tokens = sum(map(approximate_tokens, texts))
        self.used.tokens += tokens
        self._note(request.messages, reply.text, begin, tokens, cached=False)

    def _note(
        self, messages: Sequence[Message], answer: str, begin: float, tokens: int, *, cached: bool
    ) -> None:
        seconds = time.time() - begin
        self.exchanges.append(
            Exchange(self._chat.model, tuple(messages), answer, begin, seconds, tokens, cached)
        )

    def _key(self, messages: Sequence[Message], schema: Schema | None) -> bytes:
        asked = json.dumps([list(messages), schema, self._settings.language_answer_tokens], sort_keys=True)
        return content_key(self._chat.access.address, self._chat.model, asked)

    def _cached(self, key: bytes, messages: Sequence[Message]) -> str | None:
        begin, kept = time.time(), self._cache.find([key])
        if key not in kept:
            return None
        answer = kept[key].decode("utf-8", "replace")
        self.used.cached += 1
        self._note(messages, answer, begin, 0, cached=True)
        return answer


def _checked(reply: Reply, schema: Schema) -> tuple[dict[str, Any], str]:
    value, faults = read_object(reply.text, schema)
    return value, faults if reply.whole or not faults else f"it was cut off before its end: {faults}"


def _repair(reply: Reply, faults: str) -> list[Message]:
    """The messages that ask for an answer without its faults."""
    return [
        {"role": "assistant", "content": reply.text[:_QUOTED]},
        {
            "role": "user",
            "content": f"That answer is not valid: {faults}. Answer again, with the JSON object alone.",
        },
    ]
