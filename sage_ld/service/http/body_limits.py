"""Limits of a request's body, which the rows of the table of routes name."""

from __future__ import annotations

from typing import Final, NamedTuple

from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.settings import Settings
from sage_ld.service.http.request_values import FORM

UNUSED_BYTES: Final = 8192
"""Most bytes of a body that the route makes nothing of."""
PARAMETER_BYTES: Final = 64 * 2**10
"""Bytes of a form beside its query: the names of graphs above all."""
_ESCAPE: Final = len("%41")
_JSON_ESCAPE: Final = len("\\u0041")


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


def of_a_query(media_type: str, settings: Settings) -> BodyLimit:
    """A query: in a form, each of its bytes may be an escape of three."""
    text = settings.max_query_bytes
    size = _ESCAPE * text + PARAMETER_BYTES if media_type == FORM else text
    return BodyLimit(size, "max_query_bytes")


def of_a_write(_media_type: str, settings: Settings) -> BodyLimit:
    """RDF, an update, or documents."""
    return BodyLimit(settings.max_body_bytes, "max_body_bytes")


def of_json(_media_type: str, settings: Settings) -> BodyLimit:
    """Parameters as JSON."""
    return BodyLimit(settings.max_json_bytes, "max_json_bytes")


def of_json_in_a_form(_media_type: str, settings: Settings) -> BodyLimit:
    """Parameters as JSON in a form: each of its bytes may be an escape of three."""
    return BodyLimit(_ESCAPE * settings.max_json_bytes + PARAMETER_BYTES, "max_json_bytes")


def of_a_tool(_media_type: str, settings: Settings) -> BodyLimit:
    """A call of a tool: each character may be an escape of six, or of twelve beyond the first plane."""
    return BodyLimit(2 * _JSON_ESCAPE * settings.max_tool_input + PARAMETER_BYTES, "max_tool_input")
