"""The values that a question may name: labels of resources and texts of properties, found by their words.

A phrase finds the values that are written so. A whole question finds, in each field (the values of one
property), those whose words it shares, up to where their distances rise suddenly (SPARK's cut).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from sage_ld.agents.text_to_sparql import english
from sage_ld.build.languages.identifiers import joined

NEAREST: Final = 25
"""Values of a field that a question finds at most."""
_RISE: Final = 0.95
"""The percentile of the relative rises of distance at which a ranking is cut."""
_EXACT, _BARE, _WITHOUT_ARTICLE, _OTHER_SPELLING = 1.0, 0.92, 0.94, 0.97
_ARTICLES: Final = frozenset({"the", "a", "an"})


class NamedValue(NamedTuple):
    """A text in the graph: the name of a resource, or a value of a property."""

    text: str
    property: str
    """The property, or column, whose value it is."""
    classes: frozenset[str]
    """The classes of what has it."""
    resource: str | None = None
    """The IRI of the resource that it names; None for what is only a value."""


class FoundValue(NamedTuple):
    """A value that a phrase names, and how surely."""

    value: NamedValue
    score: float


class Nearest(NamedTuple):
    """A value that shares words with a question, and its distance from it, from 0 to 1."""

    value: NamedValue
    distance: float


@dataclass(frozen=True)
class ValueIndex:
    """Values by the phrases that name them."""

    values: Sequence[NamedValue]

    @cached_property
    def _by_key(self) -> Mapping[str, tuple[tuple[int, float], ...]]:
        by_key: dict[str, dict[int, float]] = defaultdict(dict)
        for number, value in enumerate(self.values):
            for phrase, score in _phrases(value):
                by_key[phrase].setdefault(number, score)
        return {phrase: tuple(each.items()) for phrase, each in by_key.items()}

    @cached_property
    def longest(self) -> int:
        """The words of the longest phrase."""
        return max((phrase.count(" ") + 1 for phrase in self._by_key), default=0)

    def find(self, phrase: str) -> list[FoundValue]:
        """The values that are written like a phrase (`english.key`), the surest first."""
        matches = [FoundValue(self.values[number], score) for number, score in self._by_key.get(phrase, ())]
        return sorted(matches, key=lambda each: -each.score)

    @cached_property
    def _fields(self) -> Mapping[str, _ValueField]:
        members: dict[str, list[NamedValue]] = defaultdict(list)
        for value in self.values:
            members[value.property].append(value)
        return {name: _ValueField(each) for name, each in members.items()}

    def nearest(self, question: str, most: int = NEAREST) -> dict[str, list[Nearest]]:
        """The values of each field that share words with a question, the nearest first."""
        words = english.words(question)
        by_field = {name: _cut(each.nearest(words, most)) for name, each in self._fields.items()}
        return {name: each for name, each in by_field.items() if each}


class _ValueField:
    """The values of one property, by their words."""

    def __init__(self, values: Sequence[NamedValue]) -> None:
        self._values = values
        self._numbers: dict[str, list[int]] = defaultdict(list)
        self._words = [set(english.words(value.text)) for value in values]
        for number, value_words in enumerate(self._words):
            for word in value_words:
                self._numbers[word].append(number)

    def _weight(self, word: str) -> float:
        return math.log(1 + len(self._values) / (1 + len(self._numbers.get(word, ()))))

    def nearest(self, words: Iterable[str], most: int) -> list[Nearest]:
        asked = set(words) - english.FUNCTION_WORDS
        shared = defaultdict[int, float](float)
        for word in asked:
            for number in self._numbers.get(word, ()):
                shared[number] += self._weight(word)
        matches = []
        for number, weight in shared.items():
            whole = sum(self._weight(word) for word in self._words[number])
            matches.append(Nearest(self._values[number], 1 - weight / whole if whole else 1.0))
        return sorted(matches, key=lambda each: (each.distance, each.value.text))[:most]


def _cut(ranked: list[Nearest]) -> list[Nearest]:
    """A ranking up to its sudden rise of distance, if it has one."""
    distances = [each.distance for each in ranked]
    end = sudden_rise(distances)
    return ranked[:end]


def sudden_rise(distances: Sequence[float]) -> int:
    """The place before which sorted distances are cut: the first rise beyond the 95th percentile of all.

    A rise is relative to the distance before it, as in the code of SPARK's authors. Distances that rise
    alike are all kept.

    >>> sudden_rise([0.1, 0.11, 0.12, 0.5, 0.52]), sudden_rise([0.2, 0.2, 0.2]), sudden_rise([])
    (3, 3, 0)
    """
    pairs = pairwise(distances)
    rises = [(after - before) / max(before, 1e-3) for before, after in pairs]
    if not rises or max(rises) <= 0:
        return len(distances)
    at = (len(rises) - 1) * _RISE
    ordered = sorted(rises)
    low = ordered[math.floor(at)]
    bound = low + (ordered[math.ceil(at)] - low) * (at - math.floor(at))
    return next((place for place, rise in enumerate(rises, 1) if rise > bound), len(distances))


def other_spelling(text: str) -> str:
    """The phrase that all spellings of an identifier or a short code have in common; of others, their own.

    >>> other_spelling("LC-4410"), other_spelling("lc4410"), other_spelling("Grey Plover")
    ('lc4410', 'lc4410', 'grey plover')
    """
    return english.key(joined(text.casefold()))


def _phrases(value: NamedValue) -> list[tuple[str, float]]:
    """The phrases that name a value: as written, as `other_spelling`, without a qualifier, an article."""
    phrases = [(english.key(value.text), _EXACT), (other_spelling(value.text), _OTHER_SPELLING)]
    bare = value.text.split(" (")[0] if value.text.endswith(")") and value.resource else ""
    if bare.strip():
        phrases.append((english.key(bare), _BARE))
    for phrase, score in tuple(phrases):
        first, _, rest = phrase.partition(" ")
        if first in _ARTICLES and rest:
            phrases.append((rest, score * _WITHOUT_ARTICLE))
    return [(phrase, score) for phrase, score in phrases if phrase]
