"""An answer on its way to the client: gunicorn's, with the head and the first of the content in one piece."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

from gunicorn.http.wsgi import Response


class Joining:
    """A socket that can hold bytes back, to send them with those that come next.

    Head and content sent one after the other take two calls of the system, and wake the client twice.
    """

    def __init__(self, client: socket.socket, make_way: Callable[[], None]) -> None:
        self._client, self._make_way = client, make_way
        self._held = b""

    def hold(self, data: bytes) -> None:
        """Sends `data` before what is sent next."""
        self._held += data

    def sendall(self, data: bytes) -> None:
        """Sends what was held, and `data`; makes way for others before it waits for the client to take it."""
        held, self._held = self._held, b""
        if not (joined := held + data):
            return
        try:
            sent = self._client.send(joined, socket.MSG_DONTWAIT)
        except BlockingIOError:
            sent = 0
        if sent < len(joined):
            self._make_way()
            self._client.sendall(memoryview(joined)[sent:])


class Answer(Response):
    """Holds its head back until there is content to send, where it has a length and so will have some."""

    def __init__(self, request: Any, client: Any, configuration: Any, make_way: Callable[[], None]) -> None:
        self._joining = Joining(client, make_way)
        super().__init__(request, client, configuration)
        self.sock: Any = self._joining  # of a socket it needs `sendall` alone

    def send_headers(self) -> None:
        """Sends the head, or has the first block send it."""
        if self.headers_sent:
            return
        lines = (*self.default_headers(), *(f"{name}: {value}\r\n" for name, value in self.headers), "\r\n")
        self.headers_sent = True
        self._joining.hold("".join(lines).encode("latin-1"))
        if not self.response_length:
            self._joining.sendall(b"")

    def close(self) -> None:
        """Sends what is left."""
        super().close()
        self._joining.sendall(b"")
