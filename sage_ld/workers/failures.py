"""Errors of jobs, passed from a worker to its client: the type's name, the message, a report.

What libraries and the system raise becomes an error of ours in the worker, where its cause is known.
"""

from __future__ import annotations

import errno
import logging
import os
from typing import Any, Final

from sage_ld.errors import (
    ConflictError,
    ForbiddenError,
    InputError,
    LimitError,
    NotAcceptableError,
    NotFoundError,
    PreconditionError,
    ResultLimitError,
    SageError,
    ShapeError,
    StorageError,
    UnavailableError,
)
from sage_ld.workers import messages

_TYPES: Final[dict[str, type[SageError]]] = {
    each.__name__: each
    for each in (
        SageError,
        ConflictError,
        ForbiddenError,
        InputError,
        LimitError,
        NotAcceptableError,
        NotFoundError,
        PreconditionError,
        ResultLimitError,
        ShapeError,
        StorageError,
        UnavailableError,
    )
}
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_MESSAGE: Final = 200  # characters of a parser's message that are passed on: it may list the whole alphabet
_log = logging.getLogger("sage_ld.service")


def failure(error: Exception, memory_setting: str) -> dict[str, Any]:
    """The end of an answer whose job failed: the description of its error.

    `memory_setting` names the setting that a MemoryError has met.
    """
    told = _told(error, memory_setting)
    kind = next(each.__name__ for each in type(told).__mro__ if each.__name__ in _TYPES)
    report = {"report": told.report} if isinstance(told, ShapeError) else {}
    return {"error": kind, "message": one_line(str(told)), **report}


def raised(said: dict[str, Any]) -> SageError:
    """The error that the end of an answer says. Raises Closed for an end that says none."""
    kind, message = _TYPES.get(str(said.get("error"))), said.get("message")
    if kind is None or not isinstance(message, str):
        raise messages.Closed("the end of a message says no error")
    return ShapeError(message, said["report"]) if kind is ShapeError else kind(message)


def one_line(message: str) -> str:
    """A message without the line breaks and the indentation that parsers write.

    >>> one_line("expected" + chr(10) + "  '{'")
    "expected '{'"
    """
    return " ".join(message.split())


def parser_message(error: Exception) -> str:
    """A parser's message, in one line of bounded length."""
    message = one_line(str(error))
    return message if len(message) <= _MESSAGE else message[:_MESSAGE] + "…"


def _told(error: Exception, memory_setting: str) -> SageError:
    """The error as the client learns it; what it may not learn goes to the log."""
    if isinstance(error, SageError):
        return error
    if isinstance(error, SyntaxError):
        where = "see https://www.w3.org/TR/sparql12-query/"
        return InputError(f"the text does not parse: {parser_message(error)}; {where}")
    if isinstance(error, MemoryError):
        return ResultLimitError(f"the job needs more memory than the setting {memory_setting}; simplify it")
    if isinstance(error, OSError):
        return of_the_system(error)
    if isinstance(error, ValueError | RuntimeError):  # a library's, of what it was given; or a fault of ours
        _log.warning("a job was refused by an error of no kind of ours", exc_info=error)
        return InputError(parser_message(error))
    _log.error("unexpected error in a worker", exc_info=error)
    return SageError("an error in a worker; the service's log says more")


def is_full(error: Exception) -> bool:
    """Whether an error says that the disk is full; pyoxigraph's errors have a message and no number.

    >>> is_full(OSError("IO error: No space left on device: While appending to file: store/000012.log"))
    True
    """
    number = error.errno if isinstance(error, OSError) else None
    return number in _FULL or any(os.strerror(each) in str(error) for each in _FULL)


def of_the_system(error: OSError) -> SageError:
    """What a client learns of an error whose message may name paths of the server: that goes to the log.

    pyoxigraph's errors have no number.
    """
    _log.error("a job met an error of the system", exc_info=error)
    if is_full(error):
        return StorageError("the disk is full; ask the service's operator for space")
    return UnavailableError("files of the graph cannot be read or written; the service's log says more")
