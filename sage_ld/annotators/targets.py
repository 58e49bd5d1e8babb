"""An index of the documents that links may lead to, by their names: made once for a corpus.

All statistics that linking uses come from the targets, none from the chunks that link: so a chunk has the
same links whether it is linked alone or with all others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

import ahocorasick
import numpy as np

from sage_ld.annotators.titles import AliasKind, aliases, forms
from sage_ld.annotators.words import STOP_WORDS
from sage_ld.model import DoubleArray, IntArray

LEAD_CHARACTERS = 400
"""How much of a target's text is read: its first sentences say what it is and how else it is called."""
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
    """How its text begins; the first 400 characters count."""
    url: str | None = None


class Alias(NamedTuple):
    """A target, and how surely a name is its own."""

    target: int
    kind: AliasKind


class Match(NamedTuple):
    """Words `begin` to `end` of a text that are a name of some targets."""

    begin: int
    end: int
    aliases: tuple[Alias, ...]


@dataclass(frozen=True, slots=True)
class TargetIndex:
    """The link targets, with what linking looks up.

    `titles`, `leads`, `types` and `mass` are parallel to `targets`.
    """

    targets: tuple[Target, ...]
    titles: tuple[tuple[str, ...], ...]
    """The words of each title."""
    leads: tuple[frozenset[str], ...]
    """The telling words of each text's beginning."""
    types: tuple[frozenset[str], ...]
    """Of those, the ones that say what it is: after the first "is" or "was"."""
    title_idf: Mapping[str, float]
    lead_idf: Mapping[str, float]
    mass: DoubleArray
    """The summed IDF of each title's words."""
    postings: Mapping[str, IntArray]
    """A word to the targets that have it in their title, ascending."""
    automaton: ahocorasick.Automaton
    """Names, as their words with a space before each and after the last, to length and aliases."""

    def matches(self, words: Sequence[str]) -> list[Match]:
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


def index_targets(targets: Iterable[Target]) -> TargetIndex:
    """The index over `targets`, whose positions links count in.

    >>> index = index_targets([Target("a", "Bath, Somerset"), Target("b", "Bath Rugby")])
    >>> [(match.begin, match.end) for match in index.matches(["bath", "rugby"])]
    [(0, 1), (0, 2)]
    """
    given = tuple(targets)
    titles = tuple(tuple(forms(target.title)) for target in given)
    leads = [forms(target.text[:LEAD_CHARACTERS])[:_LEAD_WORDS] for target in given]
    telling = tuple(frozenset(lead) - STOP_WORDS for lead in leads)
    title_idf = _idf(titles)
    return TargetIndex(
        targets=given,
        titles=titles,
        leads=telling,
        types=tuple(frozenset(_type_words(lead)) for lead in leads),
        title_idf=title_idf,
        lead_idf=_idf(telling),
        mass=np.array([sum(title_idf[word] for word in sorted(set(title))) for title in titles], np.float64),
        postings=_postings(titles),
        automaton=_automaton(given),
    )


def _idf(texts: Sequence[Iterable[str]]) -> dict[str, float]:
    """Inverse document frequency, scaled so that a word of one text has `RAREST` in a corpus of any size."""
    counts = Counter(word for text in texts for word in sorted(set(text)))
    size = len(texts) + 1
    return {word: RAREST * log(size / (count + 0.5)) / log(size / 1.5) for word, count in counts.items()}


def _type_words(lead: Sequence[str]) -> list[str]:
    for number, word in enumerate(lead):
        if word in _COPULAS:
            return [each for each in lead[number + 1 : number + 1 + _TYPE_WORDS] if each not in STOP_WORDS]
    return []


def _postings(titles: Sequence[Sequence[str]]) -> dict[str, IntArray]:
    lists: defaultdict[str, list[int]] = defaultdict(list)
    for number, title in enumerate(titles):
        for word in sorted(set(title)):
            lists[word].append(number)
    return {word: np.array(numbers, np.int64) for word, numbers in lists.items()}


def _automaton(targets: Sequence[Target]) -> ahocorasick.Automaton:
    names: defaultdict[tuple[str, ...], list[Alias]] = defaultdict(list)
    for number, target in enumerate(targets):
        for name, kind in aliases(target.title, target.text[:LEAD_CHARACTERS]).items():
            names[name].append(Alias(number, kind))
    automaton = ahocorasick.Automaton()
    for name, found in names.items():
        automaton.add_word(f" {' '.join(name)} ", (len(name), tuple(found)))
    automaton.make_automaton()
    return automaton
