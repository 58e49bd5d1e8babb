"""The kind of answer that an English question asks for: a name, a place, a date, a number or a measure."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum
from typing import Final

from sage_ld.build.annotators.words import MONTHS_AND_DAYS


class AskedKind(StrEnum):
    """The kind of answer that a question asks for."""

    NAME = "name"
    PLACE = "place"
    DATE = "date"
    NUMBER = "number"
    MEASURE = "measure"
    """A number with a unit."""


_QUESTIONS: Final = (
    (AskedKind.MEASURE, re.compile(r"\bhow (heavy|wide|deep|thick)\b|\bhow much (do|does|did)\b.* weigh\b",
                                   re.I)),
    (AskedKind.NUMBER, re.compile(r"\bhow (many|much|old|tall|long|far|high|large|big|fast)\b", re.I)),
    (AskedKind.NUMBER, re.compile(r"\b(what|which) (is |was |were |are )?(the )?(\w+ )?"
                                  r"(number|population|percentage|height|length|area|score|age)\b", re.I)),
    (AskedKind.DATE, re.compile(r"\bwhen\b|\b(what|which|in what|in which) (\w+ )?"
                                r"(year|date|day|month|decade|century)\b", re.I)),
    (AskedKind.PLACE, re.compile(r"\bwhere\b|\b(what|which) (\w+ )?(city|town|village|country|county|state|"
                                 r"district|province|region|place|location|river|island)\b", re.I)),
    (AskedKind.NAME, re.compile(r"\b(who|whom|whose)\b|\b(what|which) (\w+ )?(person|actor|actress|director|"
                                r"singer|band|team|company|name|author|player)\b", re.I)),
)  # fmt: skip
_YEAR: Final = re.compile(r"\b1\d{3}\b|\b20\d{2}\b")
_NUMBER: Final = re.compile(
    r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|"
    r"billion|once|twice|first|second|third)\b",
    re.I,
)
_MEASURE: Final = re.compile(
    r"\d\s?(?:kg|g|mg|lbs?|oz|mm|cm|m|km|ft|in|kilograms?|kilos?|grams?|tons?|tonnes?|pounds?|ounces?|stone|"
    r"(?:milli|centi|kilo)?met(?:er|re)s?|feet|foot|inch(?:es)?|yards?|miles?)\b"
)
_NAME: Final = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][\w'’-]+")
_PLACE: Final = re.compile(r"\b(?:in|at|near|from|of|to) (?:the )?([A-Z][\w'’-]+)")


def asked_kind(question: str) -> AskedKind | None:
    """The kind of answer that a question asks for; None where its words do not say.

    >>> asked_kind("Who wrote Saltings?"), asked_kind("In which year was it?"), asked_kind("Tell me more")
    (<AskedKind.NAME: 'name'>, <AskedKind.DATE: 'date'>, None)
    """
    return next((kind for kind, pattern in _QUESTIONS if pattern.search(question)), None)


def holds(kind: AskedKind | None, text: str, question_words: Collection[str]) -> bool:
    """Whether a text holds something of a kind that is not among the question's words, in lower case.

    >>> holds(AskedKind.DATE, "It opened in 1931.", ()), holds(AskedKind.DATE, "It opened.", ())
    (True, False)
    """
    if kind is AskedKind.DATE:
        years = set(_YEAR.findall(text))
        return not years <= set(question_words) or not MONTHS_AND_DAYS.isdisjoint(text.casefold().split())
    if kind is AskedKind.MEASURE:
        return _MEASURE.search(text) is not None
    if kind is AskedKind.NUMBER:
        return _NUMBER.search(text) is not None
    if kind is AskedKind.PLACE:
        return any(name.casefold() not in question_words for name in _PLACE.findall(text))
    if kind is AskedKind.NAME:
        return any(name.casefold() not in question_words for name in _NAME.findall(text))
    return False
