"""The numbers of lists, as letters, Roman numerals or digits, with those of the levels above."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_PLACE: Final = re.compile(r"%([1-9][0-9]?)")

_ROMAN: Final = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)
STYLES: Final = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
"""The styles of numbers by the first of each, as HTML and OpenDocument name them."""
_LONGEST: Final = 3_999
"""The largest number that is written in letters; larger ones are in digits."""
_LONGEST_LABEL: Final = 100
"""Characters of a label: more are no number, and would stand before each item of a list."""


def written(number: int, style: str) -> str:
    """A number as a list writes it.

    >>> written(4, "upperRoman"), written(28, "lowerLetter"), written(7, "decimalZero")
    ('IV', 'bb', '07')
    """
    if style == "decimalZero":
        return f"{number:02}"
    if not 0 < number <= _LONGEST or not style.endswith(("Letter", "Roman")):
        return str(number)
    letter = chr(ord("a") + (number - 1) % 26)
    text = _roman(number) if style.endswith("Roman") else letter * ((number + 25) // 26)
    return text.upper() if style.startswith("upper") else text


def _roman(number: int) -> str:
    text = ""
    for value, sign in _ROMAN:
        count, number = divmod(number, value)
        text += sign * count
    return text


@dataclass(frozen=True, slots=True)
class ListLevel:
    """A level of a list: where it begins to count, how it writes a number, and what stands around it."""

    start: int = 1
    format: str = "decimal"
    text: str = ""
    """The label, with `%1` for the number of the first level."""
    legal: bool = False
    """Whether the numbers of the levels above are written in digits."""


def label(levels: Mapping[int, ListLevel], reached: Mapping[int, int], level: int) -> str:
    """The label of an item at a level, counted from 0, of the numbers that are reached; empty for a bullet.

    A label that is longer than 100 characters is cut.

    >>> label({0: ListLevel(text="%1."), 1: ListLevel(format="lowerLetter", text="%1.%2)")}, {0: 3, 1: 2}, 1)
    '3.b)'
    """
    own = levels.get(level, ListLevel())
    if own.format in ("bullet", "none") or not own.text:
        return ""

    def number(match: re.Match[str]) -> str:
        place = int(match[1]) - 1
        at = levels.get(place, ListLevel())
        return written(reached.get(place, at.start), "decimal" if own.legal else at.format)

    return _PLACE.sub(number, own.text[:_LONGEST_LABEL]).strip()[:_LONGEST_LABEL]
