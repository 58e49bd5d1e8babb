"""The parts of a question: the words that say what is asked, the noun for the answer, and the kind of answer.

All are of English questions; of others, all words are said to ask.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum
from typing import Final

from sage_ld.build.annotators.words import MONTHS_AND_DAYS
from sage_ld.build.languages.analysis import ENGLISH_FUNCTION_WORDS

_ASKING_WORDS: Final = "who|whom|whose|what|which|when|where|how"
_AUXILIARIES: Final = "do|does|did|is|are|was|were|has|have|had|can|will"
_ASKING: Final = re.compile(rf"\b(?:{_ASKING_WORDS})\b", re.I)
_RELATIVE: Final = ("who", "whose")
"""Words that more often begin a clause than a question, where they do not stand at its beginning."""
_CLAUSE: Final = re.compile(r"\b(?:who|that|which|whose|where|when|whom)\b|[,;]", re.I)
_SPLIT: Final = re.compile(r"\b(?:do|does|did)\b", re.I)
_AUXILIARY: Final = re.compile(rf"\b(?:{_AUXILIARIES})\b", re.I)
_NOUN: Final = re.compile(
    r"\b(?:which|what|whose|how many|how much)\s+(?:(?:is|was|are|were)\s+(?:the\s+)?)?"
    r"(?:(?:type|kind|sort|name|names)\s+of\s+)?(?:the\s+)?((?:[\w'’-]+\s*){1,4})",
    re.I,
)
_NEXT_QUESTION: Final = re.compile(
    r"\? |[,;]? (?:and|or|but) (?=(?:(?:in|at|on|by|to|from|with|for) )?"
    rf"(?:{_ASKING_WORDS}|why) )",
    re.I,
)
"""The end of a question before the next one, in a text with single blanks."""
_FORM_OF_QUESTION: Final = re.compile(
    r"(?:\w+ )?(?:what|how|why)\b|(?:\w+ )?(?:who|whom|when|where|which|whose) (?:\w+ ){0,3}?"
    rf"(?:{_AUXILIARIES})\b",
    re.I,
)
"""The beginning of a question that is no relative clause."""
_FEWEST_IN_CLAUSE: Final = 3
_FEW: Final = 2
"""Words before the asking one, up to which a question begins with it."""
_NEAR: Final = 4
"""Words that belong to the asking one: before it, where it stands later; after it, up to an auxiliary."""


def clauses(question: str) -> list[str]:
    """The questions that a question asks one after the other; itself alone where it asks one.

    >>> clauses("Who published Saltings, and where did its author grow up?")
    ['Who published Saltings', 'where did its author grow up']
    >>> clauses("When and where was she born?")
    ['When and where was she born?']
    """
    found = [each.strip(" ,;?") for each in _NEXT_QUESTION.split(" ".join(question.split()))]
    own = found[0].split()
    is_relative = _CLAUSE.search(" ".join(own[1:])) is not None
    are_asked = all(
        _FORM_OF_QUESTION.match(each) or (not is_relative and each.casefold().startswith("who "))
        for each in found[1:]
    )
    begins = _ASKING.search(" ".join(own[: _FEW + 1]))
    is_whole = all(len(each.split()) >= _FEWEST_IN_CLAUSE for each in found)
    return found if len(found) > 1 and begins and are_asked and is_whole else [question]


def focus(question: str) -> str:
    """The words of a question that say what is asked, without what says which thing it is asked of.

    They go to the first relative clause, or to *do*, with the words at the end that belong to it.

    >>> focus("Which instrument did the composer of The Ninth Ferry play?")
    'instrument Ferry play'
    >>> focus("Who published the book that The Glass Orchard is based on?")
    'published the book'
    >>> focus("The singer of the band that was born in Oslo plays which instrument?")
    'born in Oslo plays instrument'
    """
    text = question.strip().rstrip("?. ")
    found = list(_ASKING.finditer(text))
    if not found:
        return text
    if len(text[: found[0].start()].split()) > _FEW:  # it begins with what is known
        asking = [each for each in found if each[0].lower() not in _RELATIVE] or found
        before = text[: asking[-1].start()].split()[-_NEAR:]
        return " ".join((*before, *text[asking[-1].end() :].split()))
    rest = text[found[0].end() :]
    if (split := _SPLIT.search(rest)) is not None and len(rest[: split.start()].split()) < _NEAR:
        return " ".join((*rest[: split.start()].split(), *rest[split.end() :].split()[-_FEW:]))
    clause = _CLAUSE.search(rest)
    if clause is None or len(rest[: clause.start()].split()) < _FEW:
        return rest.strip()
    own = rest[: clause.start()].split()
    is_split = _AUXILIARY.search(" ".join(own[:_NEAR])) is not None
    return " ".join(own + rest.split()[-1:] * is_split)


def asked_noun(question: str) -> str:
    """The noun for the answer, with the words before it; empty where the question names none.

    >>> asked_noun("Which wind instrument did she play?"), asked_noun("How many seats has it?")
    ('wind instrument', 'seats')
    >>> asked_noun("Who was it?")
    ''
    """
    match = _NOUN.search(question)
    if match is None:
        return ""
    words = match[1].split()
    silent = (n for n, word in enumerate(words) if word.casefold() in ENGLISH_FUNCTION_WORDS)
    return " ".join(words[: next(silent, len(words))])


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
_DAY: Final = re.compile(r"\b(?:\d{1,2}([./-])\d{1,2}\1(?:19|20)\d{2}|(?:1\d|20)\d{2}-\d{2}-\d{2})\b")
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


NOUNS: Final = {
    AskedKind.PLACE: "the name of a place",
    AskedKind.DATE: "a date",
    AskedKind.NUMBER: "a number",
    AskedKind.MEASURE: "a number with a unit",
}
"""The nouns for kinds of which a lack is told; that a text has no name of a person is not seen for sure."""


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
    >>> holds(AskedKind.DATE, "2026-0104 was paid on 19/02/2026", ("2026", "0104"))
    True
    """
    if kind is AskedKind.DATE:
        years = set(_YEAR.findall(text))
        if any(day[0] not in question_words for day in _DAY.finditer(text)):
            return True
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
