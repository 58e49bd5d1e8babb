"""Request bodies, read on the event loop: within a size, a time, and a total over all requests."""

from __future__ import annotations

import asyncio
import io
import tempfile
from collections.abc import Awaitable, Callable
from typing import IO, Any, Final

from sage_ld.foundation.errors import BusyError, InputError, SageError
from sage_ld.service.http.body_limits import BodyLimit
from sage_ld.service.http.errors import system_error

Receive = Callable[[], Awaitable[dict[str, Any]]]
"""An ASGI connection's way to the next event of its client."""

IN_MEMORY: Final = 1 << 20
"""Bytes of a body beyond which it lies in a temporary file."""


class BodyRoom:
    """Bytes that bodies of one web process may take together. For the event loop's thread alone.

    A room may be part of another one: what is taken there is taken from the whole as well.

    >>> whole = BodyRoom(10)
    >>> part = BodyRoom(5, whole)
    >>> part.take(4), part.free, whole.free
    (None, 1, 6)
    """

    def __init__(self, size: int, whole: BodyRoom | None = None) -> None:
        self.free = size
        self._whole = whole

    def take(self, size: int) -> None:
        """Raises BusyError if there is not so much room."""
        if size > self.free:
            raise BusyError(
                "the bodies of other requests fill the buffer (setting max_buffered_bytes, half of it "
                "without a token); send it again later"
            )
        if self._whole is not None:
            self._whole.take(size)
        self.free -= size

    def give_back(self, size: int) -> None:
        """The body is gone."""
        self.free += size
        if self._whole is not None:
            self._whole.give_back(size)


class RefusedBody(io.RawIOBase):
    """The body of a client that may not send it: it is not read, and an application that reads it fails."""

    def __init__(self, error: SageError) -> None:
        super().__init__()
        self._error = error

    def readable(self) -> bool:
        """As of any body."""
        return True

    def readinto(self, _buffer: object, /) -> int:
        """Raises the error for which the body is refused."""
        raise self._error


class Body:
    """The body of one request. Close it, or its room is lost."""

    def __init__(self, room: BodyRoom, limit: BodyLimit) -> None:
        self.room, self._limit = room, limit
        self.size = 0
        self.file: IO[bytes] = io.BytesIO()

    async def read(self, receive: Receive, announced: int, seconds: float) -> None:
        """Takes the body from the client, to its end.

        `announced` is the length that the head gives; a longer one than the limit is refused before it is
        sent. Raises LimitError, BusyError, StorageError, InputError if it takes more than `seconds` or
        breaks off.
        """
        self._check(announced)
        try:
            async with asyncio.timeout(seconds):
                await self._read(receive)
        except TimeoutError:
            raise InputError(
                f"the body was not sent in {seconds:g} s (setting read_timeout); {self.size:,} bytes arrived"
            ) from None
        self.file.seek(0)

    async def _read(self, receive: Receive) -> None:
        more = True
        while more:
            event = await receive()
            if event["type"] == "http.disconnect":
                raise InputError(
                    f"the body ends too early, after {self.size:,} bytes, or is not chunked as RFC 9112 has "
                    "it; send all of it"
                )
            self._add(event.get("body", b""))
            more = event.get("more_body", False)

    def _add(self, block: bytes) -> None:
        self._check(self.size + len(block))
        self.room.take(len(block))
        self.size += len(block)
        try:
            if self.size > IN_MEMORY and isinstance(self.file, io.BytesIO):
                self._spill()
            self.file.write(block)
        except OSError as error:
            raise system_error(error) from error

    def _check(self, size: int) -> None:
        if size > self._limit.bytes:
            raise self._limit.error(size)

    def _spill(self) -> None:
        file = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `close`
        before, self.file = self.file, file
        before.seek(0)
        file.write(before.read())
        before.close()

    def close(self) -> None:
        """Lets go of the bytes and their room."""
        self.file.close()
        self.room.give_back(self.size)
        self.size = 0
