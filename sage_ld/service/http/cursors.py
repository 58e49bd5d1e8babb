"""Cursors of lists: the item behind which a page begins, in a form that clients do not take apart."""

from __future__ import annotations

import binascii
from base64 import b64decode, urlsafe_b64encode

from sage_ld.foundation.errors import InputError


def written(identifier: str) -> str:
    """The cursor behind an item.

    >>> written("notes/a.md"), read(written("notes/a.md"))
    ('bm90ZXMvYS5tZA', 'notes/a.md')
    """
    return urlsafe_b64encode(identifier.encode()).decode().rstrip("=")


def read(cursor: str) -> str:
    """The identifier of the item behind which a page begins. Raises InputError."""
    try:
        return b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        raise InputError(f"cursor {cursor[:40]!r} is unknown; use the cursor of the page before") from None
