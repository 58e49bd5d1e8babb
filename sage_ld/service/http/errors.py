"""Errors of the service alone; `sage_ld.service.http.problems` maps each type to a status code."""

from __future__ import annotations

from typing import Final

from sage_ld.errors import InputError, LimitError, SageError

_SHOWN: Final = 100  # characters of what a client sent in a message


class HeaderLimitError(LimitError):
    """The headers of a request are more, or larger, than a setting allows."""


class RequestLineLimitError(LimitError):
    """The first line of a request, which has its URL, is longer than a setting allows."""


class ExpectationError(InputError):
    """The request expects of the service what it does not do (RFC 9110, section 10.1.1)."""


class TransferCodingError(InputError):
    """The body is in a transfer coding that is not read (RFC 9112, section 6.1)."""


class MediaTypeError(InputError):
    """The body is in a format, or an encoding, that is not read here."""


class ContentCodingError(MediaTypeError):
    """The body is compressed, which is not read here (RFC 9110, section 15.5.16)."""


class AuthenticationError(SageError):
    """A token is needed, and none or a wrong one was given."""


class HostError(SageError):
    """The request is for a host that is not this service (RFC 9110, section 15.5.20)."""


class MethodError(SageError):
    """The resource does not take this method. `allowed` names those that it takes."""

    def __init__(self, message: str, allowed: tuple[str, ...]) -> None:
        super().__init__(message)
        self.allowed = allowed

    @classmethod
    def of(cls, method: str, path: str, allowed: tuple[str, ...]) -> MethodError:
        """The error for a method that the resource at `path` does not take."""
        return cls(f"{method[:_SHOWN]} is not for {path[:_SHOWN]!r}; send {' or '.join(allowed)}", allowed)
