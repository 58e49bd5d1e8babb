"""Observation of each answered request: one line in the log and one measurement."""

from __future__ import annotations

from typing import Final
from wsgiref.types import WSGIEnvironment

from sage_ld.service.http import logs, metrics
from sage_ld.service.http.environ import MODE, ROUTE

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "QUERY"})


def observe(environ: WSGIEnvironment, status: int, size: int, seconds: float) -> None:
    """Logs a request that was answered with `size` bytes after `seconds`, and has the metrics count it."""
    logs.request(environ, status, size, seconds)
    labels = (environ.get(ROUTE, "none"), _method(environ), str(status), environ.get(MODE, ""))
    metrics.REQUESTS.labels(*labels).observe(seconds)


def _method(environ: WSGIEnvironment) -> str:
    """The method, from a fixed list: clients do not make up labels."""
    method = str(environ.get("REQUEST_METHOD", ""))
    return method if method in _METHODS else "other"
