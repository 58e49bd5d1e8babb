"""Request bodies, read on the event loop: within a size, a time, and a total over all requests."""

from __future__ import annotations

import asyncio
import io
import tempfile
from collections.abc import Awaitable, Callable
from typing import IO, Any, Final

from sage_ld.errors import BusyError, InputError
from sage_ld.service.http.body_limits import BodyLimit

Receive = Callable[[], Awaitable[dict[str, Any]]]
"""An ASGI connection's way to the next event of its client."""

IN_MEMORY: Final = 1 << 20
"""Bytes of a body beyond which it lies in a temporary file."""


class BodyRoom:
    """Bytes that all bodies of one web process may take together. For the event loop's thread alone.

    >>> room = BodyRoom(10)
    >>> room.take(8), room.free
    (None, 2)
    """

    def __init__(self, size: int) -> None:
        self.free = size

    def take(self, size: int) -> None:
        """Raises BusyError where there is not so much room."""
        if size > self.free:
            raise BusyError(
                "the bodies of other requests take all the room (setting max_buffered_bytes); "
                "send it again later"
            )
        self.free -= size

    def give_back(self, size: int) -> None:
        """The body is gone."""
        self.free += size


class Body:
    """The body of one request. Close it, or its room is lost."""

    def __init__(self, room: BodyRoom, limit: BodyLimit) -> None:
        self._room, self._limit = room, limit
        self.size = 0
        self.file: IO[bytes] = io.BytesIO()

    async def read(self, receive: Receive, announced: int, seconds: float) -> None:
        """Takes the body from the client, to its end.

        `announced` is the length that the head gives; a longer one than the limit is refused before it is
        sent. Raises LimitError, BusyError, InputError where it takes more
        than `seconds` or breaks off.
        """
        self._check(announced)
        if announced > IN_MEMORY:
            self._spill()
        try:
            async with asyncio.timeout(seconds):
                await self._read(receive)
        except TimeoutError:
            raise InputError(
                f"the body was not sent in {seconds:g} s (setting read_timeout); {self.size:,} bytes came"
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
        self._room.take(len(block))
        self.size += len(block)
        if self.size > IN_MEMORY and isinstance(self.file, io.BytesIO):
            self._spill()
        self.file.write(block)

    def _check(self, size: int) -> None:
        if size > self._limit.bytes:
            raise self._limit.error(size)

    def _spill(self) -> None:
        before = self.file
        self.file = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `close`
        before.seek(0)
        self.file.write(before.read())
        before.close()

    def close(self) -> None:
        """Lets go of the bytes and their room."""
        self.file.close()
        self._room.give_back(self.size)
        self.size = 0
