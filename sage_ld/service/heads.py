"""The head of a request as gunicorn reads it, with our limits, and in our words where it is refused."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any, Final

from gunicorn.http import errors, message
from gunicorn.http.parser import RequestParser

from sage_ld.errors import InputError, SageError
from sage_ld.service.failures import (
    ExpectationError,
    HeaderLimitError,
    RequestLineLimitError,
    TransferCodingError,
)

LONGEST_LINE: Final = message.MAX_REQUEST_LINE
"""The most that gunicorn reads of a request line, whatever its option says."""
_SHOWN: Final = 200  # characters of a reason: it may quote what the client sent
_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]+)(:\d{0,5})?", re.ASCII)


class RefusedError(Exception):
    """What was sent is no request that is served. `head` is what had been read of it, `reason` says why."""

    def __init__(self, head: Head, reason: SageError) -> None:
        super().__init__(str(reason))
        self.head, self.reason = head, reason


class Head(message.Request):
    """A request without its body. Raises RefusedError for what is none, or larger than the settings allow."""

    origin: str | None = None
    """The header Origin, as soon as it has been read."""

    def __init__(self, *arguments: Any) -> None:
        self.begun = time.monotonic()
        try:
            super().__init__(*arguments)
            self._check_host()
        except (errors.ParseException, SageError) as error:
            raise RefusedError(self, reason_of(error)) from None

    def parse_headers(self, data: bytes, from_trailer: bool = False) -> list[tuple[str, str]]:
        """The names and values. Raises HeaderLimitError, and ParseException as gunicorn does."""
        lines = data.split(b"\r\n")
        if not from_trailer:
            self.origin = _origin(lines)
        _check_size(lines, self.cfg.limit_request_fields, self.cfg.limit_request_field_size - 2)
        headers: list[tuple[str, str]] = super().parse_headers(data, from_trailer)
        return headers

    def _check_host(self) -> None:
        """Raises InputError as RFC 9112, section 3.2, has it."""
        hosts = [value for name, value in self.headers if name == "HOST"]
        if not hosts and self.version != (1, 0):
            raise InputError("no header Host; send one such as Host: example.org")
        if hosts and not _HOST.fullmatch(hosts[0]):
            raise InputError(f"Host: {hosts[0][:60]!r} is no host; send one such as example.org:8000")


class Parser(RequestParser):
    """Reads one request of a connection after another."""

    mesg_class = Head


def reason_of(error: Exception) -> SageError:
    """Why gunicorn refuses a request, in our terms."""
    if isinstance(error, SageError):
        return error
    if isinstance(error, errors.LimitRequestLine):
        return RequestLineLimitError(
            f"the request line: at least {error.size:,} bytes, the limit is {error.max_size:,} (setting "
            "max_request_line); send a query or a form by POST"
        )
    if isinstance(error, errors.LimitRequestHeaders):
        return HeaderLimitError(
            "the headers have more bytes than the settings max_header_fields and max_header_bytes allow "
            "together; send fewer or shorter ones"
        )
    said = " ".join(str(error).split())[:_SHOWN]
    if isinstance(error, errors.ExpectationFailed):
        return ExpectationError(f"{said}; send Expect: 100-continue, or leave it out")
    if isinstance(error, errors.UnsupportedTransferCoding):
        return TransferCodingError(f"{said}; send the body as it is, or chunked")
    if isinstance(error, errors.NoMoreData):
        return InputError("the body ends in the middle of a chunk; send all of it")
    return InputError(f"{said}; send a request as RFC 9112 has it")


def _check_size(lines: Sequence[bytes], most: int, longest: int) -> None:
    """Raises HeaderLimitError for more headers than `most`, or a header of more bytes than `longest`."""
    if len(lines) > most:
        raise HeaderLimitError(
            f"the request: {len(lines):,} headers, the limit is {most:,}; send fewer or raise the setting "
            "max_header_fields"
        )
    for line in lines:
        if len(line) > longest:
            name = line.partition(b":")[0][:40].decode("latin-1")
            raise HeaderLimitError(
                f"the header {name!r}: {len(line):,} bytes, the limit is {longest:,}; shorten it or raise "
                "the setting max_header_bytes"
            )


def _origin(lines: Sequence[bytes]) -> str | None:
    found = (line.partition(b":") for line in lines)
    values = (value for name, _, value in found if name.lower() == b"origin")
    value = next(values, None)
    return None if value is None else value.strip().decode("latin-1")
