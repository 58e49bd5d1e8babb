"""Meanings of the words of a question in a world: its classes, its properties, its values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from sage_ld.agents.text_to_sparql import english
from sage_ld.agents.text_to_sparql.schema import NAMING, SchemaClass, SchemaProperty, World
from sage_ld.agents.text_to_sparql.values import NamedValue, ValueIndex, other_spelling

_WORD: Final = re.compile(r"\w+")
_IDENTIFIER: Final = re.compile(r"(?=[^\W\d]*[-./]?\w*\d)\w+(?:[-./]\w+)+")
"""Words with a number that only signs part; a value that is written like a part of them is not meant."""
_QUOTES: Final = "\"'“”‘’«»"
_LEAST: Final = 0.6
"""The least score of what a span may mean."""
_BESIDE: Final = 0.3
"""How much less sure than the surest meaning of a span another one may be."""
_ALTERNATIVES: Final = 4
_LONGEST_LABEL: Final = 5
_OUTRIGHT: Final = 0.95
"""The least score of words that are a whole label."""
_FROM_COMMENT: Final = 0.7
_LOWER_CASE_NAME: Final = 0.5
_TIED: Final = 0.6
_CATEGORY: Final = 0.9


class QuestionWord(NamedTuple):
    """A word of a question."""

    text: str
    folded: str
    begin: int
    end: int
    capital: bool
    quoted: bool
    is_inner: bool = False
    """Whether it continues an identifier: `020` of `VL-020`."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A possible meaning of a span of words: a class, a property or a value, with its confidence."""

    target: SchemaClass | SchemaProperty | NamedValue
    score: float


@dataclass(frozen=True, slots=True)
class MeaningSpan:
    """Words that stand for something, with what they may stand for, the surest first."""

    begin: int
    end: int
    meanings: tuple[Meaning, ...]


def words_of(question: str) -> list[QuestionWord]:
    """The words of a question, in order."""
    tokens: list[QuestionWord] = []
    inner = [range(match.start() + 1, match.end()) for match in _IDENTIFIER.finditer(question)]
    for match in _WORD.finditer(question):
        text = match[0]
        before, after = question[: match.start()], question[match.end() :]
        quoted = before.rstrip()[-1:] in set(_QUOTES) - {"'", "’"} or after[:1] in set('"”»')
        tokens.append(
            QuestionWord(
                text,
                english.fold(text),
                match.start(),
                match.end(),
                text[0].isupper() or text[0].isdigit(),
                quoted,
                any(match.start() in each for each in inner),
            )
        )
    return tokens


def spans(words: Sequence[QuestionWord], world: World, values: ValueIndex) -> list[MeaningSpan]:
    """The spans of a question that mean something, in order, without overlaps: longer ones before shorter."""
    candidates = list(_candidates(words, world, values))
    candidates.sort(key=lambda span: (-(span.end - span.begin) - span.meanings[0].score, span.begin))
    taken: list[MeaningSpan] = []
    for span in candidates:
        if all(span.end <= other.begin or span.begin >= other.end for other in taken):
            taken.append(span)
    return sorted(taken, key=lambda span: span.begin)


def _candidates(words: Sequence[QuestionWord], world: World, values: ValueIndex) -> Iterator[MeaningSpan]:
    longest = max(values.longest, _LONGEST_LABEL)
    for begin in range(len(words)):
        for end in range(begin + 1, min(begin + longest, len(words)) + 1):
            if words[begin].is_inner or (end < len(words) and words[end].is_inner):
                continue
            meanings = list(_meanings(words, begin, end, world, values))
            best = max((each.score for each in meanings), default=0.0)
            meanings = _without_ties([each for each in meanings if each.score >= _LEAST])
            kept = [each for each in meanings if each.score >= max(_LEAST * _TIED, best - _BESIDE)]
            if kept:
                kept.sort(key=lambda each: -each.score)
                yield MeaningSpan(begin, end, tuple(kept[:_ALTERNATIVES]))


def _meanings(
    words: Sequence[QuestionWord], begin: int, end: int, world: World, values: ValueIndex
) -> Iterator[Meaning]:
    part = words[begin:end]
    named = _values_named(part, begin, values)
    if all(_is_grammar(word) for word in part):
        named = (each for each in named if begin and _is_written_so(part, each))  # `of Will`, `in May`
    yield from named
    if end - begin > _LONGEST_LABEL:
        return
    terms = _terms_named([word.folded for word in part], world)
    if not _is_grammar(part[0]) and not _is_grammar(part[-1]):
        yield from terms
    elif len(part) > 1:  # `last survey` is the column of that name
        yield from (each for each in terms if each.score >= _OUTRIGHT)


