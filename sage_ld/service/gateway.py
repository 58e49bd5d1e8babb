"""The gateway from an ASGI server to the WSGI application.

The server's event loop holds what costs nothing but memory: connections, heads and bodies on their way in,
the last bytes of answers on their way out. A thread is taken once a request is complete, and runs the
application from its call to the last block of its answer, because the store's results belong to one thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from typing import Any, Final
from urllib.parse import unquote_to_bytes
from wsgiref.types import WSGIApplication, WSGIEnvironment

from flask import Response

from sage_ld.foundation.errors import BusyError, SageError
from sage_ld.foundation.settings import Settings
from sage_ld.service.access import hosts as access_headers
from sage_ld.service.bodies import Body, BodyRoom, Receive, RefusedBody
from sage_ld.service.http import problems, request_heads
from sage_ld.service.http.body_limits import BodyLimit
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.observation import observe
from sage_ld.service.route_table import body_limit

Send = Callable[[dict[str, Any]], Awaitable[None]]
"""An ASGI connection's way to its client."""

_BLOCK: Final = (
    1 << 16
)  # bytes of an answer that are sent at once: a slow client holds no more of it in memory
_SHORT: Final = 0.01
"""Seconds in which most answers are there, and nobody looks whether their clients still are."""
_SERVER: Final = (b"server", b"sage-ld")
_CLOSE: Final = (b"connection", b"close")
_log = logging.getLogger("sage_ld.service")


class SlowClientError(Exception):
    """The client takes no more of the answer."""


