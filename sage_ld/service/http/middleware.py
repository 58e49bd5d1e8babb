"""What goes around the application: the body is read before it, within limits, and logging comes after."""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, Final
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from gunicorn.http.errors import NoMoreData, ParseException

from sage_ld.errors import InputError, LimitError
from sage_ld.service.access import headers
from sage_ld.service.heads import reason_of
from sage_ld.service.http import logs, metrics, problems
from sage_ld.service.http.environ import BODY_READ
from sage_ld.service.http.errors import ContentCodingError
from sage_ld.settings import Settings

ROUTE: Final = "sage_ld.route"
"""In the environment of a request: its route, as the metrics name it."""
MODE: Final = "sage_ld.mode"
"""Likewise: the mode of a retrieval."""
_IN_MEMORY = 1 << 20
_BLOCK = 1 << 16


class Prefixed:
    """Has the application know the path below which it is reached, as `SCRIPT_NAME`.

    It makes no difference whether a proxy in front takes the prefix away.
    """

    def __init__(self, app: WSGIApplication, prefix: str) -> None:
        self._app, self._prefix = app, prefix

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answers a request, as PEP 3333 has it."""
        path = environ.get("PATH_INFO", "")
        if path == self._prefix or path.startswith(self._prefix + "/"):
            environ["PATH_INFO"] = path.removeprefix(self._prefix) or "/"
        environ["SCRIPT_NAME"] = self._prefix
        return self._app(environ, start_response)


class BoundedBody:
    """Reads a request's body to its end, up to a limit, before the application sees the request.

    So a client that sends slowly holds nothing but its own thread, and a chunked body has a length.
    """

    def __init__(self, app: WSGIApplication, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._max_bytes = settings.max_body_bytes

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answers a request, as PEP 3333 has it."""
        try:
            body, size = self._read(environ)
        except InputError as error:
            return self._refuse(error, environ, start_response)
        environ.get(BODY_READ, lambda: None)()
        if body is None:
            return self._app(environ, start_response)
        environ.pop("HTTP_TRANSFER_ENCODING", None)
        environ["wsgi.input"] = body
        environ["CONTENT_LENGTH"] = str(size)
        return Closing(self._app(environ, start_response), body.close)

    def _read(self, environ: WSGIEnvironment) -> tuple[IO[bytes] | None, int]:
        """The body and its length.

        Raises LimitError, ContentCodingError, and InputError where it is shorter than announced.
        """
        announced = environ.get("CONTENT_LENGTH") or None
        chunked = "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower()
        if not chunked and (announced is None or announced == "0"):
            return None, 0
        if (coding := environ.get("HTTP_CONTENT_ENCODING", "").strip()).lower() not in ("", "identity"):
            raise ContentCodingError(f"Content-Encoding {coding[:40]!r}: send the body as it is")
        if announced is not None and not announced.isdecimal():
            raise InputError("Content-Length is no number; send one")
        if announced is not None and int(announced) > self._max_bytes:
            raise self._too_large(int(announced))
        small = announced is not None and int(announced) <= _IN_MEMORY and not chunked
        body: IO[bytes] = io.BytesIO() if small else tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  # closed after the answer
        try:
            size = self._copy(environ["wsgi.input"], body)
            if announced is not None and size < int(announced) and not chunked:
                raise InputError(f"the body ends after {size} of {announced} bytes; send all of it")
        except BaseException:
            body.close()
            raise
        body.seek(0)
        return body, size

    def _copy(self, source: Any, body: IO[bytes]) -> int:
        size = 0
        while block := _next_block(source):
            size += len(block)
            if size > self._max_bytes:
                raise self._too_large(size)
            body.write(block)
        return size

    def _too_large(self, size: int) -> LimitError:
        return LimitError.of("the body", size, self._max_bytes, "bytes", "max_body_bytes")

    def _refuse(
        self, error: InputError, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Answers without reading on, and hangs up: what the client still sends is nothing to us."""
        answer = problems.response(error)
        headers.protect(answer, self._settings, environ.get("HTTP_ORIGIN"))
        answer.headers["Connection"] = "close"
        return answer(environ, start_response)


def _next_block(source: Any) -> bytes:
    """Raises InputError for a body that is not chunked as it says, and for one that ends too early."""
    try:
        block: bytes = source.read(_BLOCK)
    except (ParseException, NoMoreData) as error:
        raise reason_of(error) from None
    return block


class Observed:
    """Logs each request and measures it, until its last byte has been written."""

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answers a request, as PEP 3333 has it."""
        begin = time.monotonic()
        seen: dict[str, int] = {"status": 500, "bytes": 0}

        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            seen["status"] = int(status.split(" ", 1)[0])
            return start_response(status, headers, *rest)

        def done() -> None:
            observe(environ, seen["status"], seen["bytes"], time.monotonic() - begin)

        try:
            blocks = self._app(environ, start)
        except BaseException:
            done()
            raise
        return Closing(blocks, done, seen)


def observe(environ: WSGIEnvironment, status: int, size: int, seconds: float) -> None:
    """Logs a request that has been answered, and has the metrics count it."""
    logs.request(environ, status, size, seconds)
    labels = (environ.get(ROUTE, "none"), _method(environ), str(status), environ.get(MODE, ""))
    metrics.REQUESTS.labels(*labels).observe(seconds)


class Closing:
    """Passes blocks on, counts them, and calls something when the server is done with them."""

    def __init__(
        self, blocks: Iterable[bytes], done: Callable[[], None], seen: dict[str, int] | None = None
    ) -> None:
        self._blocks, self._done = blocks, done
        self._seen = {"bytes": 0} if seen is None else seen

    def __iter__(self) -> Iterator[bytes]:
        for block in self._blocks:
            self._seen["bytes"] += len(block)
            yield block

    def close(self) -> None:
        """As PEP 3333 has it: called once, whether all was sent or not."""
        try:
            if hasattr(self._blocks, "close"):
                self._blocks.close()
        finally:
            self._done()


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "QUERY"})


def _method(environ: WSGIEnvironment) -> str:
    """The method, from a fixed list: clients do not make up labels."""
    method = str(environ.get("REQUEST_METHOD", ""))
    return method if method in _METHODS else "other"
