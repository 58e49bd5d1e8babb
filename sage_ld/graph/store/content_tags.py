"""Tags: digests of what resources say, by which a writer knows again what it has read."""

from __future__ import annotations

import hashlib


def content_tag(content: str) -> str:
    """The tag of a resource that says `content`: 64 hexadecimal digits.

    It is whole: of fewer digits, a client could find two contents with the same tag.

    >>> content_tag("Osmere is a town.")[:8]
    '678654f9'
    """
    return hashlib.sha256(content.encode()).hexdigest()
