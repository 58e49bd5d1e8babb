"""Candidates for what a cell means: documents with that name, or with a part of their title in it.

A table says "Ohio Northern" and means "1911 Ohio Northern football team": the rest of the title stands in the
table's own title. So for a part of a title the candidates are those with the least left over, by IDF, that
neither the cell nor the table's heading and columns explain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sage_ld.build.annotators.targets import Match, TargetIndex
from sage_ld.build.annotators.titles import AliasKind, Word
from sage_ld.build.annotators.words import STOP_WORDS
from sage_ld.foundation.model import DoubleArray, IntArray

_SEPARATOR = re.compile(r"[,/;•|()\[\]]|\sand\s|\s&\s|\s-\s|\s–\s")
_MAX_SEGMENTS = 30
_MAX_SEGMENT_WORDS = 12
_MAX_WINDOW = 6  # words of a segment that are looked for together
_MIN_WINDOW_MASS = 5.0  # IDF that a part of a segment needs to stand for the whole
_MAX_SHARED = 25  # targets kept of one name
_MAX_PARTIAL = 12  # targets kept of one part of a title


class Candidate(NamedTuple):
    """A target that the words `begin` to `end` of a text may name."""

    target: int
    begin: int
    end: int
    kind: AliasKind | None
    """None: the words are a part of the title."""
    shared: int
    """How many targets have this name."""


class Context(NamedTuple):
    """The context that all cells of a table share."""

    words: Set[str]
    """Of its heading and columns."""
    explained: DoubleArray
    """For each target, how much of its title's IDF those words are."""


def context(index: TargetIndex, words: Set[str]) -> Context:
    """The context that `words` make."""
    explained = np.zeros(len(index.targets))
    for word in sorted(words):
        if (numbers := index.postings.get(word)) is not None:
            explained[numbers] += index.title_idf[word]
    return Context(words, explained)


def boundaries(text: str, words: Sequence[Word]) -> list[int]:
    """The begins and ends of the parts of a list, as numbers of words: "Ann Arbor , MI" -> 0, 2, 3.

    >>> from sage_ld.build.annotators.titles import words
    >>> boundaries("Ann Arbor , MI", words("Ann Arbor , MI"))
    [0, 2, 3]
    """
    places = {0, len(words)}
    for match in _SEPARATOR.finditer(text):
        places.add(sum(word.end <= match.start() for word in words))
        places.add(sum(word.begin < match.end() for word in words))
    return sorted(places)


def candidates(
    index: TargetIndex, forms: Sequence[str], bounds: Sequence[int], around: Context
) -> list[Candidate]:
    """The targets that a text of these words may name, each at its best place, in the targets' order."""
    matches = [match for match in index.matches(forms) if not _is_empty(forms[match.begin : match.end])]
    by_target: dict[int, Candidate] = {}
    for match in matches:
        for each in _named(index, match, around):
            held = by_target.get(each.target)
            if held is None or _surer(each, held):
                by_target[each.target] = each
    for begin, end in _segments(bounds, matches):
        for each in _parts(index, forms, begin, end, around):
            by_target.setdefault(each.target, each)
    spans = [*pairwise(bounds)]
    return [by_target[target] for target in sorted(by_target) if _fits(index, by_target[target], spans)]


def _fits(index: TargetIndex, candidate: Candidate, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a title in small letters, as a file's name gives one, is more than a word of a longer name.

    A supplier `Delphar Instruments` is not the table in `instruments.csv`.
    """
    begin, end = candidate.begin, candidate.end
    is_whole = end - begin > 1 or (begin, end) in spans
    return is_whole or not index.targets[candidate.target].title.islower()


def _surer(one: Candidate, other: Candidate) -> bool:
    """More words, then the surer kind of name."""
    return (one.end - one.begin, -(one.kind or 0)) > (other.end - other.begin, -(other.kind or 0))


def _is_empty(forms: Sequence[str]) -> bool:
    return len(forms) == 1 and (forms[0] in STOP_WORDS or len(forms[0]) < 2)


def _named(index: TargetIndex, match: Match, around: Context) -> Iterator[Candidate]:
    aliases = list(match.aliases)
    if len(aliases) > _MAX_SHARED:
        aliases.sort(key=lambda each: index.mass[each.target] - around.explained[each.target])
    for alias in aliases[:_MAX_SHARED]:
        yield Candidate(alias.target, match.begin, match.end, alias.kind, len(match.aliases))


def _segments(bounds: Sequence[int], matches: Sequence[Match]) -> list[tuple[int, int]]:
    """The spans that may be a part of a title: the whole text, the parts of a list, names in it."""
    spans = [(0, bounds[-1]), *pairwise(bounds)]
    spans += [(match.begin, match.end) for match in matches]
    fitting = [span for span in dict.fromkeys(spans) if 0 < span[1] - span[0] <= _MAX_SEGMENT_WORDS]
    return fitting[:_MAX_SEGMENTS]


def _parts(
    index: TargetIndex, forms: Sequence[str], begin: int, end: int, around: Context
) -> list[Candidate]:
    """Targets whose titles hold the longest run of the segment's words that any title holds."""
    places = [at for at in range(begin, end) if forms[at] in index.postings and forms[at] not in STOP_WORDS]
    for length in range(min(len(places), _MAX_WINDOW), 0, -1):
        parts: list[Candidate] = []
        for first in range(len(places) - length + 1):
            run = places[first : first + length]
            held = sorted({forms[at] for at in run})
            mass = sum(index.title_idf[word] for word in held)
            if length == len(places) or mass >= _MIN_WINDOW_MASS:
                numbers = _least_left(index, held, around)
                parts += [Candidate(each, run[0], run[-1] + 1, None, 0) for each in numbers]
        if parts:
            return parts
    return []


def _least_left(index: TargetIndex, held: Sequence[str], around: Context) -> list[int]:
    """The targets with all words `held` in their title and the least of it left unexplained."""
    lists = sorted((index.postings[word] for word in held), key=len)
    numbers: IntArray = reduce(_common, lists)
    left = index.mass[numbers] - around.explained[numbers]
    best = np.argsort(left, kind="stable")[:_MAX_PARTIAL]
    return [int(number) for number in numbers[best]]


def _common(one: IntArray, other: IntArray) -> IntArray:
    return np.intersect1d(one, other, assume_unique=True) if len(one) else one
