"""The table of routes: those of the service and of its extensions, looked up by method and path."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Final

from sage_ld.foundation.settings import Settings
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.extensions import installed
from sage_ld.service.http.body_limits import UNUSED_BYTES, BodyLimit
from sage_ld.service.route import Route

_OWN: Final = "sage_ld.service.routes.table"
"""Imported when the table is first read: its modules import what answers requests, which reads the table."""


@cache
def routes() -> tuple[Route, ...]:
    """All routes."""
    surfaces = (*import_module(_OWN).SURFACES, *(each for one in installed() for each in one.surfaces))
    return tuple(route for surface in surfaces for route in surface.routes)


def needed_role(path: str, method: str, settings: Settings) -> AccessRole:
    """The role that a request needs beside that of reading; `path` is without the setting path_prefix."""
    return max((each.needs(settings) for each in _matching(path, method)), default=AccessRole.NOBODY)


def body_limit(path: str, method: str, content_type: str, settings: Settings) -> BodyLimit:
    """The limit of the body of a request; `path` is without the setting path_prefix.

    >>> body_limit("/v1/retrieve", "POST", "application/json", Settings())
    BodyLimit(bytes=262144, setting='max_json_bytes')
    >>> body_limit("/v1/retrieve", "GET", "", Settings()).bytes
    8192
    """
    media_type = content_type.partition(";")[0].strip().lower()
    for route in _matching(path, method):
        if route.limit is not None:
            most = BodyLimit(settings.max_body_bytes, "max_body_bytes")
            return min(route.limit(media_type, settings), most)
    return BodyLimit(UNUSED_BYTES, "")


def is_open(path: str) -> bool:
    """Whether a path answers everybody under every name."""
    return any(each.open for each in _matching(path, "GET"))


def _matching(path: str, method: str) -> Iterator[Route]:
    wanted = "GET" if method == "HEAD" else method
    return (each for each in routes() if each.method == wanted and each.pattern.fullmatch(path))
