"""Text for a terminal: what a file holds cannot move the cursor or hide what is around it."""

from __future__ import annotations

import re
from typing import Final

_ACTS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    r"""`text` with control characters, and those that change the direction of writing, written as `\x1b`.

    >>> harmless("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return _ACTS.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
