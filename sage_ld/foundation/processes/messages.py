"""Messages between a web process and its workers: frames of a kind, a length and that number of bytes.

A worker begins with an end, when it is ready. A job is a JSON frame, data frames and an end; an answer is
data frames and an end, which says how it went.
A peer that dies in between leaves a message without its end, which nobody can mistake for a whole one.
"""

from __future__ import annotations

import json
import struct
from typing import IO, Any, Final, Protocol

HEAD: Final = b"H"
DATA: Final = b"D"
END: Final = b"E"
BLOCK: Final = 1 << 16
_END: Final = 1 << 14
"""Most bytes of the end of an answer that is not trusted."""
_LONGEST: Final = 1 << 27  # bytes of a frame of an answer: far more than any worker sends at once
_PREFIX = struct.Struct("!cI")


class Peer(Protocol):
    """The other end of a connection: the methods of a socket that messages need."""

    def recv(self, count: int, /) -> bytes:
        """At most `count` bytes; none where the other side has gone."""

    def sendall(self, data: bytes, /) -> None:
        """Sends all of `data`."""


class Sink(Protocol):
    """The destination of an answer: a file, or anything with its method `write`."""

    def write(self, data: bytes, /) -> object:
        """Writes all of `data`."""


class BufferedPeer:
    """A peer with a read buffer: a short message takes one system call instead of four."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._buffer = b""

    def recv(self, count: int, /) -> bytes:
        """At most `count` bytes."""
        if not self._buffer:
            self._buffer = self._peer.recv(max(count, BLOCK))
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    def sendall(self, data: bytes, /) -> None:
        """Sends all of `data`."""
        self._peer.sendall(data)


class ConnectionClosed(Exception):
    """The other side has gone, or is of no use any longer."""


class MalformedError(ConnectionClosed):
    """The other side, which is not trusted, has sent an invalid answer, or too much."""


def send_data(peer: Peer, data: bytes) -> None:
    """Sends a frame of data."""
    _send(peer, DATA, data)


def send_end(peer: Peer, said: dict[str, Any], data: bytes = b"") -> None:
    """Sends the last data of an answer and its end, in one piece."""
    end = _frame(END, json.dumps(said).encode())
    peer.sendall(_frame(DATA, data) + end if data else end)


def send_message(peer: Peer, job: dict[str, Any], body: IO[bytes] | None = None) -> None:
    """Sends a job with its body."""
    head, end = _frame(HEAD, json.dumps(job).encode()), _frame(END, b"{}")
    if body is None:
        peer.sendall(head + end)
        return
    peer.sendall(head)
    while block := body.read(BLOCK):
        send_data(peer, block)
    peer.sendall(end)


def receive_message(peer: Peer, body: Sink | None = None) -> dict[str, Any]:
    """A job; its body goes to `body`. Raises ConnectionClosed where the peer has gone."""
    kind, content = _receive(peer)
    if kind != HEAD:
        raise ConnectionClosed(f"expected the head of a message, got {kind!r}")
    job: dict[str, Any] = json.loads(content)
    receive_body(peer, body)
    return job


def receive_body(peer: Peer, body: Sink | None = None) -> dict[str, Any]:
    """The end of a message, as a dictionary; the data before it goes to `body`.

    Raises ConnectionClosed where the peer has gone, or sends an invalid message: code that has taken over a
    worker can send anything.
    """
    while True:
        kind, content = _receive(peer, _LONGEST)
        if kind == END:
            return _dictionary(content)
        if kind != DATA:
            raise ConnectionClosed(f"expected data or the end of a message, got {kind!r}")
        if body is not None:
            body.write(content)


def receive_untrusted(peer: Peer, body: Sink, most: int) -> dict[str, str]:
    """The end of an answer from a process that a stranger's program runs in; the data goes to `body`.

    It has `most` bytes of data at most, and its end nothing but texts. Raises ConnectionClosed where the
    peer has gone, MalformedError for anything else.
    """
    left = most
    while True:
        kind, content = _receive(peer, min(left, BLOCK) if left > _END else _END)
        if kind == END:
            return _texts(content)
        left -= len(content)
        if kind != DATA or not content or left < 0:
            raise MalformedError(f"a frame of the kind {kind!r}, or more than {most:,} bytes")
        body.write(content)


def _texts(content: bytes) -> dict[str, str]:
    """The end of an answer that is not trusted: a JSON object whose values are texts."""
    members = _dictionary(content)
    if not all(isinstance(each, str) for each in members.values()):
        raise MalformedError("an end that is not an object of strings")
    return members


def _dictionary(content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        raise MalformedError("the end of a message is not JSON") from None
    if not isinstance(value, dict):
        raise MalformedError("the end of a message is not an object")
    return value


def _send(peer: Peer, kind: bytes, content: bytes) -> None:
    peer.sendall(_frame(kind, content))


def _frame(kind: bytes, content: bytes) -> bytes:
    return _PREFIX.pack(kind, len(content)) + content


def _receive(peer: Peer, most: int | None = None) -> tuple[bytes, bytes]:
    """A frame's kind and content. Raises MalformedError where that is longer than `most`."""
    kind, length = _PREFIX.unpack(_exactly(peer, _PREFIX.size))
    if most is not None and length > most:
        raise MalformedError(f"a frame of {length:,} bytes")
    return kind, _exactly(peer, length)


def _exactly(peer: Peer, count: int) -> bytes:
    content = bytearray()
    while len(content) < count:
        if not (block := peer.recv(min(count - len(content), 1 << 20))):
            raise ConnectionClosed("the other side has gone")
        content += block
    return bytes(content)
