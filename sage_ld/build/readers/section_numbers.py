"""Section numbers: what a heading such as `13.1 Heat` says about the section that it stands in."""

from __future__ import annotations

import re
from typing import Final

_MOST_PARTS: Final = 9  # so deep may numbers alone nest sections, whatever a file says
_WORD: Final = "appendix|chapter|part|section|anhang|abschnitt|kapitel|teil|chapitre|partie|annexe"
_NUMBER: Final = re.compile(
    rf"(?P<word>(?:(?:{_WORD})\s|§)\s?)?"
    rf"(?P<first>[0-9]{{1,4}}|(?(word)[a-z]|[a-z](?=[.:)])))"
    rf"(?P<rest>(?:\.[0-9]{{1,4}}){{0,{_MOST_PARTS - 1}}})[.:)]?(?:\s|$)",
    re.IGNORECASE,
)


def section_number(name: str) -> tuple[str, ...]:
    """The parts of the number that a section's name begins with; none if it begins with no number.

    >>> section_number("13.1 Heat"), section_number("Chapter 13: Thermodynamics"), section_number("Heat 13")
    (('13', '1'), ('13',), ())
    >>> section_number("Appendix B"), section_number("B.2 Tables"), section_number("A bird sings")
    (('b',), ('b', '2'), ())
    """
    match = _NUMBER.match(name)
    return (match["first"].casefold(), *match["rest"].split(".")[1:]) if match else ()


def is_numbered_below(name: str, other: str) -> bool:
    """Whether a section is a part of the other by their numbers: 13.1 and 13.1.2 of 13.

    >>> is_numbered_below("13.1 Heat", "13 Thermodynamics"), is_numbered_below("13.1 Heat", "1 Motion")
    (True, False)
    """
    number, above = section_number(name), section_number(other)
    return 0 < len(above) < len(number) and number[: len(above)] == above
