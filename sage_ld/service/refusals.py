"""The answer to what the server refuses before the application sees it: like every other answer."""

from __future__ import annotations

import contextlib
import socket
import time
from typing import Any

from flask import Response
from werkzeug.http import http_date

from sage_ld.service.access import headers
from sage_ld.service.heads import RefusedError
from sage_ld.service.http import problems
from sage_ld.service.http.middleware import observe
from sage_ld.settings import Settings


def answer(refused: RefusedError, client: socket.socket, address: Any, settings: Settings) -> None:
    """Sends the reason as a problem document, and has log and metrics count it.

    Where the headers were not read, a page may read the answer only if all may.
    """
    head = refused.head
    made = problems.response(refused.reason)
    headers.protect(made, settings, head.origin or headers.ANY_ORIGIN)
    size = _send(client, made, head_only=head.method == "HEAD")
    environ = {
        "REQUEST_METHOD": head.method or "",
        "PATH_INFO": head.path or "",
        "REMOTE_ADDR": address[0] if isinstance(address, tuple) else "",
    }
    observe(environ, made.status_code, size, time.monotonic() - head.begun)


def answer_unexpected(client: socket.socket, error: Exception, settings: Settings) -> None:
    """Sends what can be said of an error of ours; the log has the rest."""
    made = problems.unexpected(error)
    headers.protect(made, settings, headers.ANY_ORIGIN)
    _send(client, made)


def _send(client: socket.socket, made: Response, *, head_only: bool = False) -> int:
    """Sends an answer as the last one of its connection; gives how many bytes its content has."""
    content = made.get_data()
    made.headers.update({"Content-Length": len(content), "Date": http_date(), "Connection": "close"})
    lines = [f"HTTP/1.1 {made.status}", *(f"{name}: {value}" for name, value in made.headers), "", ""]
    sent = b"" if head_only else content
    with contextlib.suppress(OSError):  # the client has gone
        client.sendall("\r\n".join(lines).encode("latin-1") + sent)
    return len(sent)
