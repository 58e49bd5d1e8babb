"""A host of JSON-LD contexts on loopback, well behaved and not."""

from __future__ import annotations

import contextlib
import http.server
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Reply = Callable[[http.server.BaseHTTPRequestHandler], None]


@dataclass
class Host:
    """A server of contexts on loopback, and what it was asked for."""

    port: int
    replies: dict[str, Reply]
    asked: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def given(body: bytes, status: int = 200, **headers: str) -> Reply:
    def reply(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        for name, value in {"Content-Type": "application/ld+json", **named}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return reply


def dripping(handler: http.server.BaseHTTPRequestHandler) -> None:
    given(b"")(handler)
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


CONTEXT = b'{"@context": {"@vocab": "http://v.example/"}}'
REPLIES: dict[str, Reply] = {
    "/ns": given(CONTEXT),
    "/moved": given(b"", 302, Location="/ns"),
    "/away": given(b"", 302, Location="http://169.254.169.254/latest"),
    "/loop": given(b"", 302, Location="/loop"),
    "/page": given(
        b"<html>", 200, Content_Type="text/html", Link='</ns>; rel="alternate"; type="application/ld+json"'
    ),
    "/large": given(b'{"@context": {}}' + b" " * 5000),
    "/packed": given(CONTEXT, 200, Content_Encoding="gzip"),
    "/gone": given(b"", 404),
    "/text": given(b"not JSON"),
    "/slow": dripping,
}


@contextlib.contextmanager
def context_host(replies: dict[str, Reply] = REPLIES) -> Iterator[Host]:
    """A server of contexts, or of other replies by their paths, as long as the block lasts."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(self.path)
            with contextlib.suppress(OSError):  # the client has hung up
                found.replies[self.path](self)

        do_POST = do_PUT = do_GET

        def log_message(self, format: str, *values: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found = Host(server.server_port, replies)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield found
        server.shutdown()
