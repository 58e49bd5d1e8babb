"""Limits of a request's body by route: a table that is consulted before the body is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.settings import Settings
from sage_ld.service.http.parameters import FORM

UNUSED_BYTES: Final = 8192
"""Most bytes of a body that the route makes nothing of."""
PARAMETER_BYTES: Final = 64 * 2**10
"""Bytes of a form beside its query: the names of graphs above all."""
_ESCAPE: Final = len("%41")
_JSON_ESCAPE: Final = len("\\u0041")
_BODIES: Final = ("POST", "PUT", "PATCH", "QUERY")


class BodyLimit(NamedTuple):
    """The most bytes that a body may have, and the setting that it follows from; "" where there is none."""

    bytes: int
    setting: str

    def error(self, size: int) -> LimitError:
        """The error for a body of `size` bytes."""
        if self.setting:
            return LimitError.of("the body", size, self.bytes, "bytes", self.setting)
        return LimitError(
            f"the body: {size:,} bytes, the limit is {self.bytes:,}; this route makes nothing of a body"
        )


@dataclass(frozen=True, slots=True)
class BodyRow:
    """The limit of the bodies of one surface."""

    path: str
    """With what is below it."""
    limit: Callable[[str, Settings], BodyLimit]
    """From the media type."""
    methods: tuple[str, ...] = _BODIES


def _of_a_query(media_type: str, settings: Settings) -> BodyLimit:
    """In a form each byte of the query may be an escape of three."""
    text = settings.max_query_bytes
    size = _ESCAPE * text + PARAMETER_BYTES if media_type == FORM else text
    return BodyLimit(size, "max_query_bytes")


def _of_a_write(_media_type: str, settings: Settings) -> BodyLimit:
    return BodyLimit(settings.max_body_bytes, "max_body_bytes")


def _of_json(_media_type: str, settings: Settings) -> BodyLimit:
    return BodyLimit(settings.max_json_bytes, "max_json_bytes")


def _of_a_tool(_media_type: str, settings: Settings) -> BodyLimit:
    """In JSON each character may be an escape of six, or of twelve beyond the first plane."""
    return BodyLimit(2 * _JSON_ESCAPE * settings.max_tool_input + PARAMETER_BYTES, "max_tool_input")


ROWS: Final = (
    BodyRow("/sparql", _of_a_query),
    BodyRow("/update", _of_a_write),
    BodyRow("/data", _of_a_write),
    BodyRow("/v1/documents", _of_a_write, ("POST", "PUT")),  # a patch is JSON like any other
    BodyRow("/v1", _of_json),
    BodyRow("/mcp", _of_a_tool, ("POST",)),
)


def body_limit(path: str, method: str, content_type: str, settings: Settings) -> BodyLimit:
    """The limit of the body of a request; `path` is without the setting path_prefix.

    >>> body_limit("/v1/retrieve", "POST", "application/json", Settings())
    BodyLimit(bytes=262144, setting='max_json_bytes')
    >>> body_limit("/v1/retrieve", "GET", "", Settings()).bytes
    8192
    """
    media_type = content_type.partition(";")[0].strip().lower()
    for row in ROWS:
        if method in row.methods and (path == row.path or path.startswith(row.path + "/")):
            return min(row.limit(media_type, settings), BodyLimit(settings.max_body_bytes, "max_body_bytes"))
    return BodyLimit(UNUSED_BYTES, "")