class Gateway:
    """An ASGI application that has a WSGI application answer, in one of a number of threads."""

    def __init__(
        self, app: WSGIApplication, settings: Settings, admit: Callable[[WSGIEnvironment], int]
    ) -> None:
        """`admit` returns the role of the sender of a body, 0 without a token.

        It raises SageError if the body need not be sent.
        """
        self._app, self._settings, self._admit = app, settings, admit
        self._threads = ThreadPoolExecutor(settings.web_threads, thread_name_prefix="request")
        self._places = settings.web_threads + settings.web_queue
        self._room = BodyRoom(settings.max_buffered_bytes)
        self._room_of_strangers = BodyRoom(settings.max_buffered_bytes // 2, self._room)
        self._under_way = 0

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answers a request, as ASGI 3 has it."""
        begun = time.monotonic()
        environ = wsgi_environ(scope)
        delivery = Delivery(send, self._settings.write_timeout)
        body = Body(self._room_of_strangers, self._limit(environ))
        self._under_way += 1
        try:
            with contextlib.suppress(SlowClientError):
                await self._answer(scope, environ, receive, delivery, body)
        finally:
            self._under_way -= 1
            body.close()
            observe(environ, delivery.status, delivery.size, time.monotonic() - begun)

    def _limit(self, environ: WSGIEnvironment) -> BodyLimit:
        """The limit of the body of a request."""
        path = environ["PATH_INFO"].removeprefix(self._settings.path_prefix)
        media_type = environ.get("CONTENT_TYPE", "")
        return body_limit(path, environ["REQUEST_METHOD"], media_type, self._settings)

    async def drain(self) -> None:
        """Waits until no request is under way."""
        while self._under_way:
            await asyncio.sleep(0.05)

    async def _answer(
        self,
        scope: dict[str, Any],
        environ: WSGIEnvironment,
        receive: Receive,
        delivery: Delivery,
        body: Body,
    ) -> None:
        try:
            target = len(scope["raw_path"]) + len(scope["query_string"])
            request_heads.check_head(target, scope["http_version"], scope["headers"], self._settings)
            await self._read(scope, environ, receive, delivery, body)
            # a body that is refused is not asked for, as looking for the client's end would do
            watch = nullcontext(lambda: False) if delivery.hangs_up else _hanging_up(receive)
            with self._place(), watch as gone:
                environ[CLIENT_GONE] = gone
                last = await asyncio.get_running_loop().run_in_executor(
                    self._threads, self._run, environ, delivery, asyncio.get_running_loop()
                )
                await delivery.finish(last)
        except SageError as error:
            await self._refuse(problems.problem_response(error), environ, delivery)

    async def _read(
        self,
        scope: dict[str, Any],
        environ: WSGIEnvironment,
        receive: Receive,
        delivery: Delivery,
        body: Body,
    ) -> None:
        """Takes the body; that of a client who may not send it stays where it is, as `wsgi.input` then says.

        The application refuses the request by its head, and the connection ends with its answer.
        """
        environ["wsgi.input"] = body.file
        if not request_heads.announces_body(scope["headers"]):
            return
        try:
            if self._admit(environ):
                body.room = self._room
        except SageError as error:
            environ["wsgi.input"] = RefusedBody(error)
            environ.setdefault("CONTENT_LENGTH", "1")  # without a length nobody would read, and fail
            delivery.hangs_up = True
            return
        announced = request_heads.announced_length(scope["headers"])
        await body.read(receive, announced, self._settings.read_timeout)
        environ["wsgi.input"] = body.file  # another one than before, where it is long
        if body.size:
            environ["CONTENT_LENGTH"] = str(body.size)

    @contextmanager
    def _place(self) -> Iterator[None]:
        """One of the places of requests that run or wait for a thread. Raises BusyError without one."""
        if self._places == 0:
            raise BusyError(
                f"{self._settings.web_threads + self._settings.web_queue} requests are running or waiting "
                "already (settings web_threads, web_queue); try again later"
            )
        self._places -= 1
        try:
            yield
        finally:
            self._places += 1

    def _run(
        self, environ: WSGIEnvironment, delivery: Delivery, loop: asyncio.AbstractEventLoop
    ) -> bytes | None:
        """Calls the application and sends its answer but for the last block, which is given.

        Gives None if the answer has begun and cannot be ended.
        """
        try:
            blocks = self._app(environ, delivery.start_response)
            try:
                return delivery.send_all_but_last(blocks, loop)
            finally:
                if hasattr(blocks, "close"):
                    blocks.close()
        except SlowClientError:
            return None
        except Exception as error:
            _log.exception("an answer ended early")
            if delivery.begun:
                return None
            answer = problems.unexpected(error)
            self._protect(answer, environ)
            delivery.start_response(answer.status, answer.headers.to_wsgi_list())
            return answer.get_data()

    async def _refuse(self, answer: Response, environ: WSGIEnvironment, delivery: Delivery) -> None:
        """Answers without reading on, and disconnects: the rest of the request is ignored."""
        self._protect(answer, environ)
        delivery.hangs_up = True
        content = answer.get_data()
        answer.headers["Content-Length"] = str(len(content))
        delivery.start_response(answer.status, answer.headers.to_wsgi_list())
        await delivery.finish(b"" if environ["REQUEST_METHOD"] == "HEAD" else content)

    def _protect(self, answer: Response, environ: WSGIEnvironment) -> None:
        access_headers.add_headers(answer, self._settings, environ.get("HTTP_ORIGIN"))


class Delivery:
    """One answer on its way from the application, in a thread, to the client, over the event loop."""

    def __init__(self, send: Send, seconds: float) -> None:
        self._send, self._seconds = send, seconds
        self._headers: list[tuple[bytes, bytes]] = []
        self.status = 500
        self.size = 0
        """Bytes of content that were sent."""
        self.begun = False
        self.hangs_up = False
        """Whether the connection ends with the answer: the client may still be sending."""

    def start_response(
        self, status: str, headers: list[tuple[str, str]], exc_info: Any = None, /
    ) -> Callable[[bytes], object]:
        """Takes status and headers, as PEP 3333 has it."""
        self.status = int(status.split(" ", 1)[0])
        self._headers = [(name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in headers]
        return _no_write

    def send_all_but_last(self, blocks: Iterable[bytes], loop: asyncio.AbstractEventLoop) -> bytes:
        """Sends the blocks but for the last one, which is given. For a thread beside the event loop's."""
        held = b""
        for block in blocks:
            if held and block:
                asyncio.run_coroutine_threadsafe(self._deliver(held, more=True), loop).result()
            held = block or held
        return held

    async def finish(self, last: bytes | None) -> None:
        """Sends the last block; for None it breaks the connection off, so that it looks like no end."""
        if last is not None:
            await self._deliver(last, more=False)

    async def _deliver(self, content: bytes, *, more: bool) -> None:
        """Raises SlowClientError if the client takes nothing of it for too long."""
        try:
            if not self.begun:
                self.begun = True
                headers = [*self._headers, _SERVER, *((_CLOSE,) if self.hangs_up else ())]
                await self._send({"type": "http.response.start", "status": self.status, "headers": headers})
            for begin in range(0, max(len(content), 1), _BLOCK):
                piece = content[begin : begin + _BLOCK] if len(content) > _BLOCK else content
                going_on = more or begin + _BLOCK < len(content)
                async with asyncio.timeout(self._seconds):
                    await self._send({"type": "http.response.body", "body": piece, "more_body": going_on})
                self.size += len(piece)
        except TimeoutError:
            raise SlowClientError from None


def _no_write(_: bytes) -> object:
    raise NotImplementedError("write() of PEP 3333 is not offered; give the content as blocks")


@contextmanager
def _hanging_up(receive: Receive) -> Iterator[Callable[[], bool]]:
    """Says whether the client has disconnected, from `_SHORT` after the begin of the block to its end."""
    gone = False
    tasks: list[asyncio.Task[None]] = []

    async def wait() -> None:
        nonlocal gone
        while not gone:
            gone = (await receive())["type"] == "http.disconnect"

    loop = asyncio.get_running_loop()
    start = loop.call_later(_SHORT, lambda: tasks.append(loop.create_task(wait())))
    try:
        yield lambda: gone
    finally:
        start.cancel()
        for task in tasks:
            task.cancel()


def wsgi_environ(scope: dict[str, Any]) -> WSGIEnvironment:
    """The WSGI environment of a request (PEP 3333) from its ASGI scope, without its body.

    A header whose name has an underscore is left out: in the environment it would pass for another one.
    """
    path, query = scope["raw_path"], scope["query_string"].decode("latin-1")
    client = scope.get("client") or ("", 0)
    environ: WSGIEnvironment = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query,
        "RAW_URI": path.decode("latin-1") + (f"?{query}" if query else ""),
        "SERVER_NAME": str(scope["server"][0]),
        "SERVER_PORT": str(scope["server"][1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": str(client[0]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        if b"_" not in name:
            key, text = _key(name), value.decode("latin-1")
            environ[key] = f"{environ[key]},{text}" if key in environ else text
    environ.pop("HTTP_TRANSFER_ENCODING", None)  # the body has been read, and has a length
    return environ


def _key(name: bytes) -> str:
    key = name.decode("latin-1").upper().replace("-", "_")
    return key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
