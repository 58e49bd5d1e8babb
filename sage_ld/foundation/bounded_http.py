"""The HTTP client below OpenAI's: an answer has a time and a size, and no answer leads to another server.

The time limits of HTTP libraries are for each block of an answer, so a server that sends a byte now and then
is waited for without end; and they keep what is sent, however much it is.
"""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import openai

_END: Final[ContextVar[float | None]] = ContextVar("end", default=None)
_PLAIN: Final = "identity"


class UnboundedAnswerError(Exception):
    """An answer is longer than it may be, or compressed, so that nobody knows how long it is."""


@contextmanager
def until(end: float) -> Iterator[None]:
    """Answers to what is sent in this block end at a moment (of `time.monotonic`)."""
    token = _END.set(end)
    try:
        yield
    finally:
        _END.reset(token)


def bounded_client(most: int) -> openai.DefaultHttpxClient:
    """A client for whom an answer has at most `most` bytes, and the time of one read unless `until` says.

    A longer answer raises UnboundedAnswerError, a slower one what the library raises for its own time limits.
    It follows no redirection: what is sent holds texts of documents, and is for the server that was named.
    Close it.
    """
    import openai

    stream = _bounded_stream()

    def bound(answer: Any) -> None:
        if answer.headers.get("content-encoding", _PLAIN).strip().lower() not in ("", _PLAIN):
            raise UnboundedAnswerError("it is compressed")
        answer.stream = stream(answer.stream, most, _end_of(answer.request))

    return openai.DefaultHttpxClient(
        follow_redirects=False, headers={"Accept-Encoding": _PLAIN}, event_hooks={"response": [bound]}
    )


def _end_of(request: Any) -> float:
    """The moment at which the answer to a request ends."""
    end, seconds = _END.get(), request.extensions.get("timeout", {}).get("read")
    if end is None:
        end = math.inf if seconds is None else time.monotonic() + seconds
    return end


@cache
def _bounded_stream() -> Any:
    """The class of contents that are bounded, for the HTTP library below OpenAI's client."""
    import openai

    library = openai.DefaultHttpxClient.__bases__[0].__module__.partition(".")[0]  # httpx or httpx2
    http = importlib.import_module(library)

    class BoundedStream(http.SyncByteStream):  # type: ignore[misc, name-defined]
        """The content of an answer, which ends at a moment (of `time.monotonic`)."""

        def __init__(self, stream: Any, most: int, end: float) -> None:
            self._stream, self._most, self._end = stream, most, end

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for block in self._stream:
                size += len(block)
                if size > self._most:
                    raise UnboundedAnswerError(f"more than {self._most:,} bytes")
                if time.monotonic() > self._end:
                    raise http.ReadTimeout("the answer did not arrive in time")
                yield block

        def close(self) -> None:
            self._stream.close()

    return BoundedStream
