"""WSGI middleware: the path below which the service is reached."""

from __future__ import annotations

from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


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
