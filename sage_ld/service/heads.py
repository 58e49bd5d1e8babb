"""The head of a request as gunicorn reads it, with our limits, and in our words where it is refused."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from gunicorn.http import errors, message
from gunicorn.http.parser import RequestParser
from gunicorn.http.unreader import SocketUnreader

from sage_ld.bounded_cache import BoundedCache
from sage_ld.errors import InputError, SageError
from sage_ld.service.http.errors import (
    ExpectationError,
    HeaderLimitError,
    RequestLineLimitError,
    TransferCodingError,
)

LONGEST_LINE: Final = message.MAX_REQUEST_LINE
"""The most that gunicorn reads of a request line, whatever its option says."""
_MOST_READ: Final = 1 << 20  # bytes that are taken from the kernel at once
_SHOWN: Final = 200  # characters of a reason: it may quote what the client sent
_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]+)(:\d{0,5})?", re.ASCII)


_IN_LINE: Final = ("method", "uri", "path", "query", "fragment", "version")
_UNKEPT: Final = frozenset({"AUTHORIZATION", "COOKIE", "EXPECT"})
"""Headers that are secret, or that gunicorn acts on as it reads them."""
_SHORT: Final = 1_000
"""Bytes of a request line, or of all headers, up to which it is kept what they say: clients repeat them."""
_LINES: Final = BoundedCache[bytes, tuple[Any, ...]](256)
_HEADERS: Final = BoundedCache[bytes, tuple[str | None, tuple[tuple[str, str], ...]]](256)


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

    def parse_request_line(self, line_bytes: bytes) -> None:
        """Sets method, target and version. Raises ParseException as gunicorn does."""
        if (known := _LINES.get(line_bytes)) is None:
            super().parse_request_line(line_bytes)
            if len(line_bytes) <= _SHORT:
                _LINES.keep({line_bytes: tuple(getattr(self, name) for name in _IN_LINE)})
            return
        for name, value in zip(_IN_LINE, known, strict=True):
            setattr(self, name, value)

    def parse_headers(self, data: bytes, from_trailer: bool = False) -> list[tuple[str, str]]:
        """The names and values. Raises HeaderLimitError, and ParseException as gunicorn does."""
        if not from_trailer and (known := _HEADERS.get(data)) is not None:
            self.origin, found = known
            return list(found)
        lines = data.split(b"\r\n")
        if not from_trailer:
            self.origin = _origin(lines)
        _check_size(lines, self.cfg.limit_request_fields, self.cfg.limit_request_field_size - 2)
        headers: list[tuple[str, str]] = super().parse_headers(data, from_trailer)
        if not from_trailer and len(data) <= _SHORT and _UNKEPT.isdisjoint(name for name, _ in headers):
            _HEADERS.keep({data: (self.origin, tuple(headers))})
        return headers

    def _check_host(self) -> None:
        """Raises InputError as RFC 9112, section 3.2, has it."""
        hosts = [value for name, value in self.headers if name == "HOST"]
        if not hosts and self.version != (1, 0):
            raise InputError("no header Host; send one such as Host: example.org")
        if hosts and not _HOST.fullmatch(hosts[0]):
            raise InputError(f"Host: {hosts[0][:60]!r} is no host; send one such as example.org:8000")


class Incoming(SocketUnreader):
    """What a client sends; calls `make_way` before it waits for more."""

    def __init__(self, client: socket.socket, make_way: Callable[[], None]) -> None:
        super().__init__(client)
        self._make_way = make_way

    def chunk(self, size_hint: int | None = None) -> bytes:
        """What there is, up to some size; nothing where the client has closed."""
        size = min(max(size_hint or 0, self.mxchunk), _MOST_READ)
        try:
            return self.sock.recv(size, socket.MSG_DONTWAIT)
        except BlockingIOError:
            self._make_way()
            return self.sock.recv(size)


class Parser(RequestParser):
    """Reads one request of a connection after another."""

    mesg_class = Head

    def finish_body(self, *arguments: Any, **named: Any) -> Any:
        """Reads what nobody has read of a body, within bounds; gives whether it came to the end."""
        body = getattr(self.mesg, "body", None)
        if body is not None and not body.failed and getattr(body.reader, "length", None) == 0:
            return True  # as a rule: without the calls of the system by which gunicorn would find it out
        made: Any = super()
        return made.finish_body(*arguments, **named)


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
