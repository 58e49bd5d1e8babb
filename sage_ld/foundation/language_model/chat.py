"""Calls of the chat API of an OpenAI-compatible server, tried again where it fails for the moment."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from sage_ld.foundation.deadline import Check
from sage_ld.foundation.language_model.json_answers import Schema
from sage_ld.foundation.openai_access import OpenAIAccess, UnboundedAnswerError, until

if TYPE_CHECKING:
    import openai

Message: TypeAlias = dict[str, str]
"""A message: `role` (system, user, assistant) and `content`."""
T = TypeVar("T")
_PASSING: Final = frozenset({408, 409, 429, 500, 502, 503, 504})
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0  # seconds between two tries
_LOOK: Final = 0.25  # seconds between two looks whether anybody still waits
_SUBSTITUTES: Final = {
    "max_completion_tokens": "max_tokens",
    "response_format": None,
    "stream_options": None,
    "temperature": None,
}
"""Parameters that servers refuse, each with what does the same for them; None: nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request to a model: messages, the limits of length and time of its answer, and the answer's form."""

    messages: Sequence[Message]
    tokens: int
    """Most tokens of the answer."""
    seconds: float
    """All the time that it has, with the tries after failures."""
    schema: Schema | None = None
    """The JSON Schema of the answer."""
    name: str = "answer"


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer: its text, the tokens of prompt and answer (None: not said), whether it is whole."""

    text: str
    tokens: int | None
    whole: bool


class Chat:
    """The chat of one model; it remembers which parameters the server refused."""

    def __init__(self, model: str, access: OpenAIAccess) -> None:
        self.model = model
        self.access = access
        self._refused: dict[str, str | None] = {}

    def answer(self, request: Request, check: Check) -> Reply:
        """The answer to a request. Raises UnavailableError, InputError, and what `check` raises."""
        with self.access.failures():
            answer = self._try(request, check, stream=False)
            choice = answer.choices[0]
            used = answer.usage.total_tokens if answer.usage else None
            text = _storable(choice.message.content or "")
            return Reply(text, used, choice.finish_reason != "length")

    def pieces(self, request: Request, check: Check) -> Iterator[str | Reply]:
        """The pieces of an answer as they come, and last of all the whole of it. Raises as `answer` does."""
        text: list[str] = []
        finish = used = None
        with self.access.failures(), closing(self._try(request, check, stream=True)) as chunks:
            for chunk in chunks:
                check()
                if chunk.usage:
                    used = chunk.usage.total_tokens
                for choice in chunk.choices[:1]:
                    finish = choice.finish_reason or finish
                    if choice.delta.content:
                        text.append(_storable(choice.delta.content))
                        yield text[-1]
        if finish is None:
            raise self.access.malformed("breaks off")
        yield Reply("".join(text), used, finish != "length")

    def _try(self, request: Request, check: Check, *, stream: bool) -> Any:
        """The server's answer, asked again without the parameters that it refuses."""
        end = time.monotonic() + request.seconds
        while True:
            try:
                return self._patiently(
                    lambda seconds: self._create(request, seconds, end if stream else None), end, check
                )
            except Exception as error:
                if not self._learn(error, self._parameters(request, streams=stream)):
                    raise

    def _patiently(self, call: Callable[[float], T], end: float, check: Check) -> T:
        """The result of `call` within the seconds that it has, tried again after failures that may pass."""
        import openai

        for wait in self._waits():
            check()
            left = max(end - time.monotonic(), 0.001)
            try:
                return call(min(left, self.access.timeout))
            except openai.APIConnectionError as error:
                pause = wait
                is_long = isinstance(error.__cause__, UnboundedAnswerError)  # and would be so again
                if pause is None or is_long or time.monotonic() + pause >= end:
                    raise
            except openai.APIStatusError as error:
                pause = max(wait, _asked_wait(error)) if wait is not None else None
                passes = error.status_code in _PASSING
                if pause is None or not passes or time.monotonic() + pause >= end:
                    raise
            _sleep(pause, check)
        raise AssertionError("the last wait is None")

    def _waits(self) -> Iterator[float | None]:
        """Seconds to wait after each try, which double; None after the last one."""
        for attempt in range(self.access.retries):
            yield min(_FIRST_WAIT * 2**attempt, _LONGEST_WAIT)
        yield None

    def _create(self, request: Request, seconds: float, end: float | None) -> Any:
        """The answer of the server within some seconds; a stream, which may last until `end`, if given."""
        sent: dict[str, Any] = {
            "model": self.model,
            "messages": self._messages(request),
            **self._parameters(request, streams=end is not None),
        }
        client = self.access.client.with_options(timeout=seconds, max_retries=0)
        with nullcontext() if end is None else until(end):
            return client.chat.completions.create(**sent)

    def _messages(self, request: Request) -> Any:
        """The messages; with the schema in words where the server takes none."""
        messages = [{**each, "content": _storable(each["content"])} for each in request.messages]
        if request.schema is None or "response_format" not in self._refused:
            return messages
        return [*messages, {"role": "system", "content": in_words(request.schema)}]

    def _parameters(self, request: Request, *, streams: bool) -> dict[str, Any]:
        wanted: dict[str, Any] = {"temperature": 0, "max_completion_tokens": request.tokens}
        if streams:
            wanted |= {"stream": True, "stream_options": {"include_usage": True}}
        if request.schema is not None:
            form = {"name": request.name.replace(" ", "-"), "schema": request.schema}
            wanted["response_format"] = {"type": "json_schema", "json_schema": form}
        substituted = {self._refused.get(name, name): value for name, value in wanted.items()}
        return {name: value for name, value in substituted.items() if name is not None}

    def _learn(self, error: Exception, sent: dict[str, Any]) -> bool:
        """Notes the parameter for which the server refused a request; False where it was none that can go."""
        import openai

        if not isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError):
            return False
        message = f"{error.param or ''} {error.message}"
        named = [name for name in _SUBSTITUTES if name in sent and name in message]
        if not named and "response_format" in sent:
            named = ["response_format"]
        self._refused.update({name: _SUBSTITUTES[name] for name in named})
        return bool(named)


def _storable(text: str) -> str:
    """A text without halves of characters, which JSON can name and UTF-8 cannot write."""
    return text.encode("utf-8", "replace").decode()


def _sleep(seconds: float, check: Check) -> None:
    """Waits, unless `check` ends that."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        check()
        time.sleep(min(left, _LOOK))


def in_words(schema: Schema) -> str:
    """The request for JSON by a schema, for a server that takes none with the request."""
    return f"Answer with one JSON object by this JSON Schema, and nothing else:\n{json.dumps(schema)}"


def _asked_wait(error: openai.APIStatusError) -> float:
    """Seconds that the server asks to wait (`Retry-After`, RFC 9110 section 10.2.3); 0 where it does not."""
    try:
        if milliseconds := error.response.headers.get("retry-after-ms"):
            return float(milliseconds) / 1000
        return float(error.response.headers.get("retry-after", 0))
    except ValueError:  # a date: the waits that double do as well
        return 0
