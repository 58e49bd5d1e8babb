"""Text for people: nothing in it moves a cursor, turns the direction of writing, or hides its neighbours."""

from __future__ import annotations

import json
import re
from typing import Final

_ACTS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)


def harmless(text: str) -> str:
    r"""`text` with control characters, and those that change the direction of writing, written as `\x1b`.

    >>> harmless("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return _ACTS.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def harmless_json(text: str) -> str:
    r"""JSON of the same value, in which whatever is not seen is written as JSON escapes it.

    >>> harmless_json('"a\u202eb"')
    '"a\\u202eb"'
    """
    return "\n".join(map(_escaped, text.split("\n")))


def _escaped(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in line)
