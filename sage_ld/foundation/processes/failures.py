"""Errors of jobs, passed from a worker to its client: the type's name, the message, a report.

What libraries and the system raise becomes an error of ours in the worker, where its cause is known.
"""

from __future__ import annotations

import errno
import logging
import os
import re
from typing import Any, Final

from sage_ld.foundation.errors import (
    ConflictError,
    ForbiddenError,
    InputError,
    LimitError,
    MissingContextError,
    NotAcceptableError,
    NotFoundError,
    PreconditionError,
    QuerySyntaxError,
    ResultLimitError,
    SageError,
    ShapeError,
    StorageError,
    UnavailableError,
)
from sage_ld.foundation.processes import messages

_TYPES: Final[dict[str, type[SageError]]] = {
    each.__name__: each
    for each in (
        SageError,
        ConflictError,
        ForbiddenError,
        InputError,
        LimitError,
        MissingContextError,
        NotAcceptableError,
        NotFoundError,
        PreconditionError,
        QuerySyntaxError,
        ResultLimitError,
        ShapeError,
        StorageError,
        UnavailableError,
    )
}
_UNTRUSTED: Final = {each.__name__: each for each in (InputError, ResultLimitError, UnavailableError)}
_LONGEST: Final = 1_000  # characters of the message of an error that is not trusted
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_PREFIX: Final = "Prefix not found"
_MESSAGE: Final = 200  # characters of a parser's message that are passed on: it may list the whole alphabet
_PLACE: Final = re.compile(r"error at (\d+):(\d+): ")
_log = logging.getLogger("sage_ld.service")


def failure(error: Exception, memory_setting: str) -> dict[str, Any]:
    """The end of an answer whose job failed: the description of its error.

    `memory_setting` names the setting that a MemoryError has met.
    """
    told = _told(error, memory_setting)
    kind = next(each.__name__ for each in type(told).__mro__ if each.__name__ in _TYPES)
    more: dict[str, Any] = {}
    if isinstance(told, ShapeError):
        more = {"report": told.report, "statements": told.statements}
    elif isinstance(told, QuerySyntaxError):
        more = {"line": told.line, "column": told.column}
    elif isinstance(told, MissingContextError):
        more = {"address": told.address}
    return {"error": kind, "message": one_line(str(told)), **more}


def raised(report: dict[str, Any]) -> SageError:
    """The error that the end of an answer says. Raises ConnectionClosed for an end that says none."""
    kind, message = _TYPES.get(str(report.get("error"))), report.get("message")
    if kind is None or not isinstance(message, str):
        raise messages.ConnectionClosed("the end of a message carries no error")
    if kind is ShapeError:
        return ShapeError(message, report["report"], report["statements"])
    if kind is QuerySyntaxError:
        return QuerySyntaxError(message, report["line"], report["column"])
    if kind is MissingContextError:
        return MissingContextError(message, report["address"])
    return kind(message)


def query_syntax_error(error: SyntaxError) -> InputError:
    """The error for a query that the parser refuses, with its place where the parser names one.

    >>> query_syntax_error(SyntaxError("error at 2:7: expected '{'")).line
    2
    >>> str(query_syntax_error(SyntaxError("error at 2:7: expected one of Prefix not found, ['%']")))[:61]
    'the text does not parse: a prefix at 2:7 is not declared; add'
    """
    match = _PLACE.search(str(error))
    return (
        QuerySyntaxError(_unparsed(error), int(match[1]), int(match[2]))
        if match
        else InputError(_unparsed(error))
    )


def _unparsed(error: SyntaxError) -> str:
    if (place := _PLACE.search(str(error))) and _NO_PREFIX in str(error):
        return (
            f"the text does not parse: a prefix at {place[1]}:{place[2]} is not declared; "
            "add PREFIX name: <IRI> at the beginning"
        )
    return f"the text does not parse: {parser_message(error)}; see https://www.w3.org/TR/sparql12-query/"


def raised_untrusted(report: dict[str, str]) -> SageError:
    """The error in the end of an answer that is not trusted: of few types, in one line of bounded length."""
    kind = report.get("error")
    message = one_line(report.get("message", "").encode("utf-8", "replace").decode())[:_LONGEST]
    if kind == MissingContextError.__name__:
        return MissingContextError(message, str(report.get("address", "")))
    return _UNTRUSTED.get(kind or "", InputError)(message or "no reason was given")


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
        return InputError(_unparsed(error))
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
    """The message to a client for an error that may name paths of the server: the error goes to the log.

    pyoxigraph's errors have no number.
    """
    _log.error("a job met an error of the system", exc_info=error)
    if is_full(error):
        return StorageError("the disk is full; ask the service's operator for space")
    return UnavailableError("files of the graph cannot be read or written; the service's log says more")
