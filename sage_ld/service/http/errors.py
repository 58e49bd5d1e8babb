"""Errors of the service alone; `sage_ld.service.http.problems` maps each type to a status code."""

from __future__ import annotations

import errno
from typing import Final

from sage_ld.foundation.errors import BusyError, InputError, LimitError, SageError, StorageError

_NO_MORE_FILES: Final = (errno.EMFILE, errno.ENFILE)
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
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


class ReusedKeyError(InputError):
    """An Idempotency-Key came with another request than the first one."""


class LongAnswerError(SageError):
    """A request with an Idempotency-Key was carried out before, and its answer was too long to be kept."""


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


def system_error(error: OSError) -> Exception:
    """The error for a client where the system has no open file or no space left, else `error` itself.

    >>> print(system_error(OSError(errno.EMFILE, "Too many open files")))
    the service has no open file left; try again later
    """
    if error.errno in _NO_MORE_FILES:
        return BusyError("the service has no open file left; try again later")
    if error.errno in _FULL:
        return StorageError("the disk is full; nothing was changed; ask the service's operator for space")
    return error