def _without_ties(meanings: list[Meaning]) -> list[Meaning]:
    """The meanings; of properties that a part of a label names equally well, each is half of a choice."""
    scores = [each.score for each in meanings if isinstance(each.target, SchemaProperty)]
    tied = {score for score in scores if score < 1 and scores.count(score) > 1}
    return [
        Meaning(each.target, each.score * _TIED)
        if isinstance(each.target, SchemaProperty) and each.score in tied
        else each
        for each in meanings
    ]


def _values_named(part: Sequence[QuestionWord], begin: int, values: ValueIndex) -> Iterator[Meaning]:
    """The values that are written as some words, and those that a plural or an adjective comes from."""
    found = values.find(" ".join(word.folded for word in part))
    if part[-1].is_inner and not found:
        found = values.find(other_spelling("-".join(word.folded for word in part)))
    for match in found:
        yield Meaning(match.value, match.score * _fit(part, begin, match.value))
    for base in english.bases(part[0].folded) if len(part) == 1 else ():
        for match in values.find(base):
            if match.value.resource is None:
                yield Meaning(match.value, match.score * _CATEGORY)


def _is_written_so(part: Sequence[QuestionWord], meaning: Meaning) -> bool:
    """Whether words with capitals are a value letter by letter."""
    value = meaning.target
    text = " ".join(word.text for word in part)
    return isinstance(value, NamedValue) and value.text == text and part[0].capital


def _terms_named(folded: Sequence[str], world: World) -> Iterator[Meaning]:
    """The classes and properties whose labels, or comments, some words fit."""
    for each in world.classes.values():
        if (score := _label_score(folded, each.words)) >= _LEAST:
            yield Meaning(each, score)
    for having in world.properties.values():
        prop = having[0][1]
        score = max(_label_score(folded, prop.words), _part_score(folded, prop.words))
        if score < _LEAST and len(folded) == 1 and prop.comment:
            score = _comment_score(folded[0], prop.comment)
        if score >= _LEAST:
            yield Meaning(prop, score)


def _is_grammar(word: QuestionWord) -> bool:
    folded = word.folded
    if word.text.isupper() and (len(folded) > 1 or folded not in english.FUNCTION_WORDS):
        return False
    is_known = folded in english.FUNCTION_WORDS or folded in english.QUESTION_WORDS or len(folded) == 1
    return is_known or folded in (
        "most",
        "least",
        "than",
        "more",
        "less",
        "after",
        "before",
        "between",
        "top",
        "last",
        "first",
    )


def _fit(part: Sequence[QuestionWord], begin: int, value: NamedValue) -> float:
    """The confidence that words written like a value name it: a name has capitals, if it is one word."""
    content = [word for word in part if word.folded not in english.FUNCTION_WORDS]
    if any(word.quoted or word.is_inner for word in part) or len(content) > 1:
        return 1.0
    if content and all(word.folded.isdecimal() for word in content):
        return 1.0 if re.match("0[0-9]", value.text) else _LOWER_CASE_NAME  # no number is written so
    capital = any(word.capital for word in content or part) and not (begin == 0 and len(part) == 1)
    if capital or value.text == " ".join(word.text for word in part):
        return 1.0
    return _CATEGORY if value.resource is None else _LOWER_CASE_NAME


def _label_score(words: Sequence[str], labels: Sequence[Sequence[str]]) -> float:
    """The score of words as one of some labels, word by word."""
    best = 0.0
    for place, label in enumerate(labels):
        if len(label) == len(words):
            score = 1.0 if place == 0 else 0.95
            for word, other in zip(words, label, strict=True):
                score *= english.likeness(word, other)
            best = max(best, score)
    return best


def _part_score(words: Sequence[str], labels: Sequence[Sequence[str]]) -> float:
    """The score of words as a part of a longer label."""
    best = 0.0
    for label in labels:
        for begin in range(len(label) - len(words) + 1) if len(label) > len(words) else ():
            rest = [*label[:begin], *label[begin + len(words) :]]
            score = 0.7 + 0.2 * len(words) / len(label) + 0.05 * all(each in NAMING for each in rest)
            for word, other in zip(words, label[begin : begin + len(words)], strict=True):
                score *= english.likeness(word, other) if _may_be_meant(word, other) else 0
            best = max(best, score)
    return best


def _may_be_meant(word: str, other: str) -> bool:
    """Whether a word may stand for one of a label: `long` does not for the `longest chapter`."""
    return other not in english.FUNCTION_WORDS and (word == other or english.degree(other) is None)


def _comment_score(word: str, comment: str) -> float:
    """The score of a word against a vocabulary's comment on a property, by a word of its family there."""
    if word in english.LIGHT_WORDS or word in english.FUNCTION_WORDS or len(word) < 5:
        return 0.0
    comment_words = set(english.words(comment)) - english.FUNCTION_WORDS
    return _FROM_COMMENT if any(english.likeness(word, other) >= 0.9 for other in comment_words) else 0.0
