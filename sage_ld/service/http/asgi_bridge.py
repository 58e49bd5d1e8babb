"""A bridge to an ASGI application from a request thread: it runs there, on an event loop of its own.

So what guards and bounds every other request holds for it, too: a library's application gets requests whose
host, token and body have been checked, and it may take as long as it likes without holding the server's loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final, TypeAlias
from wsgiref.types import WSGIEnvironment

from sage_ld.service.http.environ import CLIENT_GONE

Application: TypeAlias = Callable[[dict[str, Any], Any, Any], Awaitable[None]]
_LOOK: Final = 0.1  # seconds between two looks whether the client is still there
_AHEAD: Final = 16  # events that the application may be ahead of its client
_COMMENT: Final = b": \r\n\r\n"
"""A comment of an event stream. The last block of an answer waits for the next one; so an event goes out."""


class AsgiExchange:
    """One request to an ASGI application, and its answer. Close it, or its loop is left open."""

    def __init__(self, application: Application, environ: WSGIEnvironment, body: bytes) -> None:
        self._gone: Callable[[], bool] = environ.get(CLIENT_GONE, lambda: False)
        self._body: bytes | None = body
        self._is_stream = False
        self._loop = asyncio.new_event_loop()
        self._events: asyncio.Queue[dict[str, Any]] = asyncio.Queue(_AHEAD)
        work = application(scope_of(environ), self._receive, self._events.put)
        self._task = self._loop.create_task(_awaited(work))

    def begin(self) -> tuple[int, list[tuple[str, str]]]:
        """Status and headers of the answer. Raises what the application raises before them."""
        event = self._next()
        if event is None:
            raise RuntimeError("the application ended without an answer")
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in event["headers"]]
        self._is_stream = any(value.startswith("text/event-stream") for _, value in headers)
        return int(event["status"]), headers

    def blocks(self) -> Iterator[bytes]:
        """The content of the answer, as it comes."""
        while (event := self._next()) is not None:
            if content := event.get("body"):
                yield content
                if self._is_stream and event.get("more_body"):
                    yield _COMMENT
            if not event.get("more_body"):
                return

    def close(self) -> None:
        """Ends what still runs."""
        if not self._loop.is_closed():
            self._task.cancel()
            self._loop.run_until_complete(asyncio.gather(self._task, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    def _next(self) -> dict[str, Any] | None:
        """The next event of the application; None once it has ended."""
        return self._loop.run_until_complete(self._event())

    async def _event(self) -> dict[str, Any] | None:
        waiting = asyncio.ensure_future(self._events.get())
        await asyncio.wait((waiting, self._task), return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            return waiting.result()
        waiting.cancel()
        self._task.result()
        return None

    async def _receive(self) -> dict[str, Any]:
        if (body := self._body) is not None:
            self._body = None
            return {"type": "http.request", "body": body, "more_body": False}
        while not self._gone():
            await asyncio.sleep(_LOOK)
        return {"type": "http.disconnect"}


async def _awaited(work: Awaitable[None]) -> None:
    await work


def scope_of(environ: WSGIEnvironment) -> dict[str, Any]:
    """The ASGI scope of a request, from its WSGI environment."""
    headers = [
        (name.removeprefix("HTTP_").lower().replace("_", "-").encode("latin-1"), str(value).encode("latin-1"))
        for name, value in environ.items()
        if name.startswith("HTTP_") or (name in ("CONTENT_TYPE", "CONTENT_LENGTH") and value)
    ]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": environ.get("SERVER_PROTOCOL", "HTTP/1.1").removeprefix("HTTP/"),
        "method": environ["REQUEST_METHOD"],
        "scheme": environ["wsgi.url_scheme"],
        "path": environ["PATH_INFO"],
        "raw_path": environ["PATH_INFO"].encode("latin-1"),
        "query_string": environ.get("QUERY_STRING", "").encode("latin-1"),
        "root_path": environ.get("SCRIPT_NAME", ""),
        "headers": headers,
        "client": (environ.get("REMOTE_ADDR", ""), 0),
        "server": (environ.get("SERVER_NAME", ""), int(environ.get("SERVER_PORT") or 0)),
    }
