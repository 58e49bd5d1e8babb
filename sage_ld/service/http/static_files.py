"""The static files of the pages: compressed once for clients that take gzip, with entity tags.

Flask's own route sends files as they lie; its extensions compress each response every time, or keep them in
a cache without a bound that knows the files.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import NotFound
from werkzeug.security import safe_join

ENDPOINT: Final = "static"
_HASHED: Final = re.compile(r"app/shared/[\w.-]*-[A-Z0-9]{8}\.\w+")
"""Files whose name has a hash of their content: what it names never changes."""
_SMALL: Final = 512
"""Bytes below which a file is sent as it is."""
_MOST_KEPT: Final = 256
"""Files that are kept in memory; the package has fewer."""
_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file as it is sent."""

    content: bytes
    packed: bytes | None
    """Compressed; None where that saves nothing."""
    digest: str
    media_type: str


def serve(app: Flask) -> None:
    """Puts this module's route in the place of the application's own for static files."""
    app.view_functions[ENDPOINT] = _send


def _send(filename: str) -> Response:
    """A static file. Raises NotFound."""
    file = _opened(str(current_app.static_folder), filename)
    answer = Response(content_type=file.media_type)
    tag = file.digest
    answer.vary.add("Accept-Encoding")
    if file.packed is not None and request.accept_encodings["gzip"] > 0:
        answer.content_encoding = "gzip"
        tag += "-gzip"  # another representation
        answer.set_data(file.packed)
    else:
        answer.set_data(file.content)
    answer.set_etag(tag)
    if _HASHED.fullmatch(filename):
        answer.cache_control.max_age = 31_536_000
        answer.cache_control.public = True
        answer.cache_control.immutable = True
    else:
        answer.cache_control.no_cache = True
    answer.make_conditional(request)
    return answer


def _opened(folder: str, name: str) -> StaticFile:
    """A file below a folder, read again if it has changed. Raises NotFound."""
    path = safe_join(folder, name)
    try:
        if path is None or not Path(path).is_file():
            raise NotFound
        stat = Path(path).stat()
        return _read(path, stat.st_mtime_ns, stat.st_size)
    except (OSError, ValueError):  # not a valid file name, such as one with NUL
        raise NotFound from None


@lru_cache(_MOST_KEPT)
def _read(path: str, _time: int, _size: int) -> StaticFile:
    content = Path(path).read_bytes()
    packed = gzip.compress(content, 9, mtime=0) if len(content) >= _SMALL else None
    if packed is not None and len(packed) > 0.9 * len(content):  # an image, compressed already
        packed = None
    suffix = Path(path).suffix
    media_type = _TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    charset = "; charset=utf-8" if media_type.startswith("text/") else ""
    return StaticFile(content, packed, hashlib.sha256(content).hexdigest()[:32], media_type + charset)


class PathPrefix:
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
