"""The answer to what the server refuses before the application sees it: like every other answer."""

from __future__ import annotations

import contextlib
import socket
import time
from email.utils import formatdate
from typing import Any

from sage_ld.service import problems, security
from sage_ld.service.heads import RefusedError
from sage_ld.service.middleware import observe
from sage_ld.settings import Settings


def answer(refused: RefusedError, client: socket.socket, address: Any, settings: Settings) -> None:
    """Sends the reason as a problem document, and has log and metrics count it.

    Where the headers were not read, a page may read the answer only if all may.
    """
    head = refused.head
    made = problems.response(refused.reason)
    security.protect(made, settings, head.origin or security.ANY_ORIGIN)
    content = b"" if head.method == "HEAD" else made.get_data()
    _send(client, made.status, {**made.headers, "Content-Length": str(len(made.get_data()))}, content)
    environ = {
        "REQUEST_METHOD": head.method or "",
        "PATH_INFO": head.path or "",
        "REMOTE_ADDR": address[0] if isinstance(address, tuple) else "",
    }
    observe(environ, made.status_code, len(content), time.monotonic() - head.begun)


def answer_unexpected(client: socket.socket, error: Exception, settings: Settings) -> None:
    """Sends what can be said of an error of ours; the log has the rest."""
    made = problems.unexpected(error)
    security.protect(made, settings, security.ANY_ORIGIN)
    content = made.get_data()
    _send(client, made.status, {**made.headers, "Content-Length": str(len(content))}, content)


def _send(client: socket.socket, status: str, headers: dict[str, str], content: bytes) -> None:
    sent = {**headers, "Date": formatdate(usegmt=True), "Connection": "close"}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in sent.items()), "", ""]
    with contextlib.suppress(OSError):  # the client has gone
        client.sendall("\r\n".join(lines).encode("latin-1") + content)
