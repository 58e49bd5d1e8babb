"""An index of the documents that links may lead to, by their names: made once for a corpus.

All statistics that linking uses come from the targets, none from the chunks that link: so a chunk has the
same links whether it is linked alone or with all others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple, Protocol, overload
from urllib.parse import unquote, urldefrag

import ahocorasick
import numpy as np

from sage_ld.build.annotators.titles import AliasKind, aliases, forms
from sage_ld.build.annotators.words import STOP_WORDS
from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray

LEAD_CHARACTERS = 400
"""How much of a document's text a target has: its first sentences say what it is and its other names."""
RAREST = 9.4
"""The IDF of a word that one text of 18,000 holds: the size of corpus that the weights were fitted on."""
_LEAD_WORDS = 45
_TYPE_WORDS = 9
_COPULAS = frozenset(("is", "was", "are", "were"))


@dataclass(frozen=True, slots=True)
class Target:
    """A document that a link may lead to."""

    identifier: str
    title: str
    text: str = ""
    """How its text begins; what follows `LEAD_CHARACTERS` is cut off."""
    url: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.text[:LEAD_CHARACTERS])


class Alias(NamedTuple):
    """A target, and how surely a name is its own."""

    target: int
    kind: AliasKind


class Match(NamedTuple):
    """Words `begin` to `end` of a text that are a name of some targets."""

    begin: int
    end: int
    aliases: tuple[Alias, ...]


class NameTable(Protocol):
    """The names of all targets."""

    def find(self, words: Sequence[str]) -> list[Match]:
        """All names in a sequence of words, those inside others too, in the order of their ends."""


class TargetVectors(Protocol):
    """The vectors of all targets."""

    def __getitem__(self, targets: IntArray, /) -> FloatArray:
        """(k, d) those of some targets."""


class Masses(Protocol):
    """For each target the summed IDF of its title's words."""

    def __getitem__(self, targets: Any, /) -> Any:
        """The mass of one target, or (k,) those of some."""


@dataclass(frozen=True, slots=True)
class TargetIndex:
    """The link targets, with what linking looks up: made of all at once, or read where they are stored.

    `titles`, `leads`, `types` and `mass` are parallel to `targets`.
    """

    targets: Sequence[Target]
    titles: Sequence[tuple[str, ...]]
    """The words of each title."""
    leads: Sequence[frozenset[str]]
    """The telling words of each text's beginning."""
    types: Sequence[frozenset[str]]
    """Of those, the ones that say what it is: after the first "is" or "was"."""
    title_idf: Mapping[str, float]
    lead_idf: Mapping[str, float]
    mass: Masses
    postings: Mapping[str, IntArray]
    """A word to the targets that have it in their title, ascending."""
    names: NameTable
    places: Mapping[str, int]
    """A reference, as an identifier or a URL, to the target that it leads to."""
    numbers: Mapping[str, int]
    """An identifier to its target."""

    def matches(self, words: Sequence[str]) -> list[Match]:
        """All names in a sequence of words, those inside others too, in the order of their ends."""
        return self.names.find(words)


@dataclass(frozen=True, slots=True)
class _AutomatonNames:
    """NameTable, as their words with a space before each and after the last, to length and aliases."""

    automaton: ahocorasick.Automaton

    def find(self, words: Sequence[str]) -> list[Match]:
        """All names in a sequence of words, those inside others too, in the order of their ends."""
        if not len(self.automaton):  # one without a name cannot be asked
            return []
        text = f" {' '.join(words)} "
        ends: dict[int, int] = {}
        at = 0
        for number, word in enumerate(words, 1):
            at += len(word) + 1
            ends[at] = number
        return [
            Match(ends[end] - length, ends[end], found) for end, (length, found) in self.automaton.iter(text)
        ]


class _WordSets(Sequence[frozenset[str]]):
    """Sets of words, kept as tuples: a tuple takes a tenth of the memory of a set.

    >>> _WordSets([frozenset(("bath", "rugby"))])[0] == {"bath", "rugby"}
    True
    """

    def __init__(self, sets: Iterable[frozenset[str]]) -> None:
        self._words = [tuple(each) for each in sets]

    def __len__(self) -> int:
        return len(self._words)

    @overload
    def __getitem__(self, index: int) -> frozenset[str]: ...

    @overload
    def __getitem__(self, index: slice) -> list[frozenset[str]]: ...

    def __getitem__(self, index: int | slice) -> frozenset[str] | list[frozenset[str]]:
        if isinstance(index, slice):
            return list(map(frozenset, self._words[index]))
        return frozenset(self._words[index])


