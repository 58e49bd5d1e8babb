"""The access log: one line per request, for people or as JSON, with the path but not the question."""

from __future__ import annotations

import json
import logging
import sys
import time
from functools import lru_cache
from typing import Any, Final

from sage_ld.foundation.errors import InputError

ACCESS: Final = logging.getLogger("sage_ld.access")
SERVICE: Final = logging.getLogger("sage_ld.service")

_SERVER: Final = "_granian"


class TextFormatter(logging.Formatter):
    """`2026-11-21T10:00:00+0000 INFO message name=value …`."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        pairs = " ".join(f"{name}={value}" for name, value in _fields(record).items())
        line = f"{_time(record)} {record.levelname} {record.getMessage()} {pairs}".rstrip()
        return line + (f"\n{self.formatException(record.exc_info)}" if record.exc_info else "")


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {"time": _time(record), "level": record.levelname, "message": record.getMessage()}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps({**line, **_fields(record)}, ensure_ascii=False)


_FORMATTERS = {"text": TextFormatter, "json": JsonFormatter}


def configure(log_format: str) -> None:
    """Sends what the service and its HTTP server log to standard error.

    Raises InputError for an unknown format.
    """
    if log_format not in _FORMATTERS:
        raise InputError(
            f"setting log_format: {log_format!r} is not a format; give {' or '.join(_FORMATTERS)}"
        )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_FORMATTERS[log_format]())
    for name, level in (("sage_ld", logging.INFO), (_SERVER, logging.ERROR)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level)


def request(environ: dict[str, Any], status: int, size: int, seconds: float) -> None:
    """Logs one request."""
    fields = {
        "method": environ.get("REQUEST_METHOD", ""),
        "path": environ.get("PATH_INFO", "").encode("latin-1", "replace").decode("utf-8", "replace")[:200],
        "status": status,
        "bytes": size,
        "milliseconds": round(1000 * seconds, 1),
        "client": environ.get("REMOTE_ADDR", ""),
    }
    if ACCESS.isEnabledFor(logging.INFO):
        record = logging.LogRecord(ACCESS.name, logging.INFO, "", 0, "request", None, None)
        record.fields = fields
        ACCESS.handle(record)  # as ACCESS.info does, but for the search through the stack for its caller


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    given: dict[str, Any] = getattr(record, "fields", {})
    return {name: _plain(value) for name, value in given.items()}


def _plain(value: object) -> object:
    """A client's text cannot begin a line of its own."""
    if isinstance(value, str) and not (value.isprintable() and " " not in value):
        return "".join(
            sign if sign.isprintable() and sign != " " else f"\\x{ord(sign):02x}" for sign in value
        )
    return value


def _time(record: logging.LogRecord) -> str:
    return _second(int(record.created))


@lru_cache(2)
def _second(moment: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S+0000", time.gmtime(moment))
