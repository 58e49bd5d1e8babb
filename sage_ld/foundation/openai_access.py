"""Access to an OpenAI-compatible API: OpenAI's own, or Ollama, vLLM, llama.cpp; its client and its failures.

The key comes from an environment variable, OPENAI_API_KEY unless the use has its own, and appears in no
message: an API's answer to a wrong key quotes the key, so answers are not passed on.

An answer has a time and a size, and no answer leads to another server. The time limits of HTTP libraries are
for each block of an answer, so a server that sends a byte now and then is waited for without end; and they
keep what is sent, however much it is.
"""

from __future__ import annotations

import importlib
import math
import os
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from sage_ld.foundation.errors import InputError, SageError, UnavailableError
from sage_ld.foundation.outbound import trusted_authorities

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
        follow_redirects=False,
        headers={"Accept-Encoding": _PLAIN},
        event_hooks={"response": [bound]},
        verify=trusted_authorities(),
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


KEY_VARIABLE: Final = "OPENAI_API_KEY"
OPENAI: Final = "https://api.openai.com/v1"
MOST_BYTES: Final = 256 * 2**20
"""Of one answer: 2,048 vectors of 4,096 numbers are no more than half of it."""
_TOO_MUCH: Final = (400, 413, 422)
_REDIRECTIONS: Final = range(300, 400)


@dataclass(frozen=True)
class OpenAIAccess:
    """One use of an API, and how patiently it is asked."""

    what: str
    """What is asked for, as messages name it: `embeddings of 'm'`."""
    base_url: str
    url_setting: str
    """The setting that gives the base URL."""
    timeout: float
    """Seconds for one answer."""
    retries: int
    """How often a request is tried again after 408, 409, 429, a 5xx, a timeout or a lost connection.

    In between passes the time that `Retry-After` names, or one that doubles.
    """
    too_much: str
    """What to do where the API refuses what was sent."""
    most_bytes: int = MOST_BYTES
    """Of one answer."""
    key_variable: str = KEY_VARIABLE
    """The environment variable that holds the key."""

    @property
    def who(self) -> str:
        """The name of the service for messages: its task and its address."""
        return f"{self.what} at {self.address}"

    @property
    def address(self) -> str:
        """Host and path of the base URL; a password or a key in it stays out."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @cached_property
    def client(self) -> openai.OpenAI:
        """The client, which has sent nothing. Raises InputError if OpenAI would be asked without a key."""
        import openai

        key = os.environ.get(self.key_variable)
        if not key and self.base_url == OPENAI:
            raise InputError(  # before a text is sent: a graph of a stranger may name an encoder of OpenAI's
                f"{self.who} needs a key; set {self.key_variable}, or SAGE_LD_{self.url_setting.upper()} to "
                "another server"
            )
        http_client = bounded_client(self.most_bytes)
        weakref.finalize(self, http_client.close)
        return openai.OpenAI(
            api_key=key or "none",  # a local server asks for no key
            base_url=self.base_url,
            timeout=self.timeout,
            max_retries=self.retries,
            default_headers={"Accept-Encoding": "identity"},
            http_client=http_client,
        )

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Turns what the client raises into InputError, UnavailableError."""
        import openai

        try:
            yield
        except openai.APIStatusError as error:
            raise self._refused(error.status_code) from None
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, UnboundedAnswerError):
                raise self.malformed(f"is too long ({error.__cause__})") from None
            reason = "no answer in time" if isinstance(error, openai.APITimeoutError) else "no connection"
            raise UnavailableError(
                f"{self.who}: {reason} after {self.retries + 1} tries; "
                f"check the setting {self.url_setting} and the server"
            ) from None
        except UnboundedAnswerError as error:
            raise self.malformed(f"is too long ({error})") from None
        except (openai.OpenAIError, AttributeError, LookupError, TypeError, ValueError):
            raise self.malformed("does not follow the format of the API") from None

    def malformed(self, fault: str) -> UnavailableError:
        """The error for a malformed answer."""
        return UnavailableError(f"{self.who}: the answer {fault}; check the setting {self.url_setting}")

    def _refused(self, status: int) -> SageError:
        if status in _TOO_MUCH:
            return InputError(f"{self.who} refused the texts (HTTP {status}); {self.too_much}")
        if status in _REDIRECTIONS:
            return UnavailableError(
                f"{self.who} answered HTTP {status}, which leads to another address; let the setting "
                f"{self.url_setting} name that"
            )
        key = f"check {self.key_variable}"
        remedy = {401: key, 403: key, 404: "check the model's name"}
        return UnavailableError(
            f"{self.who} answered HTTP {status} after up to {self.retries + 1} tries; "
            f"{remedy.get(status, 'try again later')}"
        )
