"""Arguments and results as shown to the person who decides on a call: all of them, however long one is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from sage_ld.foundation.shown_text import harmless_json

MOST: Final = 2_000
"""Characters that a person is shown."""
_LEAST: Final = 40
"""Of each value."""


def shown_values(values: Mapping[str, Any], most: int = MOST) -> str:
    r"""Values as JSON; where that is longer than `most`, one in a line, the short ones first, long ones cut.

    So no long text hides what comes after it. What would move a cursor, or turn the direction of writing, is
    escaped.

    >>> shown_values({"document": "heron", "deep": "\u202e"})
    '{"document": "heron", "deep": "\\u202e"}'
    >>> print(shown_values({"text": "x" * 99, "replace": True}, 80))
    replace: true
    text: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx … (101 characters in all)
    """
    whole = harmless_json(json.dumps(dict(values), ensure_ascii=False))
    if len(whole) <= most:
        return whole
    share = max(_LEAST, most // len(values))
    lines = [
        f"{harmless_json(name)}: {_cut(harmless_json(json.dumps(value, ensure_ascii=False)), share)}"
        for name, value in values.items()
    ]
    return "\n".join(sorted(lines, key=len))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} … ({len(text):,} characters in all)"
