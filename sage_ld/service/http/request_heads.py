"""Checks of request heads: rules of HTTP beyond syntax, and the limits of the settings.

The server has parsed the head (RFC 9112) and refused anything that is not HTTP. Checked here is what it
leaves to the application: Host, Expect, codings of the body, and sizes that have a setting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings
from sage_ld.service.http.errors import (
    ContentCodingError,
    ExpectationError,
    HeaderLimitError,
    RequestLineLimitError,
    TransferCodingError,
)

Headers = Sequence[tuple[bytes, bytes]]
"""Names in small letters and values, in order; a name may come more than once."""

_HOST: Final = re.compile(rb"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]+)(?::\d{0,5})?", re.ASCII)
_PLAIN: Final = (b"", b"identity")
_SHOWN: Final = 60  # characters of a client's text in a message


def values(headers: Headers, name: bytes) -> list[bytes]:
    """All values of the header `name`, which is given in small letters."""
    return [value for key, value in headers if key == name]


def check_head(target: int, http_version: str, headers: Headers, settings: Settings) -> None:
    """Raises the InputError that says why a request is refused by its head.

    `target` is the length of the request's target in bytes, `http_version` is as in ASGI: `1.0` or `1.1`.
    """
    if target > settings.max_request_line:
        raise RequestLineLimitError(
            f"the request line: {target:,} bytes of URL, the limit is {settings.max_request_line:,} (setting "
            "max_request_line); send a query or a form by POST"
        )
    _check_sizes(headers, settings)
    _check_host(values(headers, b"host"), http_version)
    for value in values(headers, b"expect"):
        if value.strip().lower() != b"100-continue":
            raise ExpectationError(f"Expect: {_shown(value)}; send Expect: 100-continue, or leave it out")
    for value in values(headers, b"transfer-encoding"):
        if value.strip().lower() != b"chunked":
            raise TransferCodingError(
                f"Transfer-Encoding: {_shown(value)}; send the body as it is, or chunked"
            )
    for value in values(headers, b"content-encoding"):
        if value.strip().lower() not in _PLAIN:
            raise ContentCodingError(f"Content-Encoding {_shown(value)}: send the body as it is")


def announced_length(headers: Headers) -> int:
    """The length of the body that Content-Length announces; 0 without one."""
    lengths = values(headers, b"content-length")
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0


def announces_body(headers: Headers) -> bool:
    """Whether a body follows the head, in HTTP/1 (RFC 9112, section 6.3)."""
    return announced_length(headers) > 0 or any(name == b"transfer-encoding" for name, _ in headers)


def _check_sizes(headers: Headers, settings: Settings) -> None:
    if len(headers) > settings.max_header_fields:
        raise HeaderLimitError(
            f"the request: {len(headers):,} headers, the limit is {settings.max_header_fields:,}; send fewer "
            "or raise the setting max_header_fields"
        )
    for name, value in headers:
        if (size := len(name) + len(value) + len(": ")) > settings.max_header_bytes:
            raise HeaderLimitError(
                f"the header {_shown(name)}: {size:,} bytes, the limit is {settings.max_header_bytes:,}; "
                "shorten it or raise the setting max_header_bytes"
            )


def _check_host(hosts: Sequence[bytes], http_version: str) -> None:
    """RFC 9112, section 3.2."""
    if not any(hosts) and http_version != "1.0":
        raise InputError("no header Host; send one such as Host: example.org")
    if len(hosts) > 1:
        raise InputError(f"{len(hosts)} headers Host; send one such as Host: example.org")
    if any(hosts) and not _HOST.fullmatch(hosts[0]):
        raise InputError(f"Host: {_shown(hosts[0])} is not a host; send one such as example.org:8000")


def _shown(value: bytes) -> str:
    return repr(value[:_SHOWN].decode("latin-1"))