def index_targets(targets: Iterable[Target]) -> TargetIndex:
    """The index over `targets`, whose positions links count in.

    >>> index = index_targets([Target("a", "Bath, Somerset"), Target("b", "Bath Rugby")])
    >>> [(match.begin, match.end) for match in index.matches(["bath", "rugby"])]
    [(0, 1), (0, 2)]
    """
    given = tuple(targets)
    titles = tuple(tuple(forms(target.title)) for target in given)
    telling = _WordSets(lead_words(target.text) for target in given)
    title_idf = _idf(titles)
    return TargetIndex(
        targets=given,
        titles=titles,
        leads=telling,
        types=_WordSets(type_words(target.text) for target in given),
        title_idf=title_idf,
        lead_idf=_idf(telling),
        mass=np.array([sum(title_idf[word] for word in sorted(set(title))) for title in titles], np.float64),
        postings=_postings(titles),
        names=_AutomatonNames(_automaton(given)),
        places=places(given),
        numbers={target.identifier: number for number, target in enumerate(given)},
    )


def inverse_frequency(count: float, texts: int) -> float:
    """The IDF of a word that `count` of so many texts hold, `RAREST` for one text in a corpus of any size."""
    size = texts + 1
    return RAREST * log(size / (count + 0.5)) / log(size / 1.5)


def inverse_frequencies(counts: DoubleArray, texts: int) -> DoubleArray:
    """(k,) the IDF of words that `counts` of so many texts hold."""
    size = texts + 1
    return np.asarray(RAREST * np.log(size / (counts + 0.5)) / log(size / 1.5))


def _idf(texts: Sequence[Iterable[str]]) -> dict[str, float]:
    counts = Counter(word for text in texts for word in sorted(set(text)))
    return {word: inverse_frequency(count, len(texts)) for word, count in counts.items()}


def lead_words(text: str) -> frozenset[str]:
    """The telling words of a target's text."""
    return frozenset(_lead(text)) - STOP_WORDS


def type_words(text: str) -> frozenset[str]:
    """The words of a target's text that say what it is about: after the first "is" or "was"."""
    lead = _lead(text)
    for number, word in enumerate(lead):
        if word in _COPULAS:
            return frozenset(lead[number + 1 : number + 1 + _TYPE_WORDS]) - STOP_WORDS
    return frozenset()


def _lead(text: str) -> list[str]:
    return forms(text)[:_LEAD_WORDS]


def places(targets: Sequence[Target]) -> dict[str, int]:
    """Identifiers and URLs to targets; identifiers count before URLs, the first before a later."""
    by_reference: dict[str, int] = {}
    for number, target in enumerate(targets):
        by_reference.setdefault(target.identifier, number)
    for number, target in enumerate(targets):
        for place in other_places(target):
            by_reference.setdefault(place, number)
    return by_reference


def other_places(target: Target) -> list[str]:
    """The references that lead to a target, beside its identifier as it stands."""
    urls = [target.url, plain_reference(target.url)] if target.url else []
    return [unquote(target.identifier), *urls]


def plain_reference(reference: str) -> str:
    """A reference without query and fragment, and without percent-encoding."""
    return unquote(urldefrag(reference.partition("?")[0]).url)


def _postings(titles: Sequence[Sequence[str]]) -> dict[str, IntArray]:
    lists: defaultdict[str, list[int]] = defaultdict(list)
    for number, title in enumerate(titles):
        for word in sorted(set(title)):
            lists[word].append(number)
    return {word: np.array(numbers, np.int64) for word, numbers in lists.items()}


def _automaton(targets: Sequence[Target]) -> ahocorasick.Automaton:
    names: defaultdict[tuple[str, ...], list[Alias]] = defaultdict(list)
    for number, target in enumerate(targets):
        for name, kind in aliases(target.title, target.text).items():
            names[name].append(Alias(number, kind))
    automaton = ahocorasick.Automaton()
    for name, numbers in names.items():
        automaton.add_word(f" {' '.join(name)} ", (len(name), tuple(numbers)))
    automaton.make_automaton()
    return automaton
