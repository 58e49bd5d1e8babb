"""Access to an OpenAI-compatible API: OpenAI's own, or Ollama, vLLM, llama.cpp; its client and its failures.

The key comes from the environment variable OPENAI_API_KEY and appears in no message: an API's answer to a
wrong key quotes the key, so answers are not passed on.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from sage_ld.foundation.bounded_http import UnboundedAnswerError, bounded_client
from sage_ld.foundation.errors import InputError, SageError, UnavailableError

if TYPE_CHECKING:
    import openai

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

        key = os.environ.get(KEY_VARIABLE)
        if not key and self.base_url == OPENAI:
            raise InputError(  # before a text is sent: a graph of a stranger may name an encoder of OpenAI's
                f"{self.who} needs a key; set {KEY_VARIABLE}, or SAGE_LD_{self.url_setting.upper()} to "
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
        except (openai.OpenAIError, AttributeError, TypeError, ValueError):
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
        remedy = {401: f"check {KEY_VARIABLE}", 403: f"check {KEY_VARIABLE}", 404: "check the model's name"}
        return UnavailableError(
            f"{self.who} answered HTTP {status} after up to {self.retries + 1} tries; "
            f"{remedy.get(status, 'try again later')}"
        )
