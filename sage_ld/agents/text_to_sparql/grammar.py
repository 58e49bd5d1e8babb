"""The closed part of English questions: comparisons, superlatives, numbers and dates, what is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from sage_ld.agents.text_to_sparql import english
from sage_ld.agents.text_to_sparql.mentions import Meaning, MeaningSpan, QuestionWord
from sage_ld.build.readers.written_values import MONTH_NUMBERS

_ISO: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?(?!\w)|\.\d+")
_JOINING: Final = {
    "between": "between",
    "and": "and",
    **dict.fromkeys(("or", "nor", "except", "excluding", "but", "per"), "or"),
    **dict.fromkeys(("no", "without"), "not"),
    **dict.fromkeys(("not", "never", "didn", "wasn", "weren", "isn", "aren", "doesn", "don", "hasn"), "not"),
}
"""The kinds of words that join or exclude what they stand beside."""
_COUNTS: Final[frozenset[tuple[str, ...]]] = frozenset({("how", "many"), ("number", "of")})
_YEARS: Final = range(1000, 2200)
_IDENTIFIER: Final = re.compile(
    r"(?=[\w./-]*\d)(?:\w*[^\W\d]\w*[-./][\w./-]*\w|\w+(?:[-./]\w+)*[-./]\w*[^\W\d]\w*|[^\W\d]+\d\w*|\d+[A-Z]{1,3}\d*)(?!\w)"
)
"""A word with letters and digits that is no number with a unit: `VL-020`, `M8`, `7B`."""
_NUMBERED: Final = re.compile(
    r"(?!(?:1\d|20)\d\d-(?:1\d|20)\d\d(?![\w-]))(?!\d{4}-\d\d-\d\d(?![\w-]))(?=[\d-]{6})\d+(?:-\d+)+(?!\w)"
)
"""The same of digits alone: `2024-0105`, but neither a day nor two years."""
MeasuredNouns: TypeAlias = tuple[tuple[tuple[str, ...], str], ...]
"""The nouns that an adjective measures, and the direction, for each of its meanings."""


@dataclass(frozen=True, slots=True)
class Item:
    """A unit of a question, from the word `begin` to the word `end`."""

    kind: str
    """meaning, identifier, number, day, month, compare, more, between, most, aggregate, count, not, and, or,
    word, function or wh."""
    begin: int
    end: int
    text: str = ""
    meaning: Meaning | None = None
    number: float = 0.0
    operator: str = ""
    nouns: MeasuredNouns = ()
    unit: str = ""
    place: int = 1
    """Of a superlative, the place in the order: 3 for `third highest`."""
    is_name: bool = False
    """Whether it is written like a name: with a capital, not at the beginning."""


def items_of(
    question: str, words: Sequence[QuestionWord], chosen: Sequence[tuple[MeaningSpan, Meaning]]
) -> list[Item]:
    """The units of a question, in order; `chosen` says what its spans mean."""
    by_begin = {span.begin: (span, meaning) for span, meaning in chosen}
    items: list[Item] = []
    at = 0
    while at < len(words):
        limit = min((begin for begin in by_begin if begin > at), default=len(words))
        if at in by_begin:
            span, meaning = by_begin[at]
            items.append(Item("meaning", span.begin, span.end, _text(words, span.begin, span.end), meaning))
            at = span.end
            continue
        item = (
            _day(question, words, at)
            or _identifier(question, words, at)
            or _month(words, at)
            or _number(question, words, at)
            or _phrase(words, at, limit)
        )
        items.append(item)
        at = item.end
    return items


def _text(words: Sequence[QuestionWord], begin: int, end: int) -> str:
    return " ".join(word.folded for word in words[begin:end])


def _day(question: str, words: Sequence[QuestionWord], at: int) -> Item | None:
    """A day as ISO 8601 has it, `July 1, 2013` or `1 July 2013`."""
    if match := _ISO.match(question, words[at].begin):
        end = next((n for n in range(at, len(words)) if words[n].begin >= match.end()), len(words))
        return Item("day", at, end, match[0])
    first, second, third = ([word.folded for word in words[at : at + 3]] + ["", "", ""])[:3]
    if third.isdecimal() and len(third) == 4:
        for month, day in ((first, second), (second, first)):
            number = day.removesuffix("th").removesuffix("st").removesuffix("nd").removesuffix("rd")
            if month in MONTH_NUMBERS and number.isdecimal():
                text = f"{int(third):04}-{MONTH_NUMBERS[month]:02}-{int(number):02}"
                return Item("day", at, at + 3, text)
    return None


def _identifier(question: str, words: Sequence[QuestionWord], at: int) -> Item | None:
    """An identifier that no value is written like."""
    match = _IDENTIFIER.match(question, words[at].begin) or _NUMBERED.match(question, words[at].begin)
    if match is None or (words[at].folded in english.UNITS and match.end() == words[at].end):
        return None
    end = next((n for n in range(at, len(words)) if words[n].begin >= match.end()), len(words))
    return Item("identifier", at, end, match[0])


def _month(words: Sequence[QuestionWord], at: int) -> Item | None:
    """A month of a year, `September 2024`; its text is the first day."""
    month, year = ([word.folded for word in words[at : at + 2]] + ["", ""])[:2]
    if month in MONTH_NUMBERS and year.isdecimal() and len(year) == 4:
        return Item("month", at, at + 2, f"{int(year):04}-{MONTH_NUMBERS[month]:02}-01")
    return None


def _number(question: str, words: Sequence[QuestionWord], at: int) -> Item | None:
    word = words[at]
    if word.folded in english.NUMBERS:
        value, end = float(english.NUMBERS[word.folded]), at + 1
    elif (match := _NUMBER.match(question, word.begin)) and match.end() >= word.end:
        value = float(match[0].replace(",", ""))
        end = next((n for n in range(at, len(words)) if words[n].begin >= match.end()), len(words))
    else:
        return None
    while end < len(words) and words[end].folded in english.MULTIPLES:
        value *= english.MULTIPLES[words[end].folded]
        end += 1
    unit = ""
    if end < len(words) and words[end].folded in english.UNITS:
        unit = words[end].folded
        end += 1
    elif question[words[end - 1].end : words[end - 1].end + 1] == "%":
        unit = "percent"
    return Item("number", at, end, _text(words, at, end), number=value, unit=unit)


def is_year(item: Item) -> bool:
    """Whether a number may be a year."""
    return item.kind == "number" and not item.unit and item.number in _YEARS


def _phrase(words: Sequence[QuestionWord], at: int, limit: int) -> Item:
    """A comparison, a superlative or the like; else one word."""
    for length in (4, 3, 2, 1):
        if at + length <= limit:
            phrase = tuple(word.folded for word in words[at : at + length])
            if (item := _comparison(phrase, at) or _counting(phrase, at)) is not None:
                return item
    word = words[at]
    if at and len(word.text) > 1 and word.text.isupper():  # `IT` is no pronoun
        return Item("word", at, at + 1, word.folded, is_name=True)
    return replace(_one_word(word.folded, at), is_name=at > 0 and word.capital)


def _comparison(phrase: tuple[str, ...], at: int) -> Item | None:
    """`more than`, `or later`, `longer than`."""
    end, text = at + len(phrase), " ".join(phrase)
    if (operator := english.COMPARISONS.get(phrase)) is not None:
        return Item("compare", at, end, text, operator=operator)
    if (operator := english.AFTER_NUMBER.get(phrase)) is not None:
        return Item("after", at, end, text, operator=operator)
    if len(phrase) == 2 and phrase[0] == "more" and (nouns := english.nouns_of(phrase[1])):
        return Item("more", at, end, text, nouns=tuple(nouns))
    if len(phrase) == 2 and phrase[1] == "than" and (degree := english.degree(phrase[0])):
        return Item("compare", at, end, text, nouns=tuple(english.nouns_of(degree[0])))
    return None


def _counting(phrase: tuple[str, ...], at: int) -> Item | None:
    """`how many`, `how long`, `most expensive`."""
    end, text = at + len(phrase), " ".join(phrase)
    if phrase in _COUNTS:
        return Item("count", at, end, text)
    if phrase == ("how", "much"):
        return Item("how", at, end, text, nouns=english.AMOUNTS)
    if len(phrase) > 1 and phrase[0] in english.ORDINALS:
        most = _superlative(phrase[1:], at + 1)
        return most and replace(most, begin=at, text=text, place=english.ORDINALS[phrase[0]])
    return _superlative(phrase, at)


def _superlative(phrase: tuple[str, ...], at: int) -> Item | None:
    """`how long`, `most expensive`, `longest`."""
    end, text = at + len(phrase), " ".join(phrase)
    if len(phrase) == 1:
        item = _one_word(phrase[0], at)
        return item if item.kind == "most" else None
    if len(phrase) == 2 and (nouns := english.nouns_of(phrase[1])):
        if phrase[0] == "how":
            return Item("how", at, end, text, nouns=tuple(nouns))
        if phrase[0] == "most":
            return Item("most", at, end, text, nouns=tuple(nouns))
        if phrase[0] == "least":
            return Item("most", at, end, text, nouns=tuple(english.opposite(nouns)))
    return None


def _one_word(word: str, at: int) -> Item:
    item = _measuring(word, at)
    if item is not None:
        return item
    if word in english.AGGREGATES:
        return Item("aggregate", at, at + 1, word, operator=english.AGGREGATES[word])
    if word in _JOINING:
        return Item(_JOINING[word], at, at + 1, word)
    if word in english.QUESTION_WORDS:
        return Item("wh", at, at + 1, word)
    if word in english.FUNCTION_WORDS or word == "s":
        return Item("function", at, at + 1, word)
    nouns = tuple(english.nouns_of(english.inflected(word))) or tuple(english.nouns_of(word))
    return Item("word", at, at + 1, word, nouns=nouns)


def _measuring(word: str, at: int) -> Item | None:
    """A superlative or a comparative."""
    for kind, plain in (("most", english.PLAIN_MOST), ("more", english.PLAIN_MORE)):
        if word in plain:
            return Item(kind, at, at + 1, word, operator=plain[word])
    degree = english.degree(word)
    if degree is None:
        return None
    kind = "most" if degree[1] == "est" else "more"
    return Item(kind, at, at + 1, word, nouns=tuple(english.nouns_of(degree[0])))
