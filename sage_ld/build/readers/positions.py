r"""Raised and lowered text: what its position says, written on the line, so that no other number results.

A raised number may be a power (10⁶), a unit's (m²), or the mark of a note (25 and a small 2). Only the text
before it tells them apart.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final


class Position(Enum):
    """The position of a piece of text to the line that it stands in."""

    RAISED = "raised"
    LOWERED = "lowered"


_NUMBER: Final = re.compile(r"[+\-−]?[0-9]+(?:[.,][0-9]+)*")
_MARK: Final = re.compile(r"[0-9]+(?:\s*[,;–-]\s*[0-9]+)*|[a-z]|[ivx]{1,4}|\*+|[†‡§¶#]+")
_SMALL: Final = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_BASE: Final = re.compile(r"(?P<before>[=×x·⋅*+−/(^]\s*|\A)?(?P<base>[0-9]+(?:[.,][0-9]+)*)\Z")
_SYMBOL: Final = re.compile(r"(?:(?<![^\W\d_])(?:[^\W\d_]{1,2}|[dck]?mol|rad|Pa)|[)\]])\Z")
"""A unit or a symbol, which a power may follow; the mark of a note follows a word."""
_ORDINAL: Final = frozenset(
    {"st", "nd", "rd", "th", "er", "ère", "re", "e", "ème", "º", "ª", "o", "os", "as"}
)
_POWER_BASES: Final = frozenset({"10", "2"})
RUN_POSITIONS: Final = {"superscript": Position.RAISED, "subscript": Position.LOWERED}
"""The positions by the values of `vertAlign` in office files."""
CONTEXT: Final = 24
"""Characters before a raised text that decide what it is."""


def placed_text(position: Position, before: str, text: str) -> tuple[str, str, str]:
    """The signs before a raised or lowered text, the text itself, and the signs after it.

    `before` is the end of the line so far, without a blank at its end.

    >>> "".join(placed_text(Position.RAISED, "4 × 10", "6"))
    '^6'
    >>> "".join(placed_text(Position.RAISED, "the dam is 25", "2")), placed_text(Position.RAISED, "5 km", "2")
    (' [2]', ('', '²', ''))
    >>> "".join(placed_text(Position.RAISED, "the 21", "st")), placed_text(Position.LOWERED, "H", "2")
    ('st', ('', '2', ''))
    """
    if position is Position.LOWERED:
        return ("_" if before[-1:].isdigit() and text[:1].isdigit() else ""), text, ""
    if before[-1:].isdigit():
        return _after_number(before, text)
    if _NUMBER.fullmatch(text) and _SYMBOL.search(before):
        return "", text.translate(_SMALL), ""
    is_mark = _MARK.fullmatch(text) and before[-1:].isalnum() and not _SYMBOL.search(before)
    return (" [", text, "]") if is_mark or text[:1].isdigit() else ("", text, "")


STROKES: Final = "/⁄∕"
"""The signs between the numbers of a fraction."""


def numerator(before: str, number: str) -> str:
    """A raised number as the numerator of a fraction, apart from the number before it.

    >>> numerator("give 2", "1") + "/2", numerator("give", "1") + "/2"
    (' 1/2', '1/2')
    """
    return f" {number}" if before[-1:].isdigit() else number


def _after_number(before: str, text: str) -> tuple[str, str, str]:
    base = _BASE.search(before)
    is_power = base is not None and (base["base"] in _POWER_BASES or bool(base["before"]))
    if _NUMBER.fullmatch(text) and (is_power or not text[0].isdigit()):
        return "^", text, ""
    if is_power and text.isalpha() and len(text) == 1:
        return "^", text, ""
    if text.casefold() in _ORDINAL:
        return "", text, ""
    if _MARK.fullmatch(text):
        return " [", text, "]"
    return ("^(", text, ")") if text[0].isdigit() or is_power else ("", text, "")
