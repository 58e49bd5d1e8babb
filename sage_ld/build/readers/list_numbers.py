"""The numbers of lists, as letters, Roman numerals or digits."""

from __future__ import annotations

from typing import Final

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
_LONGEST: Final = 3_999
"""The largest number that is written in letters; larger ones are in digits."""


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
